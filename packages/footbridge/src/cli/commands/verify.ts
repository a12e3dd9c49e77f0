/** `footbridge verify`: whether what is served is what was locked. */

import type { Io } from '../io.js';
import { type LockState, lockState } from '../lock/index.js';
import { contentOf, countsOf, printDrift, printProblems } from '../lock/report.js';
import type { CommonOptions } from '../options.js';
import { plain } from '../terminal.js';

/** Exit 1: something differs, 2: it could not be found out. */
export async function verify(options: CommonOptions, io: Io): Promise<number> {
  try {
    const state = await lockState(options, io);
    if (options.json === true) io.printJson(jsonOf(state));
    else printState(state, io);
    return state.state === 'good' ? 0 : state.state === 'drift' ? 1 : 2;
  } catch (error) {
    io.printError(`footbridge error: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
}

function jsonOf(state: LockState) {
  if (state.state !== 'good') return state;
  const { lock, ...rest } = state;
  return { ...rest, scope: lock.scope, skills: lock.skills.length, listings: lock.listings.length };
}

function printState(state: LockState, io: Io): void {
  if (state.state === 'none') io.printError(`${plain(state.file)} not found.\nCreate it with: footbridge lock`);
  if (state.state === 'unreadable') io.printError(`${plain(state.message)}\n${state.action}`);
  if (state.state === 'good') io.print(`Matches the lock: ${contentOf(state.lock)}`);
  if (state.state === 'drift') {
    printDrift(state.drift, io);
    io.print(`${countsOf(state.drift)} since ${plain(state.file)}. To accept all of it, run: footbridge lock`);
  }
  if ('problems' in state) printProblems(state.problems, io);
  if (state.state === 'unknown') io.printError('Everything that could be checked matches the lock.');
}
