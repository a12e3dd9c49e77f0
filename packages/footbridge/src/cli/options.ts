/** Options that every command has, and what they open. */

import { parseArgs } from 'node:util';
import { Catalog } from '../catalog/catalog.js';
import { createLog, LOG_LEVELS, type Log, type LogLevel } from '../log.js';
import { skillFolders } from '../sources/skills/index.js';
import type { Source } from '../sources/source.js';
import { cacheFolder } from './cache-folder.js';
import { type Config, findConfig } from './config/index.js';

export interface CommonOptions {
  readonly skills: readonly string[];
  /** The file of the configuration. Default: `footbridge.json` in the working folder, if it is there. */
  readonly config?: string;
  readonly logLevel: LogLevel;
  readonly json?: boolean;
  readonly prompts?: boolean;
}

/** What is logged unless `--log-level` says otherwise. */
export const DEFAULT_LOG_LEVEL: LogLevel = 'warn';

/**
 * The options of a command line that only asks to serve over stdio, as hosts have it; undefined for any other.
 * Spares each start the loading of the full command line.
 */
export function servingOptions(argv: readonly string[]): CommonOptions | undefined {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        skills: { type: 'string', multiple: true },
        config: { type: 'string' },
        prompts: { type: 'boolean' },
        'log-level': { type: 'string' },
      },
    });
    const logLevel = LOG_LEVELS.find((level) => level === (values['log-level'] ?? DEFAULT_LOG_LEVEL));
    const { skills = [], config, prompts = false } = values;
    if (logLevel === undefined || skills.includes('') || config === '') return undefined;
    return { skills, prompts, logLevel, ...(config === undefined ? {} : { config }) };
  } catch {
    return undefined;
  }
}

/** Where content comes from, and how it is to be served. */
export interface Sources {
  readonly sources: readonly Source[];
  /** Where warnings go. */
  readonly log: Log;
  readonly config: Config;
}

/** The standard folders, those configured and those named. Throws when the configuration is bad. */
export async function openSources(options: CommonOptions, use: { watch: boolean; log?: Log }): Promise<Sources> {
  const log = use.log ?? createLog(options.logLevel);
  const config = await findConfig(options.config);
  if (config.file !== undefined) log.info(`configured by ${config.file}`);
  const folder = cacheFolder();
  const skills = skillFolders({
    folders: [...config.skills, ...options.skills],
    standardFolders: config.standardFolders,
    watch: use.watch,
    log,
    ...(folder === undefined ? {} : { cacheFolder: folder }),
  });
  return { sources: [skills], log, config };
}

/** The catalog of all sources, for a command that has one answer to give. */
export async function openCatalog(
  options: CommonOptions,
  use: { watch: boolean; log?: Log },
): Promise<{ readonly catalog: Catalog; readonly log: Log; readonly config: Config }> {
  const { config, log, sources } = await openSources(options, use);
  return { catalog: await Catalog.open(sources, { log }), log, config };
}

/** Runs `use` with a catalog that is closed afterwards. */
export async function withCatalog<T>(options: CommonOptions, use: (catalog: Catalog) => Promise<T>): Promise<T> {
  const { catalog } = await openCatalog(options, { watch: false });
  try {
    return await use(catalog);
  } finally {
    catalog.close();
  }
}
