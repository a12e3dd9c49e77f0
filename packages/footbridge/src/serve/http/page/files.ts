/** The files of one skill, for the page. */
import type { Catalog } from '../../../catalog/catalog.js';
import { findSkillFile } from '../../../catalog/target.js';
import { skillRoot } from '../../../sources/skill-uri.js';
import type { PageFile, PageFiles } from './shapes.js';

/** As many as a skill may have. */
const MOST = 512;

/** Every file of the skill that a URI lies in, folder by folder; undefined when there is no such skill. */
export async function skillFiles(catalog: Catalog, uri: string): Promise<PageFiles | undefined> {
  const found = findSkillFile(catalog.snapshot, uri);
  if (found === undefined) return undefined;
  const files: PageFile[] = [];
  const folders = [skillRoot(found.skill)];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const { path, uri, kind, size, mimeType } of (await catalog.list(folder)) ?? []) {
      if (files.length === MOST) return { files, more: true };
      if (kind === 'directory') folders.push(uri);
      files.push({ path, uri, kind, size, mimeType });
    }
  }
  return { files: files.sort((one, other) => (one.path < other.path ? -1 : 1)), more: false };
}
