/** The options of every command, and a fast parser for the command lines that hosts use. */
import { parseArgs } from 'node:util';
import { LOG_LEVELS, type LogLevel } from '../log.js';
import type { Surroundings } from './io.js';
import { ISOLATIONS, TOOL_SEARCHES, type WrappedServer, wrappedServer } from './wrapped-server.js';

export interface CommonOptions {
  readonly skills: readonly string[];
  /** Packs in addition to the configured ones. */
  readonly pack: readonly string[];
  /** Default: `footbridge.json` in the working folder, if it exists. */
  readonly config?: string;
  readonly logLevel: LogLevel;
  readonly json?: boolean;
  readonly prompts?: boolean;
  /** The profile of every host that connects. */
  readonly hostProfile?: string;
  /** The server of `wrap`. Standard folders and a `footbridge.json` that was not named are then ignored. */
  readonly wrapped?: WrappedServer;
}

export const DEFAULT_LOG_LEVEL: LogLevel = 'warn';

/**
 * The options of a command line that serves over stdio: without a command, or `wrap`. Undefined for any other.
 * Avoids loading commander at each start.
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
        'host-profile': { type: 'string' },
        'log-level': { type: 'string' },
        env: { type: 'string', multiple: true },
        header: { type: 'string', multiple: true },
        'header-env': { type: 'string', multiple: true },
        cwd: { type: 'string' },
        isolation: { type: 'string' },
        'tool-search': { type: 'string' },
      },
    });
    const {
      skills = [],
      pack = [],
      config,
      prompts = false,
      'log-level': level = DEFAULT_LOG_LEVEL,
      isolation,
      'tool-search': toolSearch,
      'host-profile': hostProfile,
      ...own
    } = values;
    const { 'header-env': headerEnv, ...others } = own;
    const logLevel = LOG_LEVELS.find((each) => each === level);
    if (logLevel === undefined || skills.includes('') || pack.includes('') || config === '' || hostProfile === '') return undefined;
    const common = { skills, pack, prompts, logLevel, config, hostProfile };
    const words = [...positionals, ...argv.slice(end + 1)];
    const [command, ...server] = words;
    const isAlone = isolation === undefined && toolSearch === undefined && Object.keys(own).length === 0;
    if (command === undefined) return isAlone ? common : undefined;
    const chosen = ISOLATIONS.find((each) => each === isolation);
    const searching = TOOL_SEARCHES.find((each) => each === toolSearch);
    if (command !== 'wrap' || positionals.length === 0 || own.cwd === '') return undefined;
    if (chosen !== isolation || searching !== toolSearch) return undefined;
    const outcome = wrappedServer(server, { ...others, headerEnv, isolation: chosen, toolSearch: searching }, io);
    return outcome.ok ? { ...common, wrapped: outcome.wrapped } : undefined;
  } catch {
    return undefined;
  }
}
