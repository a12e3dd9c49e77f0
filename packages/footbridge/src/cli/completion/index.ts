/** `footbridge completion` and the hidden command that its scripts call. */
import type { Command } from 'commander';
import { Catalog } from '../../catalog/catalog.js';
import { callName } from '../../catalog/snapshot.js';
import { skillUri } from '../../sources/skill-uri.js';
import { skillFolders } from '../../sources/skills/index.js';
import { SKILL_FILE, type Skill } from '../../sources/source.js';
import { shorten } from '../../surfaces/text.js';
import type { Shell } from '../commands/completion.js';
import { findConfig, namedFolders } from '../config/index.js';
import { trustedCacheFolder } from '../folders.js';
import type { Io } from '../io.js';
import { plain } from '../terminal.js';
import { type CompletionCandidate, type Line, lineOf } from './candidates.js';

const MAX = 2000;
const LONGEST_ABOUT = 80;
/** Word breaks of bash that have no other meaning to it. */
const BREAKING = ':=@';

/**
 * Prints what completes in addition to these lines, then one line per candidate. bash passes the line up to the cursor and its
 * word breaks; the others pass the words, the last one at the cursor. Failures complete nothing.
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
    // An error message would disturb the line being typed.
    io.stdout.write('none\n');
  }
  return 0;
}

function read(shell: Shell, typed: readonly string[]) {
  if (shell === 'bash') {
    const { before, current, quote } = typedIn(typed[0] ?? '');
    // Assignments may precede the command.
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
  const lines = fitting.slice(0, MAX).flatMap(({ value, about }) => {
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

function isPrintable(value: string): boolean {
  return !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value);
}

/** bash replaces the word after its last word break, such as the colon of a URI. */
function forBashLine(value: string, current: string, quote: string, breaks: string): string | undefined {
  if (quote !== '') return forBash(value, quote);
  const last = Math.max(...[...BREAKING].map((character) => (breaks.includes(character) ? current.lastIndexOf(character) : -1)));
  return forBash(value.slice(last + 1), quote);
}

/** `line` ends at the cursor. `quote` is the open quote of the current word. */
function typedIn(line: string) {
  const before: string[] = [];
  let current: string | undefined;
  let quote = '';
  for (let index = 0; index < line.length; index++) {
    const character = line[index] ?? '';
    if (character === '\\' && quote !== "'") current = (current ?? '') + (line[++index] ?? '');
    else if (character === quote) quote = '';
    else if (quote === '' && (character === "'" || character === '"')) {
      quote = character;
      current ??= '';
    } else if (quote === '' && /\s/.test(character)) {
      if (current !== undefined) before.push(current);
      current = undefined;
    } else current = (current ?? '') + character;
  }
  return { before, current: current ?? '', quote };
}

const PLAIN = /^[\p{L}\p{N}_./:@%+=,-]*$/u;

/** Escaped for bash; undefined if that is impossible inside the open quote. */
function forBash(word: string, quote: string): string | undefined {
  if (quote !== '') return PLAIN.test(word.replaceAll(' ', '')) ? word : undefined;
  return [...word].map((character) => (PLAIN.test(character) ? character : `\\${character}`)).join('');
}

function skillNames(given: Line['given'], io: Io): Promise<readonly CompletionCandidate[]> {
  return withFolders(given, io, async ({ snapshot }) =>
    snapshot.skills.map((skill) => ({ value: callName(snapshot, skill), about: skill.description })),
  );
}

/** If `current` is inside a skill, the URIs of its files. */
function skillUris(given: Line['given'], current: string, io: Io): Promise<readonly CompletionCandidate[]> {
  return withFolders(given, io, async ({ snapshot }) => {
    const inside = snapshot.skills.find((skill) => current.startsWith(skillUri(skill).slice(0, -SKILL_FILE.length)));
    if (inside !== undefined) return (await filesOf(inside, '')).map((path) => ({ value: skillUri(inside, path), about: '' }));
    return snapshot.skills.map((skill) => ({ value: skillUri(skill), about: skill.description }));
  });
}

async function filesOf(skill: Skill, folder: string): Promise<string[]> {
  const children = (await skill.list(folder)) ?? [];
  const paths = children.map(({ kind, path }) => (kind === 'file' ? [path] : filesOf(skill, path)));
  return (await Promise.all(paths)).flat();
}

async function withFolders<T>(given: Line['given'], io: Io, use: (catalog: Catalog) => Promise<T>): Promise<T> {
  const config = await findConfig(given.get('--config')?.at(-1), io);
  const skills = skillFolders({
    ...namedFolders(config, given.get('--skills') ?? []),
    standardFolders: config.standardFolders ?? true,
    serveSecrets: config.serveSecrets,
    watch: false,
    workingFolder: io.cwd,
    home: io.home,
    cacheFolder: trustedCacheFolder(io),
  });
  const catalog = await Catalog.open([skills], { remembered: true });
  try {
    return await use(catalog);
  } finally {
    catalog.close();
  }
}
