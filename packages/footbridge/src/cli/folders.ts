/** The cache folder, and creating folders. */
import { mkdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { systemCode } from '../errors.js';
import type { Surroundings } from './io.js';

/** Undefined if `FOOTBRIDGE_CACHE` is `off`. */
export function cacheFolder(
  { env, home }: Pick<Surroundings, 'env' | 'home'>,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const chosen = env['FOOTBRIDGE_CACHE'];
  if (chosen === 'off') return undefined;
  if (chosen !== undefined && chosen !== '') return chosen;
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'footbridge', 'Cache');
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'footbridge');
  const base = env['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(home, '.cache') : base, 'footbridge');
}

/** Creates a folder and its parents; returns the created ones, innermost first. Node's recursive mkdir never returns below /proc. */
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

/** Undefined for a file that does not exist or cannot be reached. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Without links, where the folder exists. */
export function withoutLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
