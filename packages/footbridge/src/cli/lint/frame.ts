/** The lines around a problem. */
import { redactShapes } from '../../secrets/shapes.js';
import type { Io } from '../io.js';
import { cut, widthOf } from '../layout.js';
import type { Place } from './place.js';

const AROUND = 1;
const WIDEST = 100;

/** The line with a mark below the column, between its neighbours. What looks like a secret is not shown. */
export function codeFrame(
  lines: readonly string[],
  { column, line }: Place,
  { colors, columns }: Pick<Io, 'colors' | 'columns'>,
): readonly string[] {
  const [from, to] = [Math.max(1, line - AROUND), Math.min(lines.length, line + AROUND)];
  const gutter = String(to).length;
  const room = Math.max(20, Math.min(WIDEST, columns ?? WIDEST) - gutter - 7);
  const before = visible(lines[line - 1] ?? '').slice(0, column - 1);
  // A column far to the right moves the window, so that the marker is visible.
  const start = widthOf(before) >= room ? widthOf(before) - Math.floor(room / 2) : 0;
  const shown: string[] = [];
  for (let number = from; number <= to; number++) {
    const code = cut(withoutStart(visible(lines[number - 1] ?? ''), start), room);
    const isHere = number === line;
    shown.push(`${isHere ? colors.red('>') : ' '} ${colors.dim(`${String(number).padStart(gutter)} |`)} ${code}`.trimEnd());
    if (isHere) shown.push(`  ${' '.repeat(gutter)} ${colors.dim('|')} ${' '.repeat(widthOf(before) - start)}${colors.red('^')}`);
  }
  return shown;
}

/** Without the first cells. A wide character that is cut in half becomes a blank. */
function withoutStart(line: string, cells: number): string {
  if (cells === 0) return line;
  let [length, width] = [0, 0];
  for (const character of line) {
    if (width >= cells) break;
    length += character.length;
    width += widthOf(character);
  }
  return `${' '.repeat(Math.max(0, width - cells))}${line.slice(length)}`;
}

/** Control characters and zero-width characters take one cell. */
function visible(line: string): string {
  return redactShapes(line).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
}
