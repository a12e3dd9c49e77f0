/** Making folders where there are none. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../errors.js';

/** Makes a folder and those above it; gives those that were made, the innermost first. Not by Node's own way, which never returns below /proc. */
export function makeFolders(folder: string): readonly string[] {
  try {
    mkdirSync(folder);
    return [folder];
  } catch (cause) {
    const code = systemCode(cause);
    if (code === 'EEXIST') return [];
    if (code !== 'ENOENT' || dirname(folder) === folder) throw cause;
    const above = makeFolders(dirname(folder));
    mkdirSync(folder);
    return [folder, ...above];
  }
}
