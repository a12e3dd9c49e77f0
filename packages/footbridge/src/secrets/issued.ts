/** What the tokens of known issuers look like. */
import { START } from './marker.js';

const LOOKS = [
  // Amazon access key ids; Google; JSON Web Tokens and other base64 of JSON
  /(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AIPA|ANPA|ANVA|APKA|AROA|ASCA)[A-Z0-9]{16,}/,
  /AIza[\w-]{20,}/,
  /ya29\.[\w.-]{8,}/,
  /GOCSPX-[\w-]{8,}/,
  /1\/\/0[\w-]{16,}/,
  /eyJ[\w-]{4,}(?:\.[\w-]*){1,4}/,
  /eyJ[\w-]{16,}/,
  // code hosts and package registries
  /gh[a-z]_[A-Za-z0-9_]{10,}/,
  /github_pat_\w{10,}/,
  /gl[a-z]{2,6}-[\w.-]{16,}/,
  /AT(?:ATT|CTT|BB|OA)[\w=+/-]{10,}/,
  /npm_[A-Za-z0-9]{16,}/,
  /pypi-[\w-]{16,}/,
  // Azure DevOps: 52 of them, or what a cut left
  /(?=[a-z]{0,52}\d)(?=\d{0,52}[a-z])[a-z0-9]{48,52}(?![A-Za-z0-9])/,
  /rubygems_[0-9a-f]{16,}/,
  /dckr_[a-z]{3}_[\w-]{8,}/,
  // chat, mail and money
  /xox[a-z](?:\.xox[a-z])?-[\w-]{8,}/,
  /xapp-[\w-]{8,}/,
  /SG\.[\w-]{8,}\.[\w-]{8,}/,
  /key-[0-9a-f]{32}/,
  /(?:SK|AC)[0-9a-f]{32}/,
  /\d{8,10}:[\w-]{35}/,
  /[srp]k_(?:live|test|prod)_\w{8,}/,
  /whsec_[\w+/=-]{8,}/,
  /sq0[a-z]{3}-[\w-]{8,}/,
  /shp[a-z]{2}_[0-9a-fA-F]{16,}/,
  // models, clouds and tools; a word with hyphens has no capital and no digit
  /sk-(?=[\w-]{0,200}[A-Z0-9])[\w-]{16,}/,
  /(?:hf|gsk|r8|ntn|figd|sbp|secret|glsa|glc|sntrys|sntryu|lin_api|pat)_(?=\w{0,200}[A-Z0-9])[\w=+/-]{16,}/,
  /(?:xai|nvapi|pplx|tvly|PMAK|NRAK)-[\w-]{16,}/,
  /do[a-z]_v1_\w{16,}/,
  /dapi[0-9a-f]{32}/,
  /hv[a-z]\.[\w-]{16,}/,
  /AGE-SECRET-KEY-1[A-Z0-9]{16,}/,
  /[\w~.-]{3}\dQ~[\w~.-]{31,}/,
];

export const ISSUED_TOKEN = new RegExp(`${START}(?:${LOOKS.map((look) => look.source).join('|')})`, 'g');
