/** Where what can be made again is kept. */
import { join } from 'node:path';
import type { Surroundings } from './io.js';

/** The cache folder of this system; undefined when `FOOTBRIDGE_CACHE` is `off`. */
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
