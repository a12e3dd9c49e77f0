/** Secrets recognised by shape: tokens of known issuers, and long random strings. */
import { ISSUED_TOKEN } from './issued.js';
import { REDACTED, START } from './marker.js';

/** Addresses that are themselves the right to post. */
const WEBHOOKS = /(hooks\.slack\.com\/(?:services|workflows)\/|discord(?:app)?\.com\/api\/webhooks\/)[\w/-]+/gi;

const SCHEMES = new RegExp(String.raw`${START}(bearer|basic)(\s{1,4}|%20|\+|:\s?)(["'\x60<]?)([^\s"'\x60<>,;]+)`, 'gi');
/** What follows `Bearer` in a sentence or in a challenge. */
const AFTER_BEARER =
  /^(?:tokens?|auth\w*|scheme|header|credentials?|realm=.*|is|was|not|required|missing|format|prefix|error|of|or|and|in|with|for|must|should)\W*$/i;

/** `text` with everything replaced that looks like a secret. */
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
  return /^[A-Za-z]?[a-z-]{0,14}\W*$/.test(value) && !/^[ -~]*:[ -~]*$/.test(Buffer.from(value, 'base64').toString('latin1'));
}

/** Whole URLs, whose slashes part words, and runs of base64, whose slashes do not. */
const RUN = /[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'`<>]+|[A-Za-z0-9_+/%-]{32,}={0,2}/gi;
const RUN_IN_URL = /[A-Za-z0-9_%-]{32,}={0,2}/g;

function redactRun(run: string): string {
  if (run.includes('://')) return run.replace(RUN_IN_URL, (part) => (isRandom(part) ? REDACTED : part));
  return isRandom(run) ? REDACTED : run;
}

/** Capitals, small letters and digits mixed, or so many capitals that they begin no words. */
function isRandom(run: string): boolean {
  const plain = run.replace(/%[0-9A-Fa-f]{2}/g, '');
  if (plain.length < 32 || !/[a-z]/.test(plain)) return false;
  const capitals = plain.replace(/[^A-Z]/g, '').length;
  return capitals > 0 && (/\d/.test(plain) || capitals > plain.length * 0.3);
}
