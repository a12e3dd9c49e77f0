// Starts to `tools/list`: the time, and the CPU time of Footbridge's own process, which a busy machine hardly changes.
import { MEASURES_PROCESSOR } from '../resident.mjs';
import { measureStart } from '../servers.mjs';
import { takeRounds } from './rounds.mjs';

const ROUNDS = { turns: 1, least: 20 };

/** Each kind of start has a `measure`, a `server` for a build, and a `check` of the tools. */
export function compareStarts(workspace, builds, starts) {
  const rows = {};
  for (const { measure } of starts) {
    rows[measure] = { measure, unit: 'ms' };
    if (MEASURES_PROCESSOR) rows[`${measure} CPU`] = { measure: `${measure}, CPU time`, unit: 'ms' };
  }
  const open = async (build) => ({
    async turn() {
      const sample = {};
      for (const { measure, server, check } of starts) {
        const { milliseconds, processor } = await measureStart(workspace, server(build), check);
        sample[measure] = milliseconds;
        if (MEASURES_PROCESSOR) sample[`${measure} CPU`] = processor;
      }
      return sample;
    },
    close() {},
  });
  return takeRounds(builds, rows, { open, ...ROUNDS });
}
