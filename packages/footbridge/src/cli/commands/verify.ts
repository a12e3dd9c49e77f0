/** `footbridge verify`: whether what is served is what was locked. */
import { type LockState, lockState } from '../lock/index.js';
import { complainOf, contentOf, countsOf, printDrift } from '../lock/report.js';
import type { CommonOptions } from '../options.js';
import { plain, print, printJson } from '../terminal.js';

/** Exit 1: something differs, 2: it could not be found out. */
export async function verify(options: CommonOptions): Promise<number> {
  try {
    const state = await lockState(options);
    if (options.json === true) printJson(jsonOf(state));
    else printState(state);
    return state.state === 'good' ? 0 : state.state === 'drift' ? 1 : 2;
  } catch (error) {
    process.stderr.write(`footbridge error: ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

function jsonOf(state: LockState) {
  if (state.state !== 'good') return state;
  const { lock, ...rest } = state;
  return { ...rest, scope: lock.scope, skills: lock.skills.length, listings: lock.listings.length };
}

function printState(state: LockState): void {
  if (state.state === 'none') process.stderr.write(`There is no ${plain(state.file)}.\nWrite it first: footbridge lock\n`);
  if (state.state === 'unreadable') process.stderr.write(`${plain(state.message)}\n${state.action}\n`);
  if (state.state === 'good') print(`As locked: ${contentOf(state.lock)}`);
  if (state.state === 'drift') {
    printDrift(state.drift);
    print(`${countsOf(state.drift)} since ${plain(state.file)}. If all of it is wanted: footbridge lock`);
  }
  if ('problems' in state) complainOf(state.problems);
  if (state.state === 'unknown') process.stderr.write('What could be looked at is as it was locked; the rest is not known.\n');
}
