/** `footbridge completion`: the script for a shell, and the answers that it asks for. */
import type { Command } from 'commander';
import { shorten } from '../../surfaces/catalogue.js';
import { type CompletionCandidate, type Line, lineOf } from '../completion/candidates.js';
import { SCRIPTS } from '../completion/scripts.js';
import { skillNames, skillUris } from '../completion/served.js';
import { forBash, typedIn } from '../completion/words.js';
import type { Io } from '../io.js';
import type { Shell } from '../program/completion.js';
import { plain } from '../terminal.js';

/** As many as somebody would look through. */
const MOST = 2000;
const LONGEST_ABOUT = 80;
/** What breaks words in bash, and means nothing else to it. */
const BREAKING = ':=@';

/** Prints the script for a shell. */
export function completion(shell: Shell, io: Io): number {
  io.stdout.write(SCRIPTS[shell]);
  return 0;
}

/**
 * Answers a shell: what completes besides these lines, then a line for each. bash hands over the line up to the cursor and what
 * breaks its words; the others the words, the one at the cursor last. What goes wrong leaves nothing to complete.
 */
export async function complete(program: Command, shell: Shell, typed: readonly string[], io: Io): Promise<number> {
  try {
    const { words, current, quote } = read(shell, typed);
    const line = lineOf(program, words, current);
    const lines = await answer(
      line,
      current,
      (value) => (shell === 'bash' ? forBashLine(value, current, quote, typed[1] ?? '') : value),
      shell !== 'bash',
      io,
    );
    io.stdout.write(lines.map((each) => `${each}\n`).join(''));
  } catch {
    // Somebody is in the middle of a line, and wants no complaint there.
    io.stdout.write('none\n');
  }
  return 0;
}

function read(shell: Shell, typed: readonly string[]): { words: readonly string[]; current: string; quote: string } {
  if (shell === 'bash') {
    const { before, current, quote } = typedIn(typed[0] ?? '');
    // Variables may stand before the command.
    return { words: before.slice(before.findIndex((word) => /(?:^|[/\\])footbridge$/.test(word)) + 1), current, quote };
  }
  const last = typed.at(-1) ?? '';
  return { words: typed.slice(1, -1), current: shell === 'fish' ? typedIn(last).current : last, quote: '' };
}

async function answer(
  line: Line,
  current: string,
  shown: (value: string) => string | undefined,
  describes: boolean,
  io: Io,
): Promise<string[]> {
  const { candidates, given, isLiteral, prefix } = line;
  if (candidates.kind === 'files' || candidates.kind === 'folders') return [candidates.kind];
  const wanted = current.slice(prefix.length);
  const all =
    candidates.kind === 'words'
      ? candidates.words
      : (await dynamic(candidates.kind, given, wanted, io)).filter(({ value }) => isLiteral || !value.startsWith('-'));
  const fitting = all.filter(({ value }) => isPrintable(value) && value.toLowerCase().startsWith(wanted.toLowerCase()));
  const lines = fitting.slice(0, MOST).flatMap(({ value, about }) => {
    const word = shown(`${prefix}${value}`);
    return word === undefined ? [] : [describes && about !== '' ? `${word}\t${shorten(plain(about), LONGEST_ABOUT)}` : word];
  });
  return ['none', ...lines];
}

async function dynamic(
  kind: 'skills' | 'uris' | 'hosts',
  given: Line['given'],
  wanted: string,
  io: Io,
): Promise<readonly CompletionCandidate[]> {
  if (kind === 'skills') return skillNames(given, io);
  if (kind === 'uris') return skillUris(given, wanted, io);
  const { allHosts } = await import('../hosts/index.js');
  return (await allHosts()).map(({ id, title }) => ({ value: id, about: title }));
}

/** What would be another line, another column or nothing that can be typed is left out. */
function isPrintable(value: string): boolean {
  return !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value);
}

/** bash replaces the word from the last character on that breaks words, such as the colon of a URI. */
function forBashLine(value: string, current: string, quote: string, breaks: string): string | undefined {
  if (quote !== '') return forBash(value, quote);
  const last = Math.max(...[...BREAKING].map((character) => (breaks.includes(character) ? current.lastIndexOf(character) : -1)));
  return forBash(value.slice(last + 1), quote);
}
