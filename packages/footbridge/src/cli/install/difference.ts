/** The difference between two texts, line by line. */
import { structuredPatch } from 'diff';

export interface DifferenceLine {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/** Changed lines with three unchanged ones around them. */
export interface Hunk {
  /** The number, from one, of its first line in the text after. */
  readonly line: number;
  readonly lines: readonly DifferenceLine[];
}

/** With more changed lines than this, the whole text counts as changed: finding the smallest difference would take too long. */
const MAX_EDITS = 2000;

export function difference(before: string, after: string): readonly Hunk[] {
  const [old, next] = [normalized(before), normalized(after)];
  const patch = structuredPatch('', '', old, next, '', '', { context: 3, maxEditLength: MAX_EDITS });
  if (patch === undefined) return [{ line: 1, lines: [...linesOf(old, 'gone'), ...linesOf(next, 'new')] }];
  return patch.hunks.map(({ newStart, lines }) => ({
    line: newStart,
    lines: lines.map((line) => ({ kind: line[0] === '-' ? 'gone' : line[0] === '+' ? 'new' : 'same', text: line.slice(1) })),
  }));
}

/** Line ends do not count. */
function normalized(text: string): string {
  return text === '' ? '' : text.replaceAll('\r\n', '\n').replace(/\n?$/, '\n');
}

function linesOf(text: string, kind: DifferenceLine['kind']): readonly DifferenceLine[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => ({ kind, text: line }));
}
