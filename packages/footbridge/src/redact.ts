/** Makes any text safe to show: without secrets, local paths and stack traces. */

import { redactAssignments, redactUserinfo } from './secrets/assignments.js';
import { encodingsOf } from './secrets/encodings.js';
import { isSecretName, PATH, REDACTED, START } from './secrets/names.js';
import { redactShapes } from './secrets/shapes.js';
import { redactStatements } from './secrets/statements.js';

const LONGEST = 8192;
/** How much may be removed at the cut to end between two words. A secret without spaces is shorter, or recognised by its length. */
const MARGIN = 1024;
const ROUNDS = 6;

/**
 * `text` with every secret as `[redacted]`, and of every path of this machine only the last name, as `[path]/reports`; at most `longest`
 * characters of it, 2,048 or more.
 */
export function redact(text: string, longest = LONGEST): string {
  return untilClean(text, (shown) => {
    const readable = withoutStack(withoutControls(shown.slice(0, 2 * longest)));
    return redactPaths(withoutSecrets(readable, shown.length > 2 * longest, longest, true));
  });
}

/** Characters of a request that an error may repeat. */
const LONGEST_INPUT = 2048;
const MAX_ENCODINGS = 3;

/** A caller's text without secrets, including percent-encoded ones; otherwise unchanged. At most 2 KB. */
export function redactInput(text: string): string {
  const shown = redactSecrets(text);
  let plain = shown;
  for (let round = 0; round < MAX_ENCODINGS && plain.includes('%'); round++) {
    plain = plain.replace(/(?:%[0-9A-Fa-f]{2})+/g, decoded);
    const clean = redactSecrets(plain);
    if (clean !== plain) return clean;
  }
  return shown;
}

function decoded(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

function redactSecrets(text: string): string {
  const more = 2 * LONGEST_INPUT;
  return untilClean(text, (shown) => withoutSecrets(shown.slice(0, more), shown.length > more, LONGEST_INPUT, !isQualified(shown)));
}

/** Whether it is the name of a skill or tool with its folders or its server: `auth:login` assigns nothing. */
function isQualified(text: string): boolean {
  return text.length < 100 && /^[a-z][a-z:-]*$/.test(text) && !/pass|pwd|secret|credential/.test(text);
}

/** One replacement can expose another secret, so this repeats until nothing changes. */
function untilClean(text: string, once: (text: string) => string): string {
  let shown = text;
  for (let round = 0; round < ROUNDS; round++) {
    const next = once(shown);
    if (next === shown) return shown;
    shown = next;
  }
  return REDACTED;
}

// Secrets recognised by name or place go first: recognising them by shape may see only a part.
function withoutSecrets(readable: string, more: boolean, longest: number, assigns: boolean): string {
  // This process's own secrets may contain spaces, so they are removed before the cut.
  const bounded = cut(redactEnvironment(readable), more, longest);
  const placed = redactUserinfo(redactPrivateKeys(bounded));
  return redactShapes(assigns ? redactStatements(redactAssignments(placed)) : placed);
}

/** Terminal colours and control characters could separate a name from its value. */
function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\s](?:\[[\d;]{0,20}[A-Za-z])?/gu, '');
}

function withoutStack(text: string): string {
  return text.replace(/(?:^|\r?\n)[ \t]+at [^\n]*/g, '').replace(/(?:\\r)?\\n[ \t]+at [^\n"\\]*/g, '');
}

function cut(text: string, more: boolean, longest: number): string {
  if (text.length < longest || (text.length === longest && !more)) return text;
  const kept = text.slice(0, longest - 1);
  const lastWord = kept.slice(-MARGIN).search(/\s\S*$/);
  return `${kept.slice(0, kept.length - MARGIN + Math.max(lastWord, 0))}…`;
}

/** Private keys in PEM and OpenPGP armour; an unclosed one, as after a cut, extends to the end. */
const ARMOURED = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

function redactPrivateKeys(text: string): string {
  return text.replace(ARMOURED, REDACTED);
}

/** Shorter values are words that appear by chance. */
const SHORTEST = 8;

/** Redacts the values of environment variables whose names mark a secret, as they are or encoded. */
function redactEnvironment(text: string): string {
  // No form of a value is shorter than the value.
  if (text.length < SHORTEST) return text;
  const secrets = Object.keys(process.env).flatMap((name) => {
    if (!isOfSecret(name)) return [];
    const value = process.env[name] ?? '';
    return value.length < SHORTEST || value.length > text.length || REDACTED.includes(value) ? [] : [value];
  });
  return encodingsOf(secrets).reduce((shown, form) => shown.replaceAll(form, REDACTED), text);
}

/** Whether the names of variables mark secrets, cached. */
const judged = new Map<string, boolean>();
const MAX_JUDGED = 1000;

function isOfSecret(name: string): boolean {
  let verdict = judged.get(name);
  if (verdict === undefined) {
    if (judged.size >= MAX_JUDGED) judged.clear();
    verdict = isSecretName(name);
    judged.set(name, verdict);
  }
  return verdict;
}

/** Characters that end a path only where nothing of a path follows, as in `(see /etc/hosts)`. */
const INNER = String.raw`(?:[^\s"'\x60<>|\\,;:()\[\]{}/]|[,;:()\[\]{}](?=[\w./-])|\\ )`;
const SEGMENT = String.raw`[^\\/:*?"'<>|\r\n]{1,255}`;

const BEFORE_PATH =
  'at|by|for|from|in|inside|into|of|on|to|under|with|within|access|cd|chdir|lstat|mkdir|open|read|rmdir|scandir|stat|unlink|file|directory|folder|path';

const PATTERNS = [
  // Matched so that it is left unchanged; `file:` is handled below.
  String.raw`(?<url>[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'\x60<>,;]*)`,
  String.raw`${START}file:\/[^\s"'\x60<>]*`,
  String.raw`(?<=(["'\x60]))~?\/[^\s"'\x60/][^"'\x60\r\n/\\]*\/[^"'\x60\r\n\\]*(?=\2)`,
  String.raw`(?<![\w.~:/%\])}\\-])(?:~\w{0,32}\/${INNER}+(?:\/${INNER}*)*|\/${INNER}+(?:\/+${INNER}+)+\/?)`,
  String.raw`(?<=\\[nrt]|:(?!\/\/))\/${INNER}+(?:\/+${INNER}+)+\/?`,
  String.raw`${START}[A-Z]:[\\/]+(?:${SEGMENT}[\\/]+)*[^\s\\/:*?"'<>|]*`,
  String.raw`(?<![\w\\:])\\\\+[\w.$-]{1,255}\\+(?:${SEGMENT}[\\/]+)*[^\s\\/:*?"'<>|]*`,
  // One segment is a path only where a path is meant.
  String.raw`(?<=(["'\x60]))~?\/[A-Za-z_.@][^\s"'\x60/\\]+\/?(?=\3)`,
  String.raw`(?<=\b(?:${BEFORE_PATH}) |\b(?:cwd|pwd|home|dir|path|file|directory)[=:] ?)\/[A-Za-z_.@][\w.@-]{1,255}\/?(?![\w/])`,
];
const ABSOLUTE = new RegExp(PATTERNS.join('|'), 'gi');

/** `text` with each absolute path, and each `file:` URL, replaced. */
function redactPaths(text: string): string {
  return text.replace(ABSOLUTE, (whole, url: string | undefined) => (url === undefined || /^file:/i.test(url) ? shortened(whole) : whole));
}

/** Characters that do not occur in the name of a file or folder, with an optional line and column. */
const NO_NAME = /[^\p{L}\p{N}_.@: -]/u;
const LONGEST_NAME = 100;

/** The last name identifies the file. That of a home folder reveals the user, and that of a drive or share nothing. */
function shortened(path: string): string {
  const names = path
    .replace(/^file:/i, '')
    .split(/[\\/]+/)
    .filter((name) => name !== '');
  const last = names.at(-1) ?? '';
  const isPlain = names.length > (path.startsWith('\\\\') ? 2 : 1) && last.length <= LONGEST_NAME && !NO_NAME.test(last);
  return isPlain && !/^(?:home|users)$/i.test(names.at(-2) ?? '') ? `${PATH}/${last}` : PATH;
}
