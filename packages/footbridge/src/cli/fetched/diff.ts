/** What differs between two versions of a source: the text that a model gets, line by line. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LockedSource } from '../../sources/fetched/locked-sources.js';
import type { Store } from '../../sources/fetched/store.js';
import type { StoredFile, TreeSkill } from '../../sources/fetched/tree.js';
import { decodeText } from '../../text.js';
import { type DiffLine, linesBetween } from './diff-lines.js';

export interface SkillChange {
  readonly skill: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly files: readonly FileDifference[];
}

export interface FileDifference {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** What the lines do not show, such as that it is not text. */
  readonly notes: readonly string[];
  /** Complete for every text; empty for other files. */
  readonly lines: readonly DiffLine[];
}

/** Without an earlier version, everything was added. */
export function changesBetween(before: LockedSource | undefined, after: LockedSource, store: Store): readonly SkillChange[] {
  const [old, next] = [before?.skills ?? [], after.skills];
  const read = (locked: LockedSource | undefined, { files, folder }: TreeSkill, path: string) =>
    locked === undefined || !files.some((file) => file.path === path)
      ? undefined
      : contentAt(join(store.folderOf(locked.content), folder, path));
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

/** Of a file in one of the versions; undefined if the version does not have it. */
type Content = { readonly text: string } | { readonly problem: string } | undefined;

interface Contents {
  readonly before: Content;
  readonly after: Content;
}

function filesBetween(
  old: readonly StoredFile[],
  next: readonly StoredFile[],
  read: (path: string) => Contents,
): readonly FileDifference[] {
  const [oldFiles, nextFiles] = [filesByPath(old), filesByPath(next)];
  const paths = [...new Set([...old, ...next].map(({ path }) => path))].sort();
  return paths.flatMap((path) => {
    const [before, after] = [oldFiles.get(path), nextFiles.get(path)];
    const [wasExecutable, isExecutable] = [before?.executable === true, after?.executable === true];
    if (before?.digest === after?.digest && wasExecutable === isExecutable) return [];
    const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
    const modes = wasExecutable === isExecutable || after === undefined ? [] : [isExecutable ? 'executable' : 'no longer executable'];
    if (before?.digest === after?.digest) return [{ path, change, notes: modes, lines: [] }];
    const contents = read(path);
    const problems = [contents.before, contents.after].flatMap((each) => (each !== undefined && 'problem' in each ? [each.problem] : []));
    return [
      { path, change, notes: [...new Set([...problems, ...modes])], lines: linesBetween(textOf(contents.before), textOf(contents.after)) },
    ];
  });
}

function filesByPath(files: readonly StoredFile[]): ReadonlyMap<string, StoredFile> {
  return new Map(files.map((file) => [file.path, file]));
}

function contentAt(file: string): Content {
  try {
    const text = decodeText(readFileSync(file));
    return text === undefined ? { problem: 'not text' } : { text };
  } catch {
    return { problem: 'one version of it is not in the store' };
  }
}

function textOf(content: Content): string {
  return content !== undefined && 'text' in content ? content.text : '';
}
