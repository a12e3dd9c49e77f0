/** The lines around a problem. */
import { redactShapes } from '../../secrets/shapes.js';
import type { Io } from '../io.js';
import { cut } from '../layout.js';
import type { Place } from './place.js';

const AROUND = 1;
const WIDEST = 100;

/** The line with a mark below the column, between its neighbours. What looks like a secret is not shown. */
export function codeFrame(text: string, { column, line }: Place, { colors, columns }: Pick<Io, 'colors' | 'columns'>): readonly string[] {
  const lines = text.split('\n');
  const [from, to] = [Math.max(1, line - AROUND), Math.min(lines.length, line + AROUND)];
  const gutter = String(to).length;
  const room = Math.max(20, Math.min(WIDEST, columns ?? WIDEST) - gutter - 7);
  // A column far to the right moves the window, so that the mark is in it.
  const start = column > room ? column - Math.floor(room / 2) : 0;
  const shown: string[] = [];
  for (let number = from; number <= to; number++) {
    const code = cut(visible(lines[number - 1] ?? '').slice(start), room);
    const isHere = number === line;
    shown.push(`${isHere ? colors.red('>') : ' '} ${colors.dim(`${String(number).padStart(gutter)} |`)} ${code}`.trimEnd());
    if (isHere) shown.push(`  ${' '.repeat(gutter)} ${colors.dim('|')} ${' '.repeat(Math.max(0, column - 1 - start))}${colors.red('^')}`);
  }
  return shown;
}

/** One cell for each character, so that the mark points at the right one. */
function visible(line: string): string {
  return redactShapes(line).replace(/[\p{Cc}\p{Cf}]/gu, ' ');
}
