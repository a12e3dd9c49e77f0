/** The options of `npm run fuzz`. */
import { parseArgs } from 'node:util';
import { ENTRIES, type Entry } from './case.js';

const SECONDS = 60;

export interface Options {
  readonly seconds: number;
  readonly seed: number;
  readonly entries: readonly Entry[];
  /** A file with a case, or a folder of them. */
  readonly replay: string | undefined;
}

export const HELP = `Usage: npm run fuzz -- [SECONDS] [options]

Sends generated input to every entry point of Footbridge for so long (default: ${SECONDS} seconds), and checks that no input blocks
the event loop, ends the process, takes more than 256 MiB of memory, leaves a request without its one answer, or reveals a secret,
a path or a stack trace. The same seed generates the same input. A finding is shrunk and saved as a file. Exit code 3 on a finding.

Options:
  --seed N          the seed; default: a new one, which is printed
  --only ENTRY,…    only these entry points: ${ENTRIES.join(', ')}
  --replay FILE     run a saved finding, or those of a folder such as packages/footbridge/tests/corpus, and nothing else
  --help            show this help
`;

/** Reads the options; returns a message if they are invalid, and undefined for `--help`. */
export function readOptions(argv: readonly string[]): Options | string | undefined {
  const parsed = parse(argv);
  if (typeof parsed === 'string') return parsed;
  const { positionals, values } = parsed;
  if (values.help) return undefined;
  const [given = String(SECONDS), ...others] = positionals;
  const seconds = Number(given);
  if (!(seconds > 0) || others.length > 0) return `Invalid number of seconds '${positionals.join(' ')}'. See --help.`;
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
  if (!Number.isInteger(seed)) return `Invalid --seed '${values.seed}'. Use an integer.`;
  const entries = values.only?.split(',') ?? [...ENTRIES];
  const unknown = entries.filter((entry) => !ENTRIES.some((known) => known === entry));
  if (unknown.length > 0) return `Unknown entry point '${unknown.join("', '")}'. Use one or more of: ${ENTRIES.join(', ')}.`;
  return { seconds, seed, entries: ENTRIES.filter((entry) => entries.includes(entry)), replay: values.replay };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        seed: { type: 'string' },
        only: { type: 'string' },
        replay: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return `${(error as Error).message} See --help.`;
  }
}
