/** Prints surfaces and their differences. */
import { type Fields, isFields } from '../../json.js';
import type { Io } from '../io.js';
import { plain, plural } from '../terminal.js';
import { type ChangedField, LIST_NAMES, LISTS, type ListName, type Named, type Surface, type SurfaceDifference } from './canonical.js';

const LONGEST_TEXT = 100;
const LONGEST_VALUE = 72;
/** Characters shown before the first difference. */
const LEAD = 20;

export function printSurface(surface: Surface, io: Io): void {
  for (const name of LIST_NAMES) {
    if (surface[name].length === 0) continue;
    io.print(io.colors.bold(plural(surface[name].length, LISTS[name].kind)));
    io.printEntries(
      surface[name].map(({ key, fields }) => {
        const title = fields['title'] === key ? undefined : textOf(fields['title']);
        const about = shortened(plain(title ?? textOf(fields['description']) ?? ''));
        const call = plain(parameters(name, fields));
        const paint = { name: (text: string) => io.colors.cyan(text.slice(0, text.length - call.length)) + call };
        return { mark: '  ', name: `${plain(key)}${call}`, about, paint };
      }),
    );
    io.print('');
  }
  io.print(counts(surface));
}

export function printDifference({ added, removed, changed }: SurfaceDifference, surface: Surface, io: Io): void {
  const { colors } = io;
  for (const thing of added) io.printItem(colors.green('+ '), colors.green(named(thing)));
  for (const thing of removed) io.printItem(colors.red('- '), colors.red(named(thing)));
  for (const { differences, ...thing } of changed) {
    io.printItem(colors.yellow('~ '), colors.yellow(named(thing)));
    for (const place of differences) io.printItem('    ', `${visible(place.path)}: ${bothValues(place, io)}`);
  }
  const total = added.length + removed.length + changed.length;
  if (total === 0) io.print(`No differences: ${counts(surface)}`);
  else io.print(`${added.length} added, ${removed.length} removed, ${changed.length} changed`);
}

/** Cuts a text between characters. */
export function shortened(text: string, longest = LONGEST_TEXT): string {
  const characters = [...text];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text;
}

function counts(surface: Surface): string {
  return LIST_NAMES.map((name) => plural(surface[name].length, LISTS[name].kind)).join(', ');
}

function named({ kind, key }: Named): string {
  return `${kind} ${plain(key)}`;
}

/** The arguments as in a call, optional ones with a question mark. */
function parameters(name: ListName, fields: Fields): string {
  if (name === 'tools') {
    const schema = isFields(fields['inputSchema']) ? fields['inputSchema'] : {};
    const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
    const properties = isFields(schema['properties']) ? Object.keys(schema['properties']) : [];
    return `(${properties.map((property) => (required.includes(property) ? property : `${property}?`)).join(', ')})`;
  }
  const declared: readonly unknown[] = Array.isArray(fields['arguments']) ? fields['arguments'] : [];
  if (name !== 'prompts' || declared.length === 0) return '';
  return `(${declared
    .filter(isFields)
    .map((argument) => `${textOf(argument['name']) ?? ''}${argument['required'] === true ? '' : '?'}`)
    .join(', ')})`;
}

export function bothValues(field: ChangedField, { colors }: Pick<Io, 'colors'>): string {
  const before = 'before' in field ? valueText(field.before) : undefined;
  const after = 'after' in field ? valueText(field.after) : undefined;
  const same = before === undefined || after === undefined ? 0 : commonStart(before, after);
  return `${excerpt(before, same) ?? colors.dim('(none)')} ${colors.dim('→')} ${excerpt(after, same) ?? colors.dim('(none)')}`;
}

function excerpt(text: string | undefined, same: number): string | undefined {
  if (text === undefined) return undefined;
  const characters = [...text];
  if (characters.length <= LONGEST_VALUE) return text;
  const start = Math.max(0, Math.min(same - LEAD, characters.length - LONGEST_VALUE));
  const end = start + LONGEST_VALUE;
  return `${start > 0 ? '…' : ''}${characters.slice(start, end).join('')}${end < characters.length ? '…' : ''}`;
}

function commonStart(one: string, other: string): number {
  const characters = [...other];
  const end = [...one].findIndex((character, index) => character !== characters[index]);
  return end === -1 ? characters.length : end;
}

function valueText(value: unknown): string {
  return visible(JSON.stringify(value));
}

/** Escapes control characters, which may be the difference. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
