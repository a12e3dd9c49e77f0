/** Starts the process of a server, with an environment that holds no secrets of ours. */
import type { ChildProcess } from 'node:child_process';
import spawn from 'cross-spawn';
import type { CommandServer } from '../options.js';
import { OWN_GROUP } from './process-tree.js';

const SAFE =
  process.platform === 'win32'
    ? 'APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA NUMBER_OF_PROCESSORS PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR'
    : 'HOME LANG LC_ALL LC_CTYPE LOGNAME PATH SHELL TERM TMPDIR TZ USER XDG_RUNTIME_DIR';

/** The safe variables, and those of the settings. */
function environmentFor(given: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = SAFE.split(' ').flatMap((name) => {
    const value = process.env[name];
    // A function that a shell exported.
    return value === undefined || value.startsWith('()') ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(inherited), ...given };
}

/** `inherit`: whether it shares our stderr. */
export function startChild({ command, args = [], env, cwd }: CommandServer, inherit: boolean): ChildProcess {
  return spawn(command, [...args], {
    stdio: ['pipe', 'pipe', inherit ? 'inherit' : 'pipe'],
    env: environmentFor(env),
    detached: OWN_GROUP,
    windowsHide: true,
    cwd,
  });
}
