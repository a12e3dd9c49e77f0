/** The options that every command has, and a quick look at those with which hosts start us. */
import { parseArgs } from 'node:util';
import { LOG_LEVELS, type LogLevel } from '../log.js';
import type { Surroundings } from './io.js';
import { ISOLATIONS, type WrappedServer, wrappedServer } from './wrapped-server.js';

export interface CommonOptions {
  readonly skills: readonly string[];
  /** Packs besides those configured, by their names. */
  readonly pack: readonly string[];
  /** The file of the configuration. Default: `footbridge.json` in the working folder, if it is there. */
  readonly config?: string;
  readonly logLevel: LogLevel;
  readonly json?: boolean;
  readonly prompts?: boolean;
  /** The one server that is meant: the standard folders and a file that nobody named are left out. */
  readonly wrapped?: WrappedServer;
}

/** What is logged unless `--log-level` says otherwise. */
export const DEFAULT_LOG_LEVEL: LogLevel = 'warn';

/**
 * The options of a command line that only asks to serve over stdio, as hosts have it: without a command, or to wrap a server.
 * Undefined for any other. Spares each start the loading of the full command line.
 */
export function servingOptions(argv: readonly string[], io: Pick<Surroundings, 'cwd' | 'env'>): CommonOptions | undefined {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  try {
    const { values, positionals } = parseArgs({
      args: argv.slice(0, end),
      allowPositionals: true,
      options: {
        skills: { type: 'string', multiple: true },
        pack: { type: 'string', multiple: true },
        config: { type: 'string' },
        prompts: { type: 'boolean' },
        'log-level': { type: 'string' },
        env: { type: 'string', multiple: true },
        header: { type: 'string', multiple: true },
        'header-env': { type: 'string', multiple: true },
        cwd: { type: 'string' },
        isolation: { type: 'string' },
      },
    });
    const { skills = [], pack = [], config, prompts = false, 'log-level': level = DEFAULT_LOG_LEVEL, isolation, ...own } = values;
    const { 'header-env': headerEnv, ...others } = own;
    const logLevel = LOG_LEVELS.find((each) => each === level);
    if (logLevel === undefined || skills.includes('') || pack.includes('') || config === '') return undefined;
    const common = { skills, pack, prompts, logLevel, config };
    const words = [...positionals, ...argv.slice(end + 1)];
    const [command, ...server] = words;
    const isAlone = isolation === undefined && Object.keys(own).length === 0;
    if (command === undefined) return isAlone ? common : undefined;
    const chosen = ISOLATIONS.find((each) => each === isolation);
    if (command !== 'wrap' || positionals.length === 0 || own.cwd === '' || chosen !== isolation) return undefined;
    const outcome = wrappedServer(server, { ...others, headerEnv, isolation: chosen }, io);
    return outcome.ok ? { ...common, wrapped: outcome.wrapped } : undefined;
  } catch {
    return undefined;
  }
}
