/** Problems with their places in files, in the order of the files. */
import { readKept } from '../../kept-file.js';
import type { Notice } from '../../sources/source.js';
import { decodeText } from '../../text.js';
import type { Io } from '../io.js';
import { shortPath } from '../skill-problems.js';
import { type Place, placeIn } from './place.js';

/** A problem with its file as people name it, and its place in the text, if it is in one. */
export interface PlacedProblem extends Notice {
  readonly place: Place | undefined;
  readonly lines: readonly string[] | undefined;
}

/** Sorted by file, line and column. */
export function placedProblems(problems: readonly Notice[], io: Io): readonly PlacedProblem[] {
  const read = new Map<string, readonly string[] | undefined>();
  const linesIn = (file: string) => {
    if (!read.has(file)) read.set(file, linesOf(file));
    return read.get(file);
  };
  return problems.map((problem) => placed(problem, linesIn, io)).sort(byPlace);
}

/** The file with line and column, as compilers print them. */
export function placeText({ file, place }: Pick<PlacedProblem, 'file' | 'place'>): string {
  return `${file}${place === undefined ? '' : `:${place.line}:${place.column}`}`;
}

function placed(problem: Notice, linesIn: (file: string) => readonly string[] | undefined, io: Io): PlacedProblem {
  const hasPlace = /SKILL\.md$/i.test(problem.file) || problem.line !== undefined;
  const lines = hasPlace ? linesIn(io.path(problem.file)) : undefined;
  return { ...problem, file: shortPath(problem.file, io), lines, place: lines === undefined ? undefined : placeIn(lines, problem) };
}

/** A larger file is not read for its lines. */
const MAX_BYTES = 1024 * 1024;

function linesOf(file: string): readonly string[] | undefined {
  try {
    const bytes = readKept(file, MAX_BYTES);
    return decodeText(bytes)?.split('\n');
  } catch {
    // It is unreadable, gone or no file, which is the problem or no longer one.
    return undefined;
  }
}

const START: Place = { line: 0, column: 0 };

function byPlace(one: PlacedProblem, other: PlacedProblem): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  const [here, there] = [one.place ?? START, other.place ?? START];
  return here.line - there.line || here.column - there.column;
}
