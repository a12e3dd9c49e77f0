/** Where in a file a problem is, for problems that are known only by their field. */
import type { Notice } from '../../sources/source.js';

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The field that a rule is about. */
const FIELDS: Readonly<Record<string, string>> = {
  'name-missing': 'name',
  'name-format': 'name',
  'name-folder': 'name',
  'name-separator': 'name',
  'description-missing': 'description',
  'description-length': 'description',
  'description-when': 'description',
  'compatibility-length': 'compatibility',
  'metadata-type': 'metadata',
};

/** Every problem in a text has a place: its own, that of its field, or the first line. */
export function placeIn(lines: readonly string[], { column, line, rule }: Pick<Notice, 'column' | 'line' | 'rule'>): Place {
  if (line !== undefined) return { line, column: column ?? firstColumn(lines[line - 1]) };
  const field = FIELDS[rule];
  const end = lines.findIndex((each, index) => index > 0 && /^---\s*$/.test(each));
  const within = lines.slice(0, end === -1 ? 0 : end);
  const at = rule === 'yaml-colon' ? within.findIndex(hasStrayColon) : within.findIndex((each) => each.startsWith(`${field}:`));
  if (at > -1)
    return { line: at + 1, column: (/^[\w-]+:\s*/.exec(lines[at] ?? '')?.[0].trimEnd().length ?? 0) + valueGap(lines[at] ?? '') };
  // The length concerns the whole body.
  const first =
    ['body-length', 'host-limit'].includes(rule) && end > -1 ? lines.findIndex((each, index) => index > end && each.trim() !== '') : 0;
  return { line: Math.max(0, first) + 1, column: 1 };
}

/** Columns from the colon of a field to its value. */
function valueGap(line: string): number {
  const [, spaces = '', value = ''] = /^[\w-]+:(\s*)(.?)/.exec(line) ?? [];
  return value === '' ? 0 : spaces.length + 1;
}

export function hasStrayColon(line: string): boolean {
  return /^[A-Za-z][\w-]*:[ \t]+[^\s"'|>[{&*!#][^\r\n]*:(?:[ \t]|$)/.test(line);
}

function firstColumn(line = ''): number {
  return line.length - line.trimStart().length + 1;
}
