/** What stands in a folder of folders. */
import { type Dirent, opendirSync, readdirSync } from 'node:fs';
import { type Notice, SKILL_FILE } from '../source.js';
import { misspelled, unspeakable } from './notices.js';
import { SKIPPED_FOLDERS } from './rules.js';

/** What cannot stand in a name or a URI that leads here. */
const UNSPEAKABLE = /[\\\p{Cc}]/u;

const NO_LINKS: ReadonlySet<string> = new Set();

/** The names in a folder that may lead to skills, in order. */
export interface FolderNames {
  readonly names: readonly string[];
  readonly links: ReadonlySet<string>;
  readonly notices: readonly Notice[];
}

/** Bytes that a folder itself takes where it has some ten thousand entries, on most file systems: reading it at once takes long. */
const LARGE = 512 * 1024;
/** Entries of a large folder between two steps. */
const STRIDE = 512;

function* entriesIn(path: string, size: number): Generator<'next', readonly Dirent[]> {
  if (size < LARGE) return readdirSync(path, { withFileTypes: true });
  const entries: Dirent[] = [];
  const folder = opendirSync(path, { bufferSize: STRIDE });
  try {
    let read = 0;
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (++read % STRIDE === 0) yield 'next';
      // Of very many, nearly all are files, which lead to no skill.
      if (!entry.isFile() || isMisspelled(entry.name)) entries.push(entry);
    }
    return entries;
  } finally {
    folder.closeSync();
  }
}

function isMisspelled(name: string): boolean {
  return name.length === SKILL_FILE.length && name.toLowerCase() === SKILL_FILE.toLowerCase();
}

/** `size` is that of the folder itself. */
export function* readNames(path: string, size: number): Generator<'next', FolderNames> {
  const names: string[] = [];
  const links = new Set<string>();
  const notices: Notice[] = [];
  for (const entry of yield* entriesIn(path, size)) {
    if (SKIPPED_FOLDERS.has(entry.name)) continue;
    if (entry.isDirectory() || entry.isSymbolicLink()) {
      if (UNSPEAKABLE.test(entry.name)) {
        notices.push(unspeakable(`${path}/${entry.name}`));
        continue;
      }
      if (entry.isSymbolicLink()) links.add(entry.name);
      names.push(entry.name);
    } else if (isMisspelled(entry.name)) notices.push(misspelled(`${path}/${entry.name}`));
  }
  return { names: names.sort(), links: links.size === 0 ? NO_LINKS : links, notices };
}
