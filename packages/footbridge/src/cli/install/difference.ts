/** The difference between two texts, line by line, as people read it. */

export interface DifferenceLine {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/** Lines that changed with a few around them. */
export interface Hunk {
  /** The number, from one, of its first line in the text after. */
  readonly line: number;
  readonly lines: readonly DifferenceLine[];
}

const CONTEXT = 3;
/** So many pairs of lines are compared; beyond, all between the first and the last change is shown as changed. */
const MOST_COMPARED = 4_000_000;

/** The lines that differ, in groups with a few around them. */
export function difference(before: string, after: string): readonly Hunk[] {
  const old = linesOf(before);
  const next = linesOf(after);
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start++;
  let end = 0;
  while (end < old.length - start && end < next.length - start && old.at(-1 - end) === next.at(-1 - end)) end++;
  const changed = compared(old.slice(start, old.length - end), next.slice(start, next.length - end));
  const same = (text: string): DifferenceLine => ({ kind: 'same', text });
  const from = Math.max(0, start - CONTEXT);
  const behind = old.slice(old.length - end, old.length - end + CONTEXT).map(same);
  return parted(from + 1, [...old.slice(from, start).map(same), ...changed, ...behind]);
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function compared(old: readonly string[], next: readonly string[]): readonly DifferenceLine[] {
  const gone = (text: string): DifferenceLine => ({ kind: 'gone', text });
  const added = (text: string): DifferenceLine => ({ kind: 'new', text });
  if (old.length * next.length > MOST_COMPARED) return [...old.map(gone), ...next.map(added)];
  // The longest run of common lines from each pair of places on.
  const width = next.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = next.length - 1; column >= 0; column--)
      common[row * width + column] =
        old[row] === next[column]
          ? (common[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(common[(row + 1) * width + column] ?? 0, common[row * width + column + 1] ?? 0);
  const lines: DifferenceLine[] = [];
  let row = 0;
  let column = 0;
  while (row < old.length || column < next.length) {
    const isSame = row < old.length && column < next.length && old[row] === next[column];
    const isGone =
      row < old.length && (column >= next.length || (common[(row + 1) * width + column] ?? 0) >= (common[row * width + column + 1] ?? 0));
    if (isSame) lines.push({ kind: 'same', text: old[row] ?? '' });
    else lines.push(isGone ? gone(old[row] ?? '') : added(next[column] ?? ''));
    if (isSame || isGone) row++;
    if (isSame || !isGone) column++;
  }
  return lines;
}

/** Without what is far from any change. */
function parted(first: number, lines: readonly DifferenceLine[]): readonly Hunk[] {
  const hunks: { line: number; lines: DifferenceLine[] }[] = [];
  let number = first;
  let far = Number.POSITIVE_INFINITY;
  for (const [at, line] of lines.entries()) {
    far = line.kind === 'same' ? far + 1 : 0;
    const isNear = far <= CONTEXT || lines.slice(at, at + CONTEXT + 1).some(({ kind }) => kind !== 'same');
    const current = hunks.at(-1);
    if (isNear && current !== undefined && lines[at - 1] === current.lines.at(-1)) current.lines.push(line);
    else if (isNear) hunks.push({ line: number, lines: [line] });
    if (line.kind !== 'gone') number++;
  }
  return hunks;
}
