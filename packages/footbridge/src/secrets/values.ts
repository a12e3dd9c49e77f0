/** Start and end of a value: in quotes of any depth, in brackets, or bare. */

export interface Extent {
  readonly from: number;
  readonly to: number;
}

const OPENING = /(\\*)(["'`])/y;
/** The scheme of a credential, which is followed by the credential. */
const SCHEME = /(?:bearer|basic|token|digest|negotiate|ntlm|api-?key|key|hmac|aws4-hmac-sha256)[ \t]+/iy;
/** Separators between a bare value and the next pair. */
const NEXT_PAIR = /[&;,](?:\s|$|\\{0,15}["'`]?[\w.%-]{1,40}\\{0,15}["'`]?\s?[=:])/y;
/** A block scalar of YAML: the indented lines after `|` or `>`; on one line, or in quotes, the line ends are escaped. */
const BLOCK_HEAD = /[|>][-+\d]{0,2}[ \t]*(?:\r?\n|(?:\\+r)?\\+n)[ \t]+/y;
const BLOCK = /[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*/y;
const ESCAPED_BLOCK = /(?:[^\\"\r\n]|\\+(?![\\nr])[^\r\n]|(?:\\+r)?\\+n[ \t]+)*/y;
const CLOSERS = new Set(')]}>"\'`,;.!?\\');

/** The value that begins at `start`. */
export function endOfValue(text: string, start: number): Extent {
  const quoted = quotedFrom(text, start);
  if (quoted !== undefined) return quoted;
  const block = blockFrom(text, start);
  if (block !== undefined) return block;
  SCHEME.lastIndex = start;
  const scheme = SCHEME.exec(text)?.[0] ?? '';
  const inner = quotedFrom(text, start + scheme.length);
  if (scheme !== '' && inner !== undefined) return { from: start, to: inner.to };
  return { from: start, to: endOfBare(text, endOfBrackets(text, start + scheme.length)) };
}

/** The rest of the line, or of the quotes that opened right before `name`, as in `curl -H "Cookie: a=b"`. */
export function endOfLine(text: string, start: number, name: number): Extent {
  const quoted = quotedFrom(text, start);
  if (quoted !== undefined) return quoted;
  const before = /(?<!\\)(\\*)(["'`])$/.exec(text.slice(Math.max(0, name - 16), name));
  const close = before === null ? -1 : closingQuote(text, start, before[2] ?? '', before[1]?.length ?? 0);
  return { from: start, to: close === -1 ? lineEnd(text, start) : close };
}

function quotedFrom(text: string, start: number): Extent | undefined {
  OPENING.lastIndex = start;
  const opening = OPENING.exec(text);
  if (opening === null) return undefined;
  const from = start + opening[0].length;
  const close = closingQuote(text, from, opening[2] ?? '', opening[1]?.length ?? 0);
  return { from, to: close === -1 ? lineEnd(text, from) : close };
}

function blockFrom(text: string, start: number): Extent | undefined {
  BLOCK_HEAD.lastIndex = start;
  const head = BLOCK_HEAD.exec(text)?.[0];
  if (head === undefined) return undefined;
  const from = start + head.length;
  const lines = head.includes('\\') ? ESCAPED_BLOCK : BLOCK;
  lines.lastIndex = from;
  return { from, to: from + (lines.exec(text)?.[0].length ?? 0) };
}

/**
 * The index of the closing quote, its backslashes included; -1 when it is missing.
 * JSON within JSON has more backslashes before a quote at each depth, and twice as many and one more before an inner one.
 */
function closingQuote(text: string, from: number, quote: string, depth: number): number {
  let backslashes = 0;
  for (let index = from; index < text.length; index++) {
    const character = text[index];
    if (character === '\\') {
      backslashes++;
      continue;
    }
    if (character === quote && (backslashes < depth || backslashes % (2 * (depth + 1)) === depth)) {
      const doubled = depth === 0 && text[index + 1] === quote && index > from;
      if (!doubled) return index - Math.min(backslashes, depth);
      index++;
    }
    backslashes = 0;
  }
  return -1;
}

/** Looking further from each of many open brackets would take quadratic time. */
const LONGEST_BRACKETS = 2048;

/** The index after the brackets that open at `start`; `start` if none does. A bracket that is not closed soon ends with the line. */
function endOfBrackets(text: string, start: number): number {
  if (text[start] !== '{' && text[start] !== '[') return start;
  let depth = 0;
  const end = Math.min(text.length, start + LONGEST_BRACKETS);
  for (let index = start; index < end; index++) {
    const character = text[index];
    if (character === '{' || character === '[') depth++;
    if ((character === '}' || character === ']') && --depth === 0) return index + 1;
  }
  return lineEnd(text, start);
}

function endOfBare(text: string, start: number): number {
  let end = start;
  for (; end < text.length && !/\s/.test(text[end] ?? ''); end++) {
    NEXT_PAIR.lastIndex = end;
    if (NEXT_PAIR.test(text)) break;
  }
  // Punctuation that closes the sentence or object around the value is not part of it.
  while (end > start && CLOSERS.has(text[end - 1] ?? '')) end--;
  return end;
}

function lineEnd(text: string, start: number): number {
  const end = text.slice(start).search(/\r|\n/);
  return end === -1 ? text.length : start + end;
}
