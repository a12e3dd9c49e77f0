/** Starting the process of a server. */
import type { ChildProcess } from 'node:child_process';
import spawn from 'cross-spawn';
import type { CommandServer } from '../options.js';
import { environmentFor } from './environment.js';
import { OWN_GROUP } from './process-tree.js';

/** `inherit`: whether its stderr is ours. */
export function startChild({ command, args = [], env, cwd }: CommandServer, inherit: boolean): ChildProcess {
  return spawn(command, [...args], {
    stdio: ['pipe', 'pipe', inherit ? 'inherit' : 'pipe'],
    env: environmentFor(env),
    detached: OWN_GROUP,
    windowsHide: true,
    cwd,
  });
}
