/** Options that every command has, and what they open. */

import { parseArgs } from 'node:util';
import { Catalog } from '../catalog/catalog.js';
import { createLog, LOG_LEVELS, type Log, type LogLevel } from '../log.js';
import { skillFolders } from '../sources/skills/index.js';
import type { Source } from '../sources/source.js';
import { cacheFolder } from './cache-folder.js';

export interface CommonOptions {
  readonly skills: readonly string[];
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
      options: { skills: { type: 'string', multiple: true }, prompts: { type: 'boolean' }, 'log-level': { type: 'string' } },
    });
    const logLevel = LOG_LEVELS.find((level) => level === (values['log-level'] ?? DEFAULT_LOG_LEVEL));
    if (values.skills?.includes('') === true) return undefined;
    return logLevel === undefined ? undefined : { skills: values.skills ?? [], prompts: values.prompts === true, logLevel };
  } catch {
    return undefined;
  }
}

/** The catalog of the standard folders and those named, with the log that its warnings go to. */
export async function openCatalog(options: CommonOptions, use: { watch: boolean; log?: Log }): Promise<{ catalog: Catalog; log: Log }> {
  const log = use.log ?? createLog(options.logLevel);
  // A server answers its first question from what it remembers; a command has only one answer to give.
  return { catalog: await Catalog.open(sourcesOf(options, { ...use, log }), { remembered: use.watch }), log };
}

/** Where content comes from by these options. */
export function sourcesOf(options: CommonOptions, { watch, log }: { watch: boolean; log: Log }): readonly Source[] {
  const folder = cacheFolder();
  return [skillFolders({ folders: options.skills, watch, log, ...(folder === undefined ? {} : { cacheFolder: folder }) })];
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
