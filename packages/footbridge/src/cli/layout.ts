/** Fits text to the width of a terminal. Without a width, as into a pipe, nothing is wrapped or cut. */
import measure from 'fast-string-truncated-width';
import { wrapAnsi } from 'fast-wrap-ansi';

/** Columns of a terminal; undefined where lines may have any length. */
export type Columns = number | undefined;

/** Wraps each line between words. Further lines are indented like the first. */
export function fitted(text: string, columns: Columns): string {
  if (columns === undefined) return text;
  return text
    .split('\n')
    .map((line) => {
      const indent = /^ */.exec(line)?.[0] ?? '';
      return hanging(indent, line.slice(indent.length), columns);
    })
    .join('\n');
}

/** `first`, then the text; further lines begin below the text. */
export function hanging(first: string, text: string, columns: Columns): string {
  const indent = widthOf(first);
  if (columns === undefined || indent + widthOf(text) <= columns) return `${first}${text}`;
  const room = Math.max(MAX_SQUEEZED, columns - indent);
  const lines = wrapAnsi(text, room)
    .split('\n')
    .flatMap((line) => (WITHOUT_SPACES.test(line) && widthOf(line) > room ? wrapAnsi(line, room, { hard: true }).split('\n') : [line]));
  return lines.map((line, at) => `${at === 0 ? first : ' '.repeat(indent)}${line}`).join('\n');
}

/** A command to copy: a line that continues ends with a mark. Quoted arguments stay together. */
export function commandText(indent: string, command: string, columns: Columns): string {
  if (columns === undefined || widthOf(indent + command) <= columns) return `${indent}${command}`;
  const lines: string[] = [indent];
  for (const word of wordsOf(command)) {
    const line = lines.at(-1) ?? '';
    const next = line.trim() === '' ? `${line}${word}` : `${line} ${word}`;
    // Two columns are left for the mark.
    if (line.trim() === '' || widthOf(next) <= columns - 2) lines[lines.length - 1] = next;
    else lines.push(`${indent}    ${word}`);
  }
  return lines.join(' \\\n');
}

function wordsOf(command: string): readonly string[] {
  const words: string[] = [];
  for (const part of command.split(' ')) {
    const last = words.at(-1);
    if (last !== undefined && isOpen(last)) words[words.length - 1] = `${last} ${part}`;
    else words.push(part);
  }
  return words;
}

/** Whether a quotation has not ended. */
function isOpen(word: string): boolean {
  let quote = '';
  for (const character of word) {
    if (quote === '' ? character === '"' || character === "'" : character === quote) quote = quote === '' ? character : '';
  }
  return quote !== '';
}

/** Scripts that are written without spaces, and may be wrapped between any two characters. */
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Text gets this many columns even in a terminal that is too narrow for it. */
const MAX_SQUEEZED = 20;

/** Cells that a terminal needs for the text. Escape sequences need none, many Chinese characters and emoji two. */
export function widthOf(text: string): number {
  return measure(text).width;
}

/** Cuts a text that is too wide, between characters. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  const characters = [...text.slice(0, columns)];
  while (characters.length > 0 && widthOf(characters.join('')) >= columns) characters.pop();
  return `${characters.join('').trimEnd()}…`;
}

/** A name and its description. */
export interface ShownEntry {
  /** Before the name, such as a number. */
  readonly mark: string;
  readonly name: string;
  readonly about: string;
  readonly paint?: { readonly name?: (text: string) => string; readonly about?: (text: string) => string };
}

/** Each on one line if all of them fit, otherwise with the description below the name. `aligned` puts descriptions in one column. */
export function entryLines(entries: readonly ShownEntry[], columns: Columns, aligned = false): string[] {
  const widest = aligned ? Math.max(0, ...entries.map(({ name }) => widthOf(name))) : 0;
  const oneLine = ({ about, mark, name }: ShownEntry) =>
    `${mark}${about === '' ? name : `${name}${' '.repeat(Math.max(0, widest - widthOf(name)))}  ${about}`}`;
  const fits = columns === undefined || entries.every((entry) => widthOf(oneLine(entry)) <= columns);
  return entries.map((entry) => {
    const { about, mark, name, paint: { about: paintAbout = same, name: paintName = same } = {} } = entry;
    const painted = { mark, name: paintName(name), about: paintAbout(about) };
    if (fits) return oneLine(painted);
    const below = ' '.repeat(widthOf(mark) + GAP.length);
    return [hanging(mark, painted.name, columns), ...(about === '' ? [] : [hanging(below, painted.about, columns)])].join('\n');
  });
}

export interface TableColumn {
  readonly title?: string;
  readonly align?: 'right';
  /** Takes the width that the other columns leave. */
  readonly shrinks?: boolean;
  readonly paint?: (text: string) => string;
}

const GAP = '  ';
/** A narrower cell is useless; then it is omitted. */
const NARROWEST = 16;
/** Of a column that does not shrink, in a terminal of any width. */
const WIDEST_SHARE = 0.5;

/** Rows of cells below each other. Cells that do not fit are cut; of a column that shrinks to nothing, all are left out. */
export function table(given: readonly TableColumn[], rows: readonly (readonly string[])[], columns: Columns, indent = ''): string[] {
  const titles = given.some(({ title }) => title !== undefined) ? [given.map(({ title = '' }) => title)] : [];
  const all = [...titles, ...rows];
  const natural = given.map((_, at) => Math.max(0, ...all.map((row) => widthOf(row[at] ?? ''))));
  const widths = columns === undefined ? natural : shrunk(given, natural, columns - indent.length);
  return all.map((row, index) => {
    const cells = given.flatMap(({ align, paint = same }, at) => {
      const width = widths[at] ?? 0;
      if (width === 0) return [];
      const text = cut(row[at] ?? '', width);
      const gap = ' '.repeat(Math.max(0, width - widthOf(text)));
      const painted = index < titles.length ? text : paint(text);
      return align === 'right' ? [`${gap}${painted}`] : [`${painted}${gap}`];
    });
    return `${indent}${cells.join(GAP)}`.trimEnd();
  });
}

function shrunk(given: readonly TableColumn[], natural: readonly number[], room: number): readonly number[] {
  const total = (widths: readonly number[]) => widths.reduce((sum, width) => sum + (width === 0 ? 0 : width + GAP.length), -GAP.length);
  if (total(natural) <= room) return natural;
  const fixed = natural.map((width, at) => (given[at]?.shrinks === true ? 0 : Math.min(width, Math.floor(room * WIDEST_SHARE))));
  const shrinking = given.flatMap(({ shrinks }, at) => (shrinks === true ? [at] : []));
  const left = room - total(fixed) - GAP.length * shrinking.length;
  const each = Math.floor(left / Math.max(1, shrinking.length));
  return fixed.map((width, at) => (given[at]?.shrinks !== true ? width : each < NARROWEST ? 0 : Math.min(natural[at] ?? 0, each)));
}

function same(text: string): string {
  return text;
}
