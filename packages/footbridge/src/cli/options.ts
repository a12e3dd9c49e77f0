/** What the options that every command has open. */
import { dirname } from 'node:path';
import { Catalog } from '../catalog/catalog.js';
import { createLog, type Log } from '../log.js';
import { servesThisMachineAlone } from '../serve/http/addresses.js';
import type { OpenedPacks } from '../serve/packs/opened.js';
import type { PackHost } from '../serve/packs/pack.js';
import { skillFolders } from '../sources/skills/index.js';
import type { Source } from '../sources/source.js';
import type { UpstreamSource } from '../sources/upstream/index.js';
import { cacheFolder } from './cache-folder.js';
import { type Config, findConfig, NOTHING } from './config/index.js';
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
}

/** The standard folders, those configured and those named, and the servers. Throws when the configuration is bad. */
export async function openSources(options: CommonOptions, use: SourcesUse): Promise<Sources> {
  const log = use.log ?? createLog(options.logLevel);
  const { wrapped } = options;
  const config = wrapped !== undefined && options.config === undefined ? NOTHING : await findConfig(options.config);
  if (config.file !== undefined) log.info(`configured by ${config.file}`);
  const folder = cacheFolder();
  const kept = folder === undefined ? {} : { cacheFolder: folder };
  const skills = skillFolders({
    folders: [...config.skills, ...options.skills],
    standardFolders: config.standardFolders ?? wrapped === undefined,
    watch: use.watch,
    log,
    ...kept,
  });
  const isLocal = use.host === undefined || servesThisMachineAlone({ ...config.http, host: use.host });
  const packs = await packsOf(options, config, { isLocal, log });
  const servers = use.servers === false ? {} : withWrapped(wrapped, config.mcpServers);
  const watched = use.watch ? config.file : undefined;
  const count = Object.keys(servers).length;
  const upstream = count > 0 || watched !== undefined ? await serversSource({ servers, oneHost: use.oneHost, log, ...kept }) : undefined;
  const watch =
    upstream === undefined || watched === undefined ? undefined : await watchServers(watched, { config, log, upstream, wrapped });
  const sources = [...(packs?.sources ?? []), skills, ...(upstream === undefined ? [] : [upstream])];
  return {
    sources,
    servers: count,
    packs,
    log,
    config,
    async listed() {
      await upstream?.listed();
    },
    async end() {
      watch?.close();
      for (const source of sources) source.close();
      await Promise.all([upstream?.end(), packs?.end()]);
    },
  };
}

/** Those configured, then those named. What loads them is loaded with the first. */
async function packsOf(
  options: CommonOptions,
  { file, packs }: Config,
  host: Pick<PackHost, 'isLocal' | 'log'>,
): Promise<OpenedPacks | undefined> {
  if (packs.length + options.pack.length === 0) return undefined;
  const { loadPacks } = await import('./packs.js');
  const folder = file === undefined ? '.' : dirname(file);
  return loadPacks([...packs.map((pack) => ({ ...pack, folder })), ...options.pack.map((name) => ({ name, folder: '.' }))], host);
}

async function watchServers(
  file: string,
  { config, log, upstream, wrapped }: { config: Config; log: Log; upstream: UpstreamSource; wrapped: WrappedServer | undefined },
) {
  const { ConfigWatch } = await import('./config/watch.js');
  return new ConfigWatch(file, { config, log, changed: (servers) => upstream.update(withWrapped(wrapped, servers)) });
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

/** The catalog of all sources. */
export async function openCatalog(options: CommonOptions, use: SourcesUse): Promise<OpenedCatalog> {
  const { config, end, listed, log, sources } = await openSources(options, use);
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
export async function withCatalog<T>(options: CommonOptions, use: (catalog: Catalog) => Promise<T>): Promise<T> {
  const { catalog, end } = await openCatalog(options, { watch: false });
  try {
    return await use(catalog);
  } finally {
    await end();
  }
}
