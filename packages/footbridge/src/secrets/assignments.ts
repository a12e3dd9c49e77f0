/** Secrets recognised by the name before them: `name=value`, `"name": "value"`, `--name value`, headers, queries, tags. */
import { isSecretName, REDACTED } from './names.js';
import { endOfLine, endOfValue } from './values.js';

/** Four strings within each other have fifteen backslashes before a quote. Without a bound, a run of them takes quadratic time. */
const QUOTE = String.raw`(?:\\{0,15}["'\x60]|&quot;|%22)`;
/** A name, its closing quote, and the separator before its value; not `key://` or `Key::`. */
const ASSIGNED = new RegExp(
  String.raw`([\w.$-]{1,80})${QUOTE}?\]?[ \t]{0,8}(?:=>|:=|={1,3}|:(?!:|\/\/)|%(?:25)?3[ad])[ \t]{0,8}(?:\r?\n[ \t]{0,40})?`,
  'gi',
);
/** A flag of a command line, also in a list of quoted arguments. */
const FLAG = new RegExp(String.raw`--([\w.-]{1,60})(?:[ \t]{1,8}|${QUOTE},[ \t]{0,4})(?=[^\s=:-])`, 'g');
/** A header in a list of names and values, or as an object of its name and its value. */
const LISTED = new RegExp(
  String.raw`${QUOTE}(\w{1,60}-[\w-]{1,60}|authorization|cookie)${QUOTE},\s{0,8}(?:${QUOTE}?value${QUOTE}?\s?:\s?)?(?=${QUOTE})`,
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
/** A validator's message, which quotes the name of a field. */
const NAMES_KEY = /unrecognized keys?: ?$/i;
const AFTER_FLAG = /^(?:is|was|are|must|should|has|or|and|not|to|flag|option|requires?|needs|expects|cannot|for|with|in)$/i;
/** An error's name before its sentence: `NoSuchKey: The specified key does not exist`. */
const ERROR_NAME = /^(?:No|Invalid|Expired|Missing|Unknown|Bad|Unexpected|Incorrect|Malformed|Unsupported|Unrecognized)[A-Z][A-Za-z]+$/;
const SENTENCE = /[A-Z][a-z']{0,14} [a-z]/y;

/** Redacts the value of every name that marks a secret. */
export function redactAssignments(text: string): string {
  const tagged = text.replace(TAG, (whole, name: string, value: string) =>
    isSecretName(name) ? `${whole.slice(0, whole.length - value.length)}${REDACTED}` : whole,
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
    const escaped = text[match.index - 1] === '\\' && isSecretName(name.slice(1));
    if (match.index < done || !(escaped || isSecretName(name)) || isErrorName(name, text, start)) continue;
    if (isAt(BEGINS_SENTENCE, text, start) || NAMES_KEY.test(text.slice(Math.max(0, match.index - 16), start))) continue;
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

const WITH_USERINFO = /([a-z][a-z0-9+.-]{0,30}:\/\/)(.*)$/is;
/** `user:` of a URL; a number after the colon is a port. */
const USER_AND_COLON = /^[^/?#:@]*:(?!\d{1,5}(?:[/?#]|$))/;

/** The same with blanks in the password. */
const WITH_BLANKS =
  /([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s:/?#@"'<>]{0,80}:(?!\d{1,5}[\s/?#,;.)])[^\s/@"'<>]{1,80}(?:[ \t]{1,4}[^\s/@"'<>]{1,80}){1,3}(?=@[\w[])/gi;
/** `-u bob:password`; two numbers are ids of a user and a group. */
const USER_FLAG =
  /(?<![\w-])((?:-[uU]|--(?:proxy-)?user)(?:[ \t]{1,4}|=|\\{0,15}["'],[ \t]?)(\\{0,15}["'])?[^\s:"'\\]{0,80}:)(?!\d{1,9}(?!\S))/g;
const PASSWORD_IN_QUOTES = /[^"'\\\r\n]+/y;
const PASSWORD_BARE = /[^\s"'\\]+/y;
/** `bob:password@tcp(host:3306)/db` */
const DATA_SOURCE = /@(?:tcp|udp|unix|pipe)\w{0,8}\(/;

/** `text` with the credentials before the `@` of a host replaced, and the password after a user's name. */
export function redactUserinfo(text: string): string {
  return redactChunks(redactUserFlags(text.replace(WITH_BLANKS, `$1${REDACTED}`)));
}

function redactUserFlags(text: string): string {
  let shown = '';
  let done = 0;
  for (const { index, 0: whole, 2: quote } of text.matchAll(USER_FLAG)) {
    const start = index + whole.length;
    const password = quote === undefined ? PASSWORD_BARE : PASSWORD_IN_QUOTES;
    password.lastIndex = start;
    const length = password.exec(text)?.[0].replace(/(?<![).,;])[).,;]+$/, '').length ?? 0;
    if (start < done || length === 0) continue;
    shown += `${text.slice(done, start)}${REDACTED}`;
    done = start + length;
  }
  return shown + text.slice(done);
}

function redactDataSource(chunk: string): string {
  const at = chunk.search(DATA_SOURCE);
  const colon = chunk.indexOf(':');
  if (colon === -1 || colon > at) return chunk;
  const before = /^.*['`=(,;]/s.exec(chunk.slice(0, colon))?.[0] ?? '';
  return `${before}${REDACTED}${chunk.slice(at)}`;
}

function redactChunks(text: string): string {
  return text.replace(/[^\s"<>]+/g, (found) => {
    const chunk = redactDataSource(found);
    const at = chunk.lastIndexOf('@');
    const url = at === -1 ? null : WITH_USERINFO.exec(chunk.slice(0, at));
    if (url === null) return chunk;
    const [whole, scheme = '', rest = ''] = url;
    const before = chunk.slice(0, at - whole.length);
    // A password may hold `/`, `?`, `#` and `@` unescaped, so with one all goes up to the last `@`.
    if (USER_AND_COLON.test(rest)) return `${before}${scheme}${REDACTED}${chunk.slice(at)}`;
    const host = chunk.slice(before.length + scheme.length).split(/[/?#]/, 1)[0] ?? '';
    const user = host.lastIndexOf('@');
    if (user === -1) return chunk;
    return `${before}${scheme}${REDACTED}${chunk.slice(before.length + scheme.length + user)}`;
  });
}
