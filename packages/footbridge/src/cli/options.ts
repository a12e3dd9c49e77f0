/** What the options that every command has open. */
import { dirname } from 'node:path';
import { Catalog } from '../catalog/catalog.js';
import { createLog, type Log } from '../log.js';
import { isLocalOnly } from '../serve/http/addresses.js';
import type { OpenedPacks } from '../serve/packs/opened.js';
import type { PackHost } from '../serve/packs/pack.js';
import { skillFolders } from '../sources/skills/index.js';
import type { Source } from '../sources/source.js';
import { cacheFolder } from './cache-folder.js';
import { type Config, findConfig, NOTHING } from './config/index.js';
import type { ConfigWatchOptions } from './config/watch.js';
import type { Io } from './io.js';
import { serversSource } from './servers.js';
import type { CommonOptions } from './serving-options.js';
import type { WrappedServer } from './wrapped-server.js';

export { type CommonOptions, DEFAULT_LOG_LEVEL } from './serving-options.js';

/** Where content comes from, and how it is to be served. */
export interface Sources {
  readonly sources: readonly Source[];
  /** How many servers are behind us. */
  readonly servers: number;
  /** The packs among them, where there are any. */
  readonly packs: OpenedPacks | undefined;
  /** Where warnings go. */
  readonly log: Log;
  readonly config: Config;
  /** Resolves when every server has said what it has, or could not be reached. */
  listed(): Promise<void>;
  /** Resolves when every server has said all that it has, with the reasons of those that could not, by their names. */
  complete(): Promise<ReadonlyMap<string, string>>;
  /** Closes the sources, and resolves when every server that was started is gone. */
  end(): Promise<void>;
}

export interface SourcesUse {
  /** Whether changes of folders and of the configuration are taken up. */
  readonly watch: boolean;
  readonly log?: Log;
  /** Whether one host is all that is served: servers are started in its name, and what they write to stderr it sees. */
  readonly oneHost?: boolean;
  /** Where it is served over HTTP, if it is. */
  readonly host?: string;
  /** Whether servers are among the sources. Default true. */
  readonly servers?: boolean;
  /** Told of what takes its time, for whoever waits at a terminal. */
  readonly progress?: SourcesProgress;
  /** Whether all is as it is found now: nothing is remembered from the last run, and nothing withheld that differs from the lock. */
  readonly asFound?: boolean;
}

/** What is told while sources are opened. */
export interface SourcesProgress {
  /** How many folders were read until now; nothing when that is over. */
  scanned(folders: number | undefined): void;
  /** Which servers have not listed what they have yet. */
  starting(waiting: readonly string[]): void;
}

/** The standard folders, those configured and those named, and the servers. Throws when the configuration is bad. */
export async function openSources(options: CommonOptions, use: SourcesUse, io: Io): Promise<Sources> {
  const log = use.log ?? createLog(options.logLevel, (line) => io.stderr.write(line));
  const { wrapped } = options;
  const config = wrapped !== undefined && options.config === undefined ? NOTHING : await findConfig(options.config, io);
  if (config.file !== undefined) log.info(`configured by ${config.file}`);
  const folder = use.asFound === true ? undefined : cacheFolder(io);
  const kept = folder === undefined ? {} : { cacheFolder: folder };
  const skills = skillFolders({
    folders: [...config.skills, ...options.skills],
    standardFolders: config.standardFolders ?? wrapped === undefined,
    workingFolder: io.cwd,
    home: io.home,
    watch: use.watch,
    log,
    ...(use.progress === undefined ? {} : { scanned: use.progress.scanned }),
    ...kept,
  });
  const isLocal = use.host === undefined || isLocalOnly({ ...config.http, host: use.host });
  const packs = await packsOf(options, config, { isLocal, log }, io);
  const locking = config.locked === true && use.asFound !== true ? await import('./lock/serving.js') : undefined;
  const shown = (all: Config['mcpServers']) => (locking === undefined ? all : locking.withoutSkillResources(all));
  const servers = use.servers === false ? {} : shown(withWrapped(wrapped, config.mcpServers));
  const watched = use.watch ? config.file : undefined;
  const count = Object.keys(servers).length;
  const upstream = count > 0 || watched !== undefined ? await serversSource({ servers, oneHost: use.oneHost, log, ...kept }) : undefined;
  const watch =
    upstream === undefined || watched === undefined
      ? undefined
      : await watchServers(watched, { config, log, io, changed: (next) => upstream.update(shown(withWrapped(wrapped, next))) });
  const found = [...(packs?.sources ?? []), skills, ...(upstream === undefined ? [] : [upstream])];
  const locked = await locking?.lockedSources(found, { config, log, watch: use.watch, cwd: io.cwd });
  const sources = locked?.sources ?? found;
  return {
    sources,
    servers: count,
    packs,
    log,
    config,
    async listed() {
      await upstream?.listed(use.progress?.starting);
      await locked?.checked();
    },
    async complete() {
      return (await upstream?.complete()) ?? new Map();
    },
    async end() {
      watch?.close();
      locked?.close();
      for (const source of sources) source.close?.();
      await Promise.all([upstream?.end(), packs?.end()]);
    },
  };
}

/** Those configured, then those named. What loads them is loaded with the first. */
async function packsOf(
  options: CommonOptions,
  { file, packs }: Config,
  host: Pick<PackHost, 'isLocal' | 'log'>,
  io: Io,
): Promise<OpenedPacks | undefined> {
  if (packs.length + options.pack.length === 0) return undefined;
  const { loadPacks } = await import('./packs.js');
  const folder = file === undefined ? '.' : dirname(file);
  return loadPacks([...packs.map((pack) => ({ ...pack, folder })), ...options.pack.map((name) => ({ name, folder: '.' }))], host, io);
}

async function watchServers(file: string, options: ConfigWatchOptions) {
  const { ConfigWatch } = await import('./config/watch.js');
  return new ConfigWatch(file, options);
}

/** The wrapped server before those configured, under a name that none of them has. */
function withWrapped(wrapped: WrappedServer | undefined, servers: Config['mcpServers']): Config['mcpServers'] {
  if (wrapped === undefined) return servers;
  const { name, server } = wrapped;
  const names = [name, ...Object.keys(servers).map((_each, index) => `${name}-${index + 2}`)];
  return { [names.find((each) => !Object.hasOwn(servers, each)) ?? name]: server, ...servers };
}

/** A catalog for a command that has one answer to give. */
export interface OpenedCatalog {
  readonly catalog: Catalog;
  readonly log: Log;
  readonly config: Config;
  /** Closes it, and resolves when every server that was started is gone. */
  end(): Promise<void>;
}

/** The catalog of all sources. What takes long is told at a terminal. */
export async function openCatalog(options: CommonOptions, use: SourcesUse, io: Io): Promise<OpenedCatalog> {
  const { openingSources, withProgress } = await import('./progress.js');
  return withProgress('opening…', (tell) => openListed(options, { ...use, progress: openingSources(tell) }, io), io);
}

async function openListed(options: CommonOptions, use: SourcesUse, io: Io): Promise<OpenedCatalog> {
  const { config, end, listed, log, sources } = await openSources(options, use, io);
  try {
    const catalog = await Catalog.open(sources, { log });
    await listed();
    return { catalog, log, config, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Runs `use` with a catalog that is closed afterwards. */
export async function withCatalog<T>(options: CommonOptions, io: Io, use: (catalog: Catalog) => Promise<T>): Promise<T> {
  const { catalog, end } = await openCatalog(options, { watch: false }, io);
  try {
    return await use(catalog);
  } finally {
    await end();
  }
}
