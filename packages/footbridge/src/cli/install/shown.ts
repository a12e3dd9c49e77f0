/** Prints changes without secrets and without terminal control characters. */
import { structuredPatch } from 'diff';
import { isSecretName, REDACTED } from '../../secrets/names.js';
import { redactShapes } from '../../secrets/shapes.js';
import { decodeText } from '../../text.js';
import type { HostEntry } from '../hosts/index.js';
import { entriesOf } from '../hosts/read.js';
import type { Io } from '../io.js';
import type { FileChange } from './change.js';
import { fileName } from './host-lines.js';

const HIDDEN = '…';
const LONGEST = 200;
/** Context on each side of a difference in a long line, and the limit of a line. */
const AROUND = 40;
const MAX_SHOWN = 4000;

/** The name of the file and its differing lines. `given` are values of variables and headers, which are hidden. */
export function showDifference(change: FileChange, given: readonly string[], io: Io): string {
  return [io.colors.bold(fileName(change.places[0], io)), ...differenceLines(change, given, io)].join('\n');
}

function differenceLines({ after, before }: FileChange, given: readonly string[], io: Io): string[] {
  const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? '' : (decodeText(bytes) ?? ''));
  const hide = ({ kind, text: line }: DifferenceLine): DifferenceLine => ({ kind, text: withoutGiven(line, given) });
  return difference(text(before), text(after)).flatMap(({ line, lines: found }) => {
    const lines = found.map(hide);
    return [
      io.colors.dim(`  @@ line ${line} @@`),
      ...lines.map((each, at) => shownLine(each, lines[at - 1]?.text ?? '', lines[each.kind === 'gone' ? at + 1 : at - 1]?.text ?? '', io)),
    ];
  });
}

function withoutGiven(line: string, given: readonly string[]): string {
  return given.reduce((rest, value) => rest.replaceAll(value, HIDDEN).replaceAll(JSON.stringify(value).slice(1, -1), HIDDEN), line);
}

function shownLine({ kind, text }: DifferenceLine, above: string, other: string, { colors }: Io): string {
  const hidden = withoutSecrets(text, above);
  const line = printable(kind === 'same' ? hidden.slice(0, LONGEST) : clipped(hidden, withoutSecrets(other)));
  if (kind === 'gone') return colors.red(`  - ${line}`);
  return kind === 'new' ? colors.green(`  + ${line}`) : colors.dim(`    ${line}`);
}

// The lookbehinds start each match at the beginning of a word; otherwise long words take quadratic time.
/** A name, : or =, and a quoted value, in JSON, TOML and YAML. */
const QUOTED = /(?<![\w.-])(["']?)([\w.-]+)\1(\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*')/g;
/** An unquoted value in YAML. */
const BARE = /^(\s*(?:- )?)([\w.-]+)(:\s+)([^\s"'{[&*|>#](?:[^#]*[^#\s])?)(\s*(?:#.*)?)$/;
/** An unquoted value in a flow map. */
const FLOW = /([{,]\s*)([\w.-]+)(:\s+)([^\s"'{}[\],]+)/g;
const PASSWORD = /((?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\/[^\s"'/@:]*:)(?!\$\{)[^\s"']{1,500}(?=@)/gi;
const ASSIGNED = /(?<![\w.-])(-{0,2}[\w.-]+)=([^\s"'=,]+)/g;
/** An option followed by its value in a list. */
const OPTION = /(["'])(--?[\w-]+)\1,\s*(["'])((?:(?!\3)[^\\]|\\.)*)\3/g;
/** An option alone on its line, or a name whose value starts on the next line. */
const NAME_LINE = /^\s*(?:- )?["']?(?:--?([\w-]+)["']?,?\s*|([\w.-]+)["']?\s*[:=]\s*(?:(?:[|>][-+\d]*|"""|''')\s*)?)$/;

/** Hides values of secret names and texts that look like secrets. `above` is the previous line. */
export function withoutSecrets(line: string, above = ''): string {
  const [, option = '', key = option] = NAME_LINE.exec(above) ?? [];
  const value = isHiddenName(key) && !isOurs(above) ? line.replace(/^(\s*(?:- )?["']?)[^"',]+/, `$1${HIDDEN}`) : line;
  const named = value
    .replace(QUOTED, (whole, quote: string, name: string, between: string, text: string) =>
      isSecret(name, text.slice(1, -1)) ? `${quote}${name}${quote}${between}${text.charAt(0)}${HIDDEN}${text.charAt(0)}` : whole,
    )
    .replace(BARE, (whole, indent: string, name: string, between: string, text: string, rest: string) =>
      isSecret(name, text) ? `${indent}${name}${between}${HIDDEN}${rest}` : whole,
    )
    .replace(FLOW, (whole, before: string, name: string, between: string, text: string) =>
      isSecret(name, text) ? `${before}${name}${between}${HIDDEN}` : whole,
    )
    .replace(PASSWORD, `$1${HIDDEN}`)
    .replace(ASSIGNED, (whole, name: string, text: string) => (isSecret(name, text) ? `${name}=${HIDDEN}` : whole))
    .replace(OPTION, (whole, quote: string, name: string, other: string, text: string) =>
      isSecret(name, text) && !isOurs(name) ? `${quote}${name}${quote}, ${other}${HIDDEN}${other}` : whole,
    );
  return withoutShapes(named).replaceAll(REDACTED, HIDDEN);
}

/** A long path may look like a secret as a whole, so its parts are checked. */
const PATHS = /((?<=^|[\s"'=])(?:~|\.{1,2}|[A-Za-z]:)?[\\/][^\s"',]*)/;

function withoutShapes(line: string): string {
  const parts = line.split(PATHS);
  return parts.map((part, at) => (at % 2 === 0 ? redactShapes(part) : part.split('/').map(redactShapes).join('/'))).join('');
}

function isSecret(name: string, value: string): boolean {
  // Names of variables and plain settings are not secret.
  const isOpen = /^(?:\w+ )?\$\{[^}]*\}$|^FOOTBRIDGE_HEADER_\w+$|^(?:true|false|null|\d{1,4})?$/.test(value);
  return isHiddenName(name) && !isOpen;
}

function isHiddenName(name: string): boolean {
  return isSecretName(name) || name.startsWith('FOOTBRIDGE_HEADER_');
}

/** These options take names, not values. */
function isOurs(option: string): boolean {
  return /--(?:env|header-env)\b/.test(option);
}

/** The differing part of a long line, with some context. */
function clipped(text: string, other: string): string {
  if (text.length <= LONGEST) return text;
  let start = 0;
  while (start < text.length && text[start] === other[start]) start++;
  let end = 0;
  while (end < text.length - start && end < other.length - start && text.at(-1 - end) === other.at(-1 - end)) end++;
  const from = Math.max(0, start - AROUND);
  const to = Math.min(text.length, text.length - end + AROUND, from + MAX_SHOWN);
  return `${from > 0 ? HIDDEN : ''}${text.slice(from, to)}${to < text.length ? HIDDEN : ''}`;
}

function printable(text: string): string {
  return text.replace(/\t/g, '  ').replace(/[\p{Cc}\p{Cf}]/gu, '');
}

/** Shorter values are not secret, and could be part of any word. */
const SHORTEST = 6;

export async function valuesGiven({ after, before, places: [place] }: FileChange): Promise<readonly string[]> {
  const values = new Set<string>();
  for (const bytes of [before, after]) {
    const file = await entriesOf(place, decodeText(bytes ?? new Uint8Array()) ?? '');
    if (file.ok) for (const entry of file.entries) for (const value of valuesOf(entry)) values.add(value);
  }
  // Longest first, because a value may contain another.
  return [...values].sort((one, other) => other.length - one.length);
}

function valuesOf({ server }: HostEntry): readonly string[] {
  const given = server.kind === 'command' ? server.env : server.kind === 'url' ? server.headers : {};
  // Placeholders and common settings are not secret.
  return Object.values(given).filter((value) => value.length >= SHORTEST && !/\$\{|^[\d.]+$|^https?:\/\/[^@?]*$/.test(value));
}

interface DifferenceLine {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/** With more changes the whole text is shown as changed, since the smallest difference takes too long to find. */
const MAX_EDITS = 2000;

/** Changed lines with three lines of context. `line` is the number in the new text, from 1. */
export function difference(before: string, after: string): readonly { readonly line: number; readonly lines: readonly DifferenceLine[] }[] {
  const [old, next] = [normalized(before), normalized(after)];
  const patch = structuredPatch('', '', old, next, '', '', { context: 3, maxEditLength: MAX_EDITS });
  if (patch === undefined) return [{ line: 1, lines: [...linesOf(old, 'gone'), ...linesOf(next, 'new')] }];
  return patch.hunks.map(({ newStart, lines }) => ({
    line: newStart,
    lines: lines.map((line) => ({ kind: line[0] === '-' ? 'gone' : line[0] === '+' ? 'new' : 'same', text: line.slice(1) })),
  }));
}

/** Ignores the kind of line breaks. */
function normalized(text: string): string {
  return text === '' ? '' : text.replaceAll('\r\n', '\n').replace(/\n?$/, '\n');
}

function linesOf(text: string, kind: DifferenceLine['kind']): readonly DifferenceLine[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => ({ kind, text: line }));
}
