/** Secrets recognised by shape: tokens of known issuers, and long random strings. */
import { REDACTED, START } from './names.js';

/** Webhook URLs, which grant the right to post. */
const WEBHOOKS = /(hooks\.slack\.com\/(?:services|workflows)\/|discord(?:app)?\.com\/api\/webhooks\/)[\w/-]+/gi;

const SCHEMES = new RegExp(String.raw`${START}(bearer|basic)(\s{1,4}|%20|\+|:\s?)(["'\x60<]?)([^\s"'\x60<>,;]+)`, 'gi');
/** What follows `Bearer` in a sentence or in a challenge. */
const AFTER_BEARER =
  /^(?:realm=.*|(?:tokens?|auth\w*|scheme|header|credentials?|is|was|not|required|missing|format|prefix|error|of|or|and|in|with|for|must|should)\W*)$/is;

/** `text` with everything that looks like a secret replaced. */
export function redactShapes(text: string): string {
  return text
    .replace(SCHEMES, (whole, scheme: string, gap: string, quote: string, value: string) =>
      isOrdinary(scheme, value) ? whole : `${scheme}${gap}${quote}${REDACTED}`,
    )
    .replace(ISSUED_TOKEN, REDACTED)
    .replace(WEBHOOKS, `$1${REDACTED}`)
    .replace(RUN, redactRun);
}

/** `Basic` is an ordinary word, so what follows it must be more than one, or base64 of `user:password`. */
function isOrdinary(scheme: string, value: string): boolean {
  if (scheme.toLowerCase() === 'bearer') return AFTER_BEARER.test(value);
  return /^[A-Za-z]?[a-z-]{0,14}\W*$/.test(value) && !isPair(Buffer.from(value, 'base64').toString('latin1'));
}

function isPair(text: string): boolean {
  return text.includes(':') && /^[ -~]*$/.test(text);
}

/** Whole URLs, whose slashes part words, and runs of base64, whose slashes do not. */
const RUN = /[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'`<>]+|[A-Za-z0-9_+/%-]{32,}={0,2}/gi;
const RUN_IN_URL = /[A-Za-z0-9_%-]{32,}={0,2}/g;

function redactRun(run: string): string {
  if (run.includes('://')) return run.replace(RUN_IN_URL, (part) => (isRandom(part) ? REDACTED : part));
  return isRandom(run) ? REDACTED : run;
}

/** Mixed capitals, small letters and digits, or more capitals than words would begin with. */
function isRandom(run: string): boolean {
  const plain = run.replace(/%[0-9A-Fa-f]{2}/g, '');
  if (plain.length < 32 || !/[a-z]/.test(plain)) return false;
  const capitals = plain.replace(/[^A-Z]/g, '').length;
  return capitals > 0 && (/\d/.test(plain) || capitals > plain.length * 0.3);
}

const LOOKS = [
  // Amazon access key ids; Google; JSON Web Tokens and other base64 of JSON
  /(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AIPA|ANPA|ANVA|APKA|AROA|ASCA)[A-Z0-9]{16,}/,
  /AIza[\w-]{20,}/,
  /ya29\.[\w.-]{8,}/,
  /GOCSPX-[\w-]{8,}/,
  /1\/\/0[\w-]{16,}/,
  /eyJ[\w-]{16,}(?:\.[\w-]*){0,4}/,
  /eyJ[\w-]{4,15}\.[\w-]*(?:\.[\w-]*){0,3}/,
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

const ISSUED_TOKEN = new RegExp(`${START}(?:${LOOKS.map((look) => look.source).join('|')})`, 'g');
