/** Opens the sources and the catalog for a command. */
import { dirname, sep } from 'node:path';
import { Catalog } from '../catalog/catalog.js';
import { SearchCache } from '../catalog/search/cache.js';
import { createLog, type Log } from '../log.js';
import { isLocalOnly } from '../serve/http/addresses.js';
import type { CallerServers } from '../serve/http/sign-in/index.js';
import type { OpenedPacks } from '../serve/packs/opened.js';
import type { PackHost } from '../serve/packs/pack.js';
import { skillFolders } from '../sources/skills/index.js';
import type { Source } from '../sources/source.js';
import { withoutCopies } from '../sources/transforms/without-copies.js';
import type { UpstreamsOptions } from '../sources/upstream/index.js';
import type { RemoteServer } from '../sources/upstream/options.js';
import type { OpenedCallerServers } from './caller-servers.js';
import { collectAll, collectSoon } from './collector.js';
import { type Config, findConfig, NOTHING, namedFolders, type Untrusted } from './config/index.js';
import { hasPersonalLock, trustedCacheFolder } from './folders.js';
import type { Io } from './io.js';
import { serversSource } from './servers-source.js';
import type { CommonOptions } from './serving-options.js';
import { syncRecords } from './sync/records-folder.js';
import type { WrappedServer } from './wrapped-server.js';

export type { CommonOptions } from './serving-options.js';

export interface Sources {
  readonly sources: readonly Source[];
  /** Number of upstream servers. */
  readonly servers: number;
  readonly packs: OpenedPacks | undefined;
  /** Servers that each caller signs in to; only over HTTP. */
  readonly callerServers: CallerServers | undefined;
  readonly log: Log;
  readonly config: Config;
  /** For catalogs of these sources. */
  readonly searchCache: SearchCache;
  /** Resolves when every server has listed its content or failed. */
  listed(): Promise<void>;
  /** Resolves when every server has listed everything, with the failures by server name. */
  complete(): Promise<ReadonlyMap<string, string>>;
  /** Resolves when every started server has exited. */
  end(): Promise<void>;
}

interface SourcesUse {
  /** Whether to apply changes of folders and of the configuration. */
  readonly watch: boolean;
  readonly log?: Log;
  /** Whether there is a single host: servers receive its client info, and their stderr is passed on. */
  readonly oneHost?: boolean;
  /** The listening host of HTTP. */
  readonly host?: string;
  /** Default true. */
  readonly servers?: boolean;
  readonly progress?: SourcesProgress;
  /** Ignores caches and the lock. */
  readonly asFound?: boolean;
  /** Ignores caches: asks every server. */
  readonly fresh?: boolean;
  /** What replicas share of the lists of servers. */
  readonly sharedLists?: UpstreamsOptions['sharedLists'];
}

export interface SourcesProgress {
  /** Number of folders so far; undefined at the end. */
  scanned(folders: number | undefined): void;
  /** Servers that have not listed their content yet. */
  starting(waiting: readonly string[]): void;
}

/** Defaults for configured servers; one that is wrapped starts at once. */
const IDLE_SECONDS = 600;
const MAX_RUNNING = 64;

/** At a terminal, paths are shown as people name them. */
function withShortPaths(line: string, { cwd, home, stderr }: Io): string {
  return stderr.isTTY === true ? line.replaceAll(`${cwd}${sep}`, '').replaceAll(`${home}${sep}`, `~${sep}`) : line;
}

/** Standard, configured and named folders, packs and servers. Throws if the configuration is invalid. */
export async function openSources(options: CommonOptions, use: SourcesUse, io: Io): Promise<Sources> {
  const log = use.log ?? createLog(options.logLevel, (line) => io.printError(withShortPaths(line.trimEnd(), io)));
  const { wrapped } = options;
  const config = wrapped !== undefined && options.config === undefined ? NOTHING : await findConfig(options.config, io);
  if (config.file !== undefined) log.info(`configured by ${config.file}`);
  if (config.untrusted !== undefined) await warnOfHeld(config.untrusted, use, log, io);
  const folder = use.asFound === true || use.fresh === true ? undefined : trustedCacheFolder(io);
  const skills = skillFolders({
    ...namedFolders(config, options.skills),
    standardFolders: config.standardFolders ?? wrapped === undefined,
    serveSecrets: config.serveSecrets,
    workingFolder: io.cwd,
    home: io.home,
    watch: use.watch,
    log,
    scanned: use.progress?.scanned,
    counting: collectSoon,
    counted: collectAll,
    cacheFolder: folder,
  });
  const stored = await storedOf(config, use, folder, log, io);
  const isLocal = use.host === undefined || isLocalOnly({ ...config.http, host: use.host });
  const packs = await packsOf(options, config, { isLocal, log }, io);
  const locking = config.locked === true && use.asFound !== true ? await import('./lock/serving.js') : undefined;
  const shown = (all: Config['mcpServers']) => (locking === undefined ? all : locking.withoutSkillResources(all));
  // There may be a thousand of them, so they are copied only if necessary.
  const all = ({ mcpServers, untrusted }: Pick<Config, 'mcpServers' | 'untrusted'>) => {
    const configured = withWrapped(wrapped, mcpServers);
    return shown(untrusted === undefined ? configured : { ...configured, ...heldPacks(untrusted) });
  };
  const configured = use.servers === false ? {} : all(config);
  const own = await ownOfCallers(configured, use, config, log, io);
  const forAll = (next: Config['mcpServers']) => (own === undefined ? next : partOf(next, false));
  const servers = forAll(configured);
  const watched = use.watch ? config.file : undefined;
  const isEmpty = Object.keys(servers).length === 0;
  const upstream =
    !isEmpty || watched !== undefined
      ? await serversSource({
          servers,
          oneHost: use.oneHost,
          log,
          cacheFolder: folder,
          idle: config.idle ?? IDLE_SECONDS,
          running: config.running ?? MAX_RUNNING,
          sharedLists: use.sharedLists,
          // Over HTTP there is no one user whose logins could be used, unless the operator shares theirs.
          logins: {
            ...(await import('./login/folder.js')).loginSettings(io, wrapped),
            ...(use.host === undefined ? {} : { appliesTo: isShared, offered: false }),
          },
        })
      : undefined;
  const watch =
    upstream === undefined || watched === undefined
      ? undefined
      : new (await import('./config/watch.js')).ConfigWatch(watched, {
          config,
          log,
          io,
          changed(next) {
            upstream.update(forAll(all(next)));
            own?.update(partOf(all(next), true));
          },
        });
  const found = [
    ...(packs?.sources ?? []),
    withoutCopies(syncRecords(io))(skills),
    ...(stored === undefined ? [] : [stored]),
    ...(upstream === undefined ? [] : [upstream]),
  ];
  const locked = await locking?.lockedSources(found, { config, log, watch: use.watch, cwd: io.cwd });
  const sources = locked?.sources ?? found;
  const searchCache = new SearchCache(folder, io.cwd);
  return {
    sources,
    searchCache,
    servers: use.servers === false ? 0 : Object.keys(withWrapped(wrapped, config.mcpServers)).length,
    packs,
    callerServers: own,
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
      searchCache.close();
      watch?.close();
      locked?.close();
      for (const source of sources) source.close?.();
      await Promise.all([upstream?.end(), packs?.end()]);
    },
  };
}

/** Skills that were fetched. Undefined where there are none. */
async function storedOf(
  config: Config,
  { watch }: SourcesUse,
  cacheFolder: string | undefined,
  log: Log,
  io: Io,
): Promise<Source | undefined> {
  if (config.sources.length === 0 && !hasPersonalLock(io)) return undefined;
  const { storedSource } = await import('./fetched/serving.js');
  return storedSource({ config, io, log, watch, cacheFolder });
}

/** Undefined where there are none, and where there is only one user. */
async function ownOfCallers(
  servers: Config['mcpServers'],
  { host }: SourcesUse,
  { locked }: Config,
  log: Log,
  io: Io,
): Promise<OpenedCallerServers | undefined> {
  const own = host === undefined ? {} : partOf(servers, true);
  if (Object.keys(own).length === 0) return undefined;
  if (locked === true)
    throw new Error('"signIn": "caller" and "exchange" cannot be used with "locked": what each caller sees would have to be locked.');
  const { callerServers } = await import('./caller-servers.js');
  return callerServers(own, Object.keys(servers).length > 1, log, io);
}

function partOf(servers: Config['mcpServers'], ofCallers: boolean): Config['mcpServers'] {
  return Object.fromEntries(Object.entries(servers).filter(([, server]) => isOfCallers(server) === ofCallers));
}

function isOfCallers(server: Config['mcpServers'][string]): boolean {
  return 'url' in server && (server.signIn === 'caller' || server.signIn === 'exchange');
}

function isShared({ signIn }: RemoteServer): boolean {
  return signIn === 'shared';
}

/** Configured packs first. The loader is imported only if there are any. */
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

/** Over HTTP, who may connect must be known before anything is served. */
async function warnOfHeld(untrusted: Untrusted, { host }: SourcesUse, log: Log, io: Io): Promise<void> {
  const { stateOf, trustAction, trustNotice } = await import('./trust/notice.js');
  if (untrusted.http && host !== undefined)
    throw new Error(`footbridge.json ${stateOf(untrusted)}, and its "http" says who may connect. ${trustAction(io)}`);
  const { folders, hostFolders, packs, secrets, servers, updates, variables } = untrusted;
  if (hostFolders || secrets || (updates && host !== undefined) || folders.length + packs.length + servers.length + variables.length > 0)
    log.warn(trustNotice({ ...untrusted, http: false }, io));
}

/** Listed like servers that cannot be reached. */
function heldPacks({ packs, reason }: Pick<Untrusted, 'packs' | 'reason'>): Config['mcpServers'] {
  return Object.fromEntries(packs.map((name) => [`pack ${name}`, { held: reason, settings: '' }]));
}

/** The wrapped server first, with a unique name. */
function withWrapped(wrapped: WrappedServer | undefined, servers: Config['mcpServers']): Config['mcpServers'] {
  if (wrapped === undefined) return servers;
  const { name, server } = wrapped;
  const names = [name, ...Object.keys(servers).map((_each, index) => `${name}-${index + 2}`)];
  return { [names.find((each) => !Object.hasOwn(servers, each)) ?? name]: { idle: false, ...server }, ...servers };
}

export interface OpenedCatalog {
  readonly catalog: Catalog;
  readonly log: Log;
  readonly config: Config;
  /** As of the sources. */
  complete: Sources['complete'];
  /** Resolves when every started server has exited. */
  end(): Promise<void>;
}

/** Before anything is opened. Does nothing unless there is a terminal. */
export async function askForTrust({ config, wrapped }: CommonOptions, io: Io): Promise<void> {
  if (wrapped === undefined && io.stdin.isTTY === true) await (await import('./trust/offer.js')).offerTrust(config, io);
}

/** Shows progress at a terminal. */
export async function openCatalog(options: CommonOptions, use: SourcesUse, io: Io): Promise<OpenedCatalog> {
  if (use.servers !== false) await askForTrust(options, io);
  const { openingSources, withProgress } = await import('./progress.js');
  return withProgress('opening…', (show) => openListed(options, { ...use, progress: openingSources(show) }, io), io);
}

async function openListed(options: CommonOptions, use: SourcesUse, io: Io): Promise<OpenedCatalog> {
  const { complete, config, end, listed, log, searchCache, sources } = await openSources(options, use, io);
  try {
    const catalog = await Catalog.open(sources, { log, searchCache });
    await listed();
    return { catalog, log, config, complete, end };
  } catch (error) {
    await end();
    throw error;
  }
}

export async function withCatalog<T>(options: CommonOptions, io: Io, use: (catalog: Catalog) => Promise<T>): Promise<T> {
  const { catalog, end } = await openCatalog(options, { watch: false }, io);
  try {
    return await use(catalog);
  } finally {
    await end();
  }
}
