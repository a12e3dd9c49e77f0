/** What differs between two versions of a source: the text that a model gets, line by line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { structuredPatch } from 'diff';
import type { LockedSource } from '../../sources/fetched/locked-sources.js';
import type { Store } from '../../sources/fetched/store.js';
import type { StoredFile, TreeSkill } from '../../sources/fetched/tree.js';
import { decodeText } from '../../text.js';
import type { Io } from '../io.js';
import { plain, plural } from '../terminal.js';

export interface SkillChange {
  readonly skill: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly files: readonly FileDifference[];
}

export interface FileDifference {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Empty for binary files, and where the old or new content is not in the store. */
  readonly lines: readonly DiffLine[];
}

interface DiffLine {
  readonly kind: '+' | '-' | ' ' | '@';
  readonly text: string;
}

/** Without an earlier version, everything was added. */
export function changesBetween(before: LockedSource | undefined, after: LockedSource, store: Store): readonly SkillChange[] {
  const [old, next] = [before?.skills ?? [], after.skills];
  const read = (locked: LockedSource | undefined, { folder }: TreeSkill, path: string) =>
    locked === undefined ? undefined : contentAt(join(store.folderOf(locked.content), folder, path));
  const changes: SkillChange[] = [];
  for (const skill of next) {
    const previous = old.find(({ folder }) => folder === skill.folder);
    const files = filesBetween(previous?.files ?? [], skill.files, (path) => ({
      before: previous === undefined ? undefined : read(before, previous, path),
      after: read(after, skill, path),
    }));
    if (files.length > 0) changes.push({ skill: skill.name, change: previous === undefined ? 'added' : 'changed', files });
  }
  for (const skill of old)
    if (!next.some(({ folder }) => folder === skill.folder)) changes.push({ skill: skill.name, change: 'removed', files: [] });
  return changes;
}

interface Contents {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

function filesBetween(
  old: readonly StoredFile[],
  next: readonly StoredFile[],
  read: (path: string) => Contents,
): readonly FileDifference[] {
  const [oldDigests, nextDigests] = [old, next].map((files) => new Map(files.map((file) => [file.path, file.digest])));
  const paths = [...new Set([...old, ...next].map(({ path }) => path))].sort();
  return paths.flatMap((path) => {
    const [before, after] = [oldDigests?.get(path), nextDigests?.get(path)];
    if (before === after) return [];
    const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
    return [{ path, change, lines: linesOf(read(path)) }];
  });
}

function contentAt(file: string): string | undefined {
  try {
    return decodeText(readFileSync(file));
  } catch {
    return undefined;
  }
}

/** A longer text is not compared line by line. */
const LONGEST = 512 * 1024;

function linesOf({ after, before }: Contents): readonly DiffLine[] {
  const [old, next] = [before ?? '', after ?? ''];
  if ((before === undefined && after === undefined) || old.length + next.length > LONGEST || `${old}${next}`.includes('\0')) return [];
  const { hunks } = structuredPatch('', '', old, next, '', '', { context: 2, timeout: 500 }) ?? { hunks: [] };
  return hunks.flatMap(({ lines, newStart }) => [
    { kind: '@' as const, text: `line ${newStart}` },
    ...lines.flatMap((line): DiffLine[] => {
      const kind = line[0];
      return kind === '+' || kind === '-' || kind === ' ' ? [{ kind, text: line.slice(1) }] : [];
    }),
  ]);
}

const MOST_LINES = 400;

export function printChanges(changes: readonly SkillChange[], io: Io): void {
  const { colors } = io;
  const paint = { added: colors.green, removed: colors.red, changed: colors.yellow };
  let left = MOST_LINES;
  for (const { change, files, skill } of changes) {
    io.print(`  ${paint[change](change.padEnd(7))} ${colors.bold(plain(skill))}`);
    for (const { change: kind, lines, path } of files) {
      io.print(`    ${kind.padEnd(7)} ${plain(path)}${lines.length === 0 ? colors.dim('  (not text, or too long to compare)') : ''}`);
      // New text is shown whole: a model will get all of it.
      for (const line of lines.slice(0, Math.max(0, left))) io.print(`      ${painted(line, io)}`);
      left -= lines.length;
    }
  }
  if (left < 0) io.print(`  … ${plural(-left, 'more line')}; footbridge show NAME prints a whole skill`);
  if (changes.length === 0) io.print('  the files are the same');
}

function painted({ kind, text }: DiffLine, { colors }: Io): string {
  const line = `${kind} ${visible(text)}`;
  if (kind === '+') return colors.green(line);
  return kind === '-' ? colors.red(line) : colors.dim(line);
}

/** What a terminal would hide is shown as an escape: it may be meant to escape a review. */
function visible(text: string): string {
  return text.replace(/(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
