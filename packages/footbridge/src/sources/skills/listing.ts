/** What stands in a folder of folders. */
import { readdirSync } from 'node:fs';
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

export function readNames(path: string): FolderNames {
  const names: string[] = [];
  const links = new Set<string>();
  const notices: Notice[] = [];
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (SKIPPED_FOLDERS.has(entry.name)) continue;
    if (entry.isDirectory() || entry.isSymbolicLink()) {
      if (UNSPEAKABLE.test(entry.name)) {
        notices.push(unspeakable(`${path}/${entry.name}`));
        continue;
      }
      if (entry.isSymbolicLink()) links.add(entry.name);
      names.push(entry.name);
    } else if (entry.name.toLowerCase() === SKILL_FILE.toLowerCase()) notices.push(misspelled(`${path}/${entry.name}`));
  }
  return { names: names.sort(), links: links.size === 0 ? NO_LINKS : links, notices };
}
