/** Changes as they are shown to people: without secrets, and with nothing that could steer a terminal. */
import { REDACTED } from '../../secrets/marker.js';
import { tellsSecret } from '../../secrets/names.js';
import { redactShapes } from '../../secrets/shapes.js';
import { decodeText } from '../../text.js';
import { shortName } from '../hosts/index.js';
import type { Io } from '../io.js';
import { plain } from '../terminal.js';
import type { FileChange } from './change.js';
import { type DifferenceLine, difference } from './difference.js';

const HIDDEN = '…';
const LONGEST = 200;
/** Of a long line so much is shown on each side of what differs, and so much in all. */
const AROUND = 40;
const MOST_SHOWN = 4000;

/** The title of a change, and the lines that differ, without the values that are `given` to servers. */
export function showChange(change: FileChange, given: readonly string[], io: Io): string {
  const { colors } = io;
  const [{ file, scope }] = change.places;
  const titles = change.places.map(({ host }) => host.title).join(', ');
  const head = `${colors.bold(titles)} (${scope}): ${shortName(file)}${change.action === 'create' ? ', a new file' : ''}${change.action === 'remove' ? ', which is removed' : ''}`;
  const isShown = change.action === 'create' || change.action === 'change' || change.action === 'remove';
  return [
    head,
    ...change.reasons.map((reason) => `  ${colors.red('Not done:')} ${plain(reason)}`),
    ...change.notes.map((note) => `  ${note}`),
    ...(isShown ? differenceLines(change, given, io) : []),
  ].join('\n');
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

// Each name is looked at from its beginning only: from every letter on, a long word would take for ever.
/** In JSON, TOML and YAML alike: a name, then : or =, then a value in quotes. */
const QUOTED = /(?<![\w.-])(["']?)([\w.-]+)\1(\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'[^']*')/g;
/** A value of YAML without quotes. */
const BARE = /^(\s*(?:- )?)([\w.-]+)(:\s+)([^\s"'{[&*|>#](?:[^#]*[^#\s])?)(\s*(?:#.*)?)$/;
/** The same in a map on one line. */
const FLOW = /([{,]\s*)([\w.-]+)(:\s+)([^\s"'{}[\],]+)/g;
/** The password in a URL. */
const PASSWORD = /((?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\/[^\s"'/@:]*:)(?!\$\{)[^\s"']{1,500}(?=@)/gi;
/** `NAME=value` and `--name=value` within a text. */
const ASSIGNED = /(?<![\w.-])(-{0,2}[\w.-]+)=([^\s"'=,]+)/g;
/** An option whose value is the next word of a list. */
const OPTION = /(["'])(--?[\w-]+)\1,\s*(["'])((?:(?!\3)[^\\]|\\.)*)\3/g;
/** Such an option alone on a line, or a name whose value begins on the next one. */
const NAME_LINE = /^\s*(?:- )?["']?(?:--?([\w-]+)["']?,?|([\w.-]+)["']?\s*[:=]\s*(?:[|>][-+\d]*|"""|''')?)\s*$/;

/** A line without the values of names that tell a secret, and without what looks like one. `above` is the line before it. */
export function withoutSecrets(line: string, above = ''): string {
  const [, option = '', key = option] = NAME_LINE.exec(above) ?? [];
  const value = isSecretName(key) && !isOurs(above) ? line.replace(/^(\s*(?:- )?["']?)[^"',]+/, `$1${HIDDEN}`) : line;
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

/** A long path looks like a secret as a whole, but not folder by folder. */
const PATHS = /((?<=^|[\s"'=])(?:~|\.{1,2}|[A-Za-z]:)?[\\/][^\s"',]*)/;

function withoutShapes(line: string): string {
  const parts = line.split(PATHS);
  return parts.map((part, at) => (at % 2 === 0 ? redactShapes(part) : part.split('/').map(redactShapes).join('/'))).join('');
}

function isSecret(name: string, value: string): boolean {
  // What only names a variable, and plain settings, are worth seeing.
  const isOpen = /^(?:\w+ )?\$\{[^}]*\}$|^FOOTBRIDGE_HEADER_\w+$|^(?:true|false|null|\d{1,4})?$/.test(value);
  return isSecretName(name) && !isOpen;
}

function isSecretName(name: string): boolean {
  return tellsSecret(name) || name.startsWith('FOOTBRIDGE_HEADER_');
}

/** After these comes a name, and no value. */
function isOurs(option: string): boolean {
  return /--(?:env|header-env)\b/.test(option);
}

/** Of a long line all that differs, and a little around it. */
function clipped(text: string, other: string): string {
  if (text.length <= LONGEST) return text;
  let start = 0;
  while (start < text.length && text[start] === other[start]) start++;
  let end = 0;
  while (end < text.length - start && end < other.length - start && text.at(-1 - end) === other.at(-1 - end)) end++;
  const from = Math.max(0, start - AROUND);
  const to = Math.min(text.length, text.length - end + AROUND, from + MOST_SHOWN);
  return `${from > 0 ? HIDDEN : ''}${text.slice(from, to)}${to < text.length ? HIDDEN : ''}`;
}

function printable(text: string): string {
  return text.replace(/\t/g, '  ').replace(/[\p{Cc}\p{Cf}]/gu, '');
}
