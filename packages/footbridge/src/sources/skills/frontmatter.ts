/** Finds and parses the frontmatter of `SKILL.md`, leniently where the standard advises it. */
import { parseYaml, repeatedKey, type YamlLibrary, type YamlLimits } from '../../bounded-yaml.js';
import { isFields } from '../../json.js';
import { LIMITS } from './rules.js';

/** The frontmatter's text, or why it is missing. */
type Found = { readonly found: true; readonly yaml: string } | { readonly found: false; readonly reason: 'absent' | 'unclosed' };

/** Lines before the YAML: the opening `---`. */
const FIRST_YAML_LINE = 2;

/** Finds the frontmatter at the head of a file, which may begin with a byte order mark. */
export function findFrontmatter(head: string): Found {
  const start = head.charCodeAt(0) === 0xfeff ? 1 : 0;
  const open = /^---[ \t]*\r?\n/.exec(start === 0 ? head : head.slice(start));
  if (open === null) return { found: false, reason: 'absent' };
  const from = start + open[0].length;
  const close = /^---[ \t]*\r?$/m.exec(head.slice(from));
  if (close === null) return { found: false, reason: 'unclosed' };
  return { found: true, yaml: head.slice(from, from + close.index) };
}

/** Where the frontmatter's closing line ends in the first `length` bytes of a file: what follows need not be decoded. */
export function endOfFrontmatter(head: Buffer, length: number): number {
  const close = head.indexOf('\n---');
  const end = close === -1 ? -1 : head.indexOf('\n', close + 1);
  return end === -1 || end > length ? length : end;
}

/** Every scalar is text as it was written, without YAML's conversions. */
export type FrontmatterFields = ReadonlyMap<string, unknown>;

/** The outcome of reading YAML; `repaired` when it was only readable after quoting a stray colon. */
export type FieldsResult =
  | { readonly ok: true; readonly fields: FrontmatterFields; readonly repaired: boolean }
  /** `beyond` where it may be YAML, and is more than is read. */
  | { readonly ok: false; readonly message: string; readonly line: number; readonly column?: number; readonly beyond?: boolean };

// A key and a one-line value that every YAML parser reads as exactly that text. Anything else is left to the library.
const KEY = /^([A-Za-z][\w-]*):(?: +([^ ].*)?)?$/;
const QUOTED = /^(?:"([^"\\]*)"|'([^']*)')$/;
const PLAIN_START = /^[\p{L}\p{N}(/.+$]/u;
const PLAIN_END = /:(?: |$)| #/;
// Line ends apart, what is no printable character or may end a line elsewhere; and a carriage return on its own.
const SPECIAL = /(?![\n\r])\p{Cc}|[\u2028\u2029\ufeff]|\r(?!\n)/u;

/**
 * Reads frontmatter made of `key: text`, of one level of keys below a key, and of plain block texts, as nearly all is:
 * some thirty times faster than the YAML library. Undefined when a line is anything else. Never disagrees with the library.
 */
export function readPlainFields(yaml: string): FrontmatterFields | undefined {
  // Most text is plain, and finding that out is much cheaper.
  if (/[^ -~\n]/.test(yaml) && SPECIAL.test(yaml)) return undefined;
  const lines = yaml.replaceAll('\r\n', '\n').split('\n');
  const fields = new Map<string, unknown>();
  for (let at = 0; at < lines.length; ) {
    const line = lines[at++] ?? '';
    if (line === '') continue;
    const [, key, rest = ''] = KEY.exec(line) ?? [];
    if (key === undefined || fields.has(key)) return undefined;
    const block = trimSpaces(rest);
    const end = endOfBlock(lines, at);
    const value = end === at ? plainValue(block) : blockValue(block, lines.slice(at, end));
    if (value === undefined) return undefined;
    fields.set(key, value);
    at = end;
  }
  return fields;
}

/** The end of the indented lines that start at `at`. */
function endOfBlock(lines: readonly string[], at: number): number {
  let end = at;
  while (lines[end]?.startsWith(' ') === true) end++;
  return end;
}

/** A block text or the keys below a key, if all lines have the same indentation and nothing in them needs interpreting. */
function blockValue(header: string, lines: readonly string[]): string | ReadonlyMap<string, string> | undefined {
  const indent = /^ +/.exec(lines[0] ?? '')?.[0] ?? '';
  const texts = lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : ' '));
  if (texts.some((text) => text === '' || text.startsWith(' ') || text.endsWith(' '))) return undefined;
  if (header === '|' || header === '|-') return texts.join('\n') + (header === '|' ? '\n' : '');
  if (header === '>' || header === '>-') return texts.join(' ') + (header === '>' ? '\n' : '');
  return header === '' ? textMap(texts) : undefined;
}

function textMap(texts: readonly string[]): ReadonlyMap<string, string> | undefined {
  const map = new Map<string, string>();
  for (const text of texts) {
    const [, key, rest = ''] = KEY.exec(text) ?? [];
    const value = plainValue(trimSpaces(rest));
    if (key === undefined || value === undefined || map.has(key)) return undefined;
    map.set(key, value);
  }
  return map;
}

function plainValue(text: string): string | undefined {
  const quoted = QUOTED.exec(text);
  if (quoted !== null) return quoted[1] ?? quoted[2];
  return PLAIN_START.test(text) && !PLAIN_END.test(text) ? text : undefined;
}

/** Without trailing spaces; other white space is part of a value. */
function trimSpaces(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ') end--;
  return text.slice(0, end);
}

/** Parsing this much takes a few milliseconds. Quotes may be added to frontmatter of 16 KiB. */
const BOUNDS: YamlLimits = { characters: 64 * 1024, tokens: 2048 };

/** Reads frontmatter with the YAML library; on failure tries once more with stray colons quoted. */
export function readFields(yaml: string, library: YamlLibrary): FieldsResult {
  const first = parseFields(yaml, library);
  if (first.ok) return first;
  const quoted = quoteStrayColons(yaml);
  const second = quoted === yaml ? first : parseFields(quoted, library);
  return second.ok ? { ...second, repaired: true } : first;
}

function parseFields(yaml: string, library: YamlLibrary): FieldsResult {
  const lines = new library.LineCounter();
  const placeOf = (at: number) => {
    const { col, line } = lines.linePos(at);
    return { line: line + FIRST_YAML_LINE - 1, column: col };
  };
  const parsed = parseYaml(yaml, library, BOUNDS, { schema: 'failsafe', lineCounter: lines, logLevel: 'silent', prettyErrors: false });
  if (!parsed.ok) {
    const message = (parsed.problem.split('\n')[0] ?? '').trim();
    return { ok: false, message, ...placeOf(parsed.at), ...(parsed.beyond && { beyond: true }) };
  }
  const { document } = parsed;
  const twice = repeatedKey(document.contents, library);
  if (twice !== undefined) return { ok: false, message: `Duplicate key "${twice.text}"`, ...placeOf(twice.at) };
  try {
    const value: unknown = document.toJS({ mapAsMap: true, maxAliasCount: 100 });
    if (value instanceof Map) return { ok: true, fields: textKeys(value), repaired: false };
  } catch (cause) {
    return { ok: false, message: cause instanceof Error ? cause.message : String(cause), line: FIRST_YAML_LINE };
  }
  return { ok: false, message: 'The frontmatter is not a mapping of keys to values', line: FIRST_YAML_LINE };
}

function textKeys(map: ReadonlyMap<unknown, unknown>): FrontmatterFields {
  return new Map([...map].filter((entry): entry is [string, unknown] => typeof entry[0] === 'string'));
}

/** Puts quotes around each unquoted one-line value that holds `: `. */
function quoteStrayColons(yaml: string): string {
  return yaml.replace(/^([A-Za-z][\w-]*):[ \t]+([^\s"'|>[{&*!#][^\r\n]*)/gm, (line, key: string, value: string) =>
    /:(?:[ \t]|$)/.test(value) ? `${key}: ${JSON.stringify(value.trimEnd())}` : line,
  );
}

/** Frontmatter as typed YAML, for the Skills extension; undefined unless it is a mapping of a size that the extension carries. */
export function readTyped(yaml: string, library: YamlLibrary): Record<string, unknown> | undefined {
  for (const text of new Set([yaml, quoteStrayColons(yaml)])) {
    const parsed = parseYaml(text, library, BOUNDS, { logLevel: 'silent', prettyErrors: false });
    if (!parsed.ok) continue;
    try {
      const json = JSON.stringify(parsed.document.toJS({ maxAliasCount: 100 }));
      if (json.length > LIMITS.frontmatterJson) return undefined;
      // The library joins quoted text from single characters, which take thirty times the memory of the same text in one piece.
      const value: unknown = JSON.parse(json);
      return isFields(value) ? value : undefined;
    } catch {
      // the quoted text may still be readable
    }
  }
  return undefined;
}
