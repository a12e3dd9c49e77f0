/** Where a pack keeps its files. */
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

/** The folder that was chosen, from where relative names begin; else the system's place for a program's state. `name` is the pack's. */
export function stateFolder(chosen: string | undefined, base: string, name: string, environment: NodeJS.ProcessEnv): string {
  if (chosen === undefined) return join(usualFolder(environment), 'footbridge', name);
  // No shell reads the configuration.
  return /^~(?:\/|$)/.test(chosen) ? join(homedir(), chosen.slice(1)) : resolve(base, chosen);
}

function usualFolder({ LOCALAPPDATA, XDG_STATE_HOME }: NodeJS.ProcessEnv): string {
  if (process.platform === 'win32') return LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  // One that is relative counts for nothing, as the standard has it.
  return XDG_STATE_HOME !== undefined && isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : join(homedir(), '.local', 'state');
}
