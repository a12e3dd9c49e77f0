/** The lines that differ between two texts: every one of them, however long the texts are. */
import { structuredPatch } from 'diff';

export interface DiffLine {
  readonly kind: '+' | '-' | ' ' | '@';
  readonly text: string;
}

/**
 * The length up to which lines are compared. Longer texts, and texts that take longer to compare, differ from their first change to their
 * last.
 */
const LONGEST = 512 * 1024;
const MAX_MS = 500;
const CONTEXT = 2;

export function linesBetween(before: string, after: string): readonly DiffLine[] {
  const patch =
    before.length + after.length > LONGEST
      ? undefined
      : structuredPatch('', '', before, after, '', '', { context: CONTEXT, timeout: MAX_MS });
  if (patch === undefined) return roughLines(before, after);
  return patch.hunks.flatMap(({ lines, newStart }) => [
    { kind: '@' as const, text: `line ${newStart}` },
    ...lines.flatMap((line): DiffLine[] => {
      const kind = line[0];
      return kind === '+' || kind === '-' || kind === ' ' ? [{ kind, text: line.slice(1) }] : [];
    }),
  ]);
}

/** Omits only the lines that both begin and end with. */
function roughLines(before: string, after: string): readonly DiffLine[] {
  const [old, next] = [before.split('\n'), after.split('\n')];
  const shorter = Math.min(old.length, next.length);
  let [start, end] = [0, 0];
  while (start < shorter && old[start] === next[start]) start++;
  while (end < shorter - start && old[old.length - 1 - end] === next[next.length - 1 - end]) end++;
  const lines = (kind: '-' | '+', all: readonly string[]) => all.slice(start, all.length - end).map((text): DiffLine => ({ kind, text }));
  return [{ kind: '@', text: `line ${start + 1}` }, ...lines('-', old), ...lines('+', next)];
}
