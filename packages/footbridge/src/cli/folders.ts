/** The cache folder, and paths. */
import { realpathSync, type Stats, statSync } from 'node:fs';
import { join, posix, resolve, sep, win32 } from 'node:path';
import { isPrivateFolder } from '../private-folder.js';
import type { Surroundings } from './io.js';

export const LOCK_FILE = 'footbridge.lock';

/** Undefined if `FOOTBRIDGE_CACHE` is `off`, or if there is no absolute path: the working folder is untrusted. */
export function cacheFolder(
  { env, home }: Pick<Surroundings, 'env' | 'home'>,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const chosen = env['FOOTBRIDGE_CACHE'];
  if (chosen === 'off') return undefined;
  const folder = chosen === undefined || chosen === '' ? usualCacheFolder(env, home, platform) : chosen;
  return (platform === 'win32' ? win32 : posix).isAbsolute(folder) ? folder : undefined;
}

function usualCacheFolder(env: Surroundings['env'], home: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'footbridge', 'Cache');
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'footbridge');
  const base = env['XDG_CACHE_HOME'] ?? '';
  // The standard ignores a relative path.
  return join(posix.isAbsolute(base) ? base : join(home, '.cache'), 'footbridge');
}

/** The cache folder, unless another user could have changed it. */
export function trustedCacheFolder(io: Pick<Surroundings, 'env' | 'home'>): string | undefined {
  const folder = cacheFolder(io);
  return folder === undefined || isPrivateFolder(folder) === false ? undefined : folder;
}

/** The folder of the person's own configuration. */
export function personalFolder({ env, home }: Pick<Surroundings, 'env' | 'home'>): string {
  if (process.platform === 'win32') return join(env['APPDATA'] ?? join(home, 'AppData', 'Roaming'), 'footbridge');
  const base = env['XDG_CONFIG_HOME'] ?? '';
  // The standard ignores a relative path.
  return join(posix.isAbsolute(base) ? base : join(home, '.config'), 'footbridge');
}

/** Whether the person has sources of their own. */
export function hasPersonalLock(io: Pick<Surroundings, 'env' | 'home'>): boolean {
  return statOf(join(personalFolder(io), LOCK_FILE)) !== undefined;
}

/** With `~` for the home folder, for people. */
export function fromHome(path: string, { home }: Pick<Surroundings, 'home'>): string {
  if (path === home) return '~';
  return home !== sep && path.startsWith(`${home}${sep}`) ? `~${path.slice(home.length)}` : path;
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
