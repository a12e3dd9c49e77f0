/** Secrets recognised by the name before them: `name=value`, `"name": "value"`, `--name value`, headers, queries, tags. */
import { REDACTED } from './marker.js';
import { tellsSecret } from './names.js';
import { endOfLine, endOfValue } from './values.js';

const QUOTE = String.raw`(?:\\*["'\x60]|&quot;|%22)`;
/** A name, the quote that closes it, and what parts it from its value; `key://` and `Key::` are neither. */
const ASSIGNED = new RegExp(
  String.raw`([\w.$-]{1,80})${QUOTE}?\]?[ \t]{0,8}(?:=>|:=|={1,3}|:(?!:|\/\/)|%(?:25)?3[ad])[ \t]{0,8}(?:\r?\n[ \t]{0,40})?`,
  'gi',
);
/** A flag of a command line, also in a list of quoted arguments. */
const FLAG = new RegExp(String.raw`--([\w.-]{1,60})(?:[ \t]{1,8}|${QUOTE},[ \t]{0,4})(?=[^\s=:-])`, 'g');
/** A header in a list of names and values, or as an object of its name and its value. */
const LISTED = new RegExp(
  String.raw`${QUOTE}(\w+-[\w-]{1,60}|authorization|cookie)${QUOTE},\s{0,8}(?:${QUOTE}?value${QUOTE}?\s?:\s?)?(?=${QUOTE})`,
  'gi',
);
const TAG = /<(?:\w{1,40}:)?([\w.-]{1,60})>([^<]+)(?=<\/)/g;

/** Headers whose value is the whole rest of the line. */
const WHOLE_LINE = /(?:authorization|cookie2?)$/i;
/** Values that are a statement about a secret, and words after a flag in a sentence. */
const STATEMENT = /^(?:null|undefined|true|false|none|required|missing|invalid|expired|empty)?$/i;
/** What begins a sentence about the value: `Invalid token: expected string`. */
const BEGINS_SENTENCE =
  /(?:expected|must|should|cannot|could|does|has|is|was|not|no|the|this|it|unable|failed|please|too|only|received) [a-z]/iy;
const AFTER_FLAG = /^(?:is|was|are|must|should|has|or|and|not|to|flag|option|requires?|needs|expects|cannot|for|with|in)$/i;
/** An error's name before its sentence: `NoSuchKey: The specified key does not exist`. */
const ERROR_NAME = /^(?:No|Invalid|Expired|Missing|Unknown|Bad|Unexpected|Incorrect|Malformed|Unsupported|Unrecognized)[A-Z][A-Za-z]+$/;
const SENTENCE = /[A-Z][a-z']{0,14} [a-z]/y;

/** Redacts the value of every name that marks a secret. */
export function redactAssignments(text: string): string {
  const tagged = text.replace(TAG, (whole, name: string, value: string) =>
    tellsSecret(name) ? `${whole.slice(0, whole.length - value.length)}${REDACTED}` : whole,
  );
  const assigned = redactValues(tagged, ASSIGNED, (value) => STATEMENT.test(value));
  const listed = redactValues(assigned, LISTED, (value) => STATEMENT.test(value));
  return redactValues(listed, FLAG, (value) => STATEMENT.test(value) || AFTER_FLAG.test(value));
}

function redactValues(text: string, pattern: RegExp, isOrdinary: (value: string) => boolean): string {
  let shown = '';
  let done = 0;
  for (const match of text.matchAll(pattern)) {
    const name = match[1] ?? '';
    const start = match.index + match[0].length;
    // In an escaped `\nkey: value` the first letter belongs to the escape.
    const escaped = text[match.index - 1] === '\\' && tellsSecret(name.slice(1));
    if (match.index < done || !(escaped || tellsSecret(name)) || isErrorName(name, text, start)) continue;
    if (isAt(BEGINS_SENTENCE, text, start)) continue;
    const { from, to } = WHOLE_LINE.test(name) ? endOfLine(text, start, match.index) : endOfValue(text, start);
    if (isOrdinary(text.slice(from, to))) continue;
    shown += `${text.slice(done, from)}${REDACTED}`;
    done = to;
  }
  return shown + text.slice(done);
}

function isErrorName(name: string, text: string, start: number): boolean {
  return ERROR_NAME.test(name) && isAt(SENTENCE, text, start);
}

function isAt(sticky: RegExp, text: string, start: number): boolean {
  sticky.lastIndex = start;
  return sticky.test(text);
}
