/** Prints what differs between two versions of a source. */
import type { Io } from '../io.js';
import { plain, plural } from '../terminal.js';
import { shownWord } from '../trust/describe.js';
import type { SkillChange } from './diff.js';
import type { DiffLine } from './diff-lines.js';
import type { PlaceOptions } from './place.js';

/** The command that shows the same changes, and all lines of them. */
export function fullCommand(words: readonly string[], { config, global }: PlaceOptions): string {
  const place = global === true ? ['--global'] : config === undefined ? [] : ['--config', config];
  return ['footbridge', ...words, ...place, '--full'].map(shownWord).join(' ');
}

/** The maximum for a terminal. Into a pipe or a file, all lines are printed. */
const MAX_LINES = 400;

/** `command` is named if lines are left out. */
export function printChanges(changes: readonly SkillChange[], { command, isFull }: { command: string; isFull: boolean }, io: Io): void {
  const { colors } = io;
  const paint = { added: colors.green, removed: colors.red, changed: colors.yellow };
  let left = isFull || io.stdout.isTTY !== true ? Number.POSITIVE_INFINITY : MAX_LINES;
  let cutFiles = 0;
  for (const { change, files, skill } of changes) {
    io.print(`  ${paint[change](change.padEnd(7))} ${colors.bold(plain(skill))}`);
    for (const { change: kind, lines, notes, path } of files) {
      io.print(`    ${kind.padEnd(7)} ${plain(path)}${notes.length === 0 ? '' : colors.dim(`  (${notes.join(', ')})`)}`);
      for (const line of lines.slice(0, Math.max(0, left))) io.print(`      ${painted(line, io)}`);
      if (lines.length > Math.max(0, left)) cutFiles++;
      left -= lines.length;
    }
  }
  if (cutFiles > 0)
    io.print(`  ${colors.yellow(`${plural(-left, 'more line')} of ${plural(cutFiles, 'file')} not shown.`)} To see all: ${command}`);
  if (changes.length === 0) io.print('  the files are the same');
}

function painted({ kind, text }: DiffLine, { colors }: Io): string {
  const line = `${kind} ${visible(text)}`;
  if (kind === '+') return colors.green(line);
  return kind === '-' ? colors.red(line) : colors.dim(line);
}

/** Characters that a terminal would hide are shown as escapes, since they may be meant to escape review. */
function visible(text: string): string {
  return text.replace(/(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
