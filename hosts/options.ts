/** The options of `npm run hosts`. */
import { parseArgs } from 'node:util';
import type { Host } from './host.js';

const COUNTS = [10, 50, 200, 1000];
const MAX_SKILLS = 1000;

export interface Options {
  readonly hosts: readonly Host[];
  readonly counts: readonly number[];
  readonly isJson: boolean;
  /** Whether to record what two models get, instead of measuring. */
  readonly isRecording: boolean;
  /** Whether everything is measured, so that the page can be written. */
  readonly isWholeRun: boolean;
}

export function help(hosts: readonly Host[]): string {
  return `Usage: npm run hosts -- [options]

Installs real hosts, drives each with a scripted model, and checks what of Footbridge reaches the model.
A run without --only and --skills writes docs/hosts.md. The hosts take several gigabytes in FOOTBRIDGE_HOSTS
(default: footbridge/hosts in the user's cache folder).

Options:
  --only HOST,…   only these hosts: ${hosts.map(({ id }) => id).join(', ')}
  --skills N,…    only these numbers of skills; default: ${COUNTS.join(',')}
  --record        only write what the models of two hosts get into docs/what-a-model-sees.md, as a whole run does, too
  --json          print the results as JSON
  --help          show this help
`;
}

/** Reads the options; returns a message if they are invalid, and undefined for `--help`. */
export function readOptions(argv: readonly string[], hosts: readonly Host[]): Options | string | undefined {
  const values = parseOptions(argv);
  if (typeof values === 'string') return values;
  if (values.help) return undefined;
  const only = values.only?.split(',');
  const unknown = only?.filter((id) => !hosts.some((host) => host.id === id)) ?? [];
  if (unknown.length > 0) return `Unknown host '${unknown.join("', '")}'. Use one or more of: ${hosts.map(({ id }) => id).join(', ')}.`;
  const counts = values.skills?.split(',').map(Number) ?? COUNTS;
  if (!counts.every((count) => Number.isInteger(count) && count >= 1 && count <= MAX_SKILLS))
    return `Invalid --skills '${values.skills}'. Use numbers from 1 to ${MAX_SKILLS}, such as 10,50.`;
  return {
    hosts: only === undefined ? hosts : hosts.filter(({ id }) => only.includes(id)),
    counts,
    isJson: values.json,
    isRecording: values.record,
    isWholeRun: only === undefined && values.skills === undefined,
  };
}

function parseOptions(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        only: { type: 'string' },
        skills: { type: 'string' },
        json: { type: 'boolean', default: false },
        record: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return `${(error as Error).message} See --help.`;
  }
}
