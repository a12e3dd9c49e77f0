/** Where what can be made again is kept. */
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The cache folder of this system; undefined when `FOOTBRIDGE_CACHE` is `off`. */
export function cacheFolder(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const chosen = environment['FOOTBRIDGE_CACHE'];
  if (chosen === 'off') return undefined;
  if (chosen !== undefined && chosen !== '') return chosen;
  if (platform === 'win32') return join(environment['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), 'footbridge', 'Cache');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'footbridge');
  const base = environment['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'footbridge');
}
