/** The location of state. Lightweight, since every start uses it. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/** The configured folder, relative to `base`; else the system's folder for application state. `name` is the pack's. */
export function stateFolder(
  chosen: string | undefined,
  base: string,
  name: string,
  environment: NodeJS.ProcessEnv,
  home = homedir(),
): string {
  if (chosen === undefined) return join(usualFolder(environment, home), 'footbridge', name);
  // The configuration is not expanded by a shell.
  return /^~(?:\/|$)/.test(chosen) ? join(home, chosen.slice(1)) : resolve(base, chosen);
}

function usualFolder({ LOCALAPPDATA, XDG_STATE_HOME }: NodeJS.ProcessEnv, home: string): string {
  if (process.platform === 'win32') return LOCALAPPDATA ?? join(home, 'AppData', 'Local');
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support');
  // The standard ignores a relative path.
  return XDG_STATE_HOME !== undefined && isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : join(home, '.local', 'state');
}
