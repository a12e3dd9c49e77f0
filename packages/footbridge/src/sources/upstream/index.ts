/** The source `upstream`: MCP servers that Footbridge proxies. */
import { setTimeout } from 'node:timers/promises';
import { type Log, silentLog } from '../../log.js';
import { atOnce, inTurns } from '../../turns.js';
import type { ContributionChanged, InternalSource, ResourceUpdated } from '../source.js';
import { Afterwards } from './afterwards.js';
import { type Combined, combineUpstreams } from './combine.js';
import { MemoryPacks } from './memory-pack.js';
import type { OAuthSettings, RemoteServer, UpstreamServer } from './options.js';
import { ProcessSlots } from './process-slots.js';
import { type CommonParts, ServerParts } from './server-parts.js';
import type { SharedLists } from './shared-lists.js';
import { SHOWN, type Showing } from './showing.js';
import { Login } from './sign-in/login.js';
import type { LoginOptions } from './sign-in/login-options.js';
import { ManagedUpstream } from './upstream.js';

export interface UpstreamsOptions {
  /** By name, in order of priority. */
  readonly servers: Readonly<Record<string, UpstreamServer>>;
  /** Whether there is only one host, as over stdio. Servers then get its client info and capabilities. Default false. */
  readonly oneHost?: boolean | undefined;
  /** Whether there are servers besides these: then a single one gets a prefix, too. Default false. */
  readonly hasOthers?: boolean | undefined;
  /** Where the last known lists of each server are cached; absent for no cache. */
  readonly cacheFolder?: string | undefined;
  /**
   * Seconds without a call after which a command is stopped, until it is called again; false: commands start at once and always run.
   * Default false.
   */
  readonly idle?: number | false | undefined;
  /** How many commands may run at the same time. The least recently used ones make room for others. Default: any number. */
  readonly running?: number | undefined;
  /** What replicas share of the lists of servers; absent for a single one. */
  readonly sharedLists?: SharedLists | undefined;
  /** Without it, servers that require a sign-in are not available. */
  readonly logins?: LoginSettings | undefined;
  readonly log?: Log | undefined;
}

export interface UpstreamSource extends InternalSource {
  /** Starts added servers, ends removed ones, and restarts those with changed settings. */
  update(servers: Readonly<Record<string, UpstreamServer>>): void;
  /** Resolves when each server has listed what it offers, or failed; `waiting` receives the names of the others. */
  listed(waiting?: (names: readonly string[]) => void): Promise<void>;
  /** Resolves when all lists are read, with the reasons of servers that failed, by name. */
  complete(): Promise<ReadonlyMap<string, string>>;
  /** Ends every server; resolves when all have ended. */
  end(): Promise<void>;
}

/** Where the logins of the one user are. */
export interface LoginSettings extends Pick<LoginOptions, 'store' | 'environment' | 'renewElsewhere' | 'begin' | 'subject'> {
  /** The id of a login in the store. Default: one for each server. */
  idOf?(url: string, settings: OAuthSettings): string;
  /** Default: to each server at a URL. */
  appliesTo?(server: RemoteServer): boolean;
  /** What `footbridge login` calls a server. Default: its name. */
  nameOf?(server: RemoteServer): string | undefined;
  /** Whether callers may sign in. Default true. */
  readonly offered?: boolean;
}

/** Everything that MCP servers offer. With several, tools and prompts are prefixed with the server's name. */
export function upstreams({
  servers,
  oneHost = false,
  hasOthers = false,
  cacheFolder,
  idle = false,
  running: mostRunning,
  sharedLists,
  logins,
  log = silentLog,
}: UpstreamsOptions): UpstreamSource {
  const slots = new ProcessSlots(mostRunning);
  const afterwards = new Afterwards();
  let rechecks: NodeJS.Timeout | undefined;
  let packs: MemoryPacks | undefined;
  const running = new Map<string, ManagedUpstream>();
  const ending = new Set<Promise<void>>();
  let current: Combined = atOnce(combineUpstreams([], hasOthers));
  let changed: ContributionChanged | undefined;
  let updated: ResourceUpdated | undefined;

  const logged = new Set<string>();
  const recombine = async () => {
    current = await inTurns(combineUpstreams([...running.values()], hasOthers), 'call');
    for (const { message, action } of current.notices) if (!logged.has(message)) log.warn(`${message} ${action}`);
    for (const { message } of current.notices) logged.add(message);
  };
  let tookMs = 0;
  const contribute = async () => {
    const began = performance.now();
    await recombine();
    await changed?.(current);
    tookMs = performance.now() - began;
  };
  let contributing = Promise.resolve();
  /** One after the other, so that the newest is shown last. */
  const contributeNext = (): Promise<void> => {
    contributing = contributing.then(contribute, contribute);
    return contributing;
  };
  let soon: Showing | undefined;
  /** Once for all changes of a moment. With many servers that takes a while, so the moment is longer. */
  const contributeSoon = (): Showing => {
    if (soon !== undefined) return soon;
    const wait = tookMs < SLOW_MS ? contributing : setTimeout(Math.min(SHARE * tookMs, LONGEST_MS), undefined, { ref: false });
    const done = wait.then(async () => {
      // What changes from now on may be too late for this one.
      soon = undefined;
      await contributeNext();
      showing.isDone = true;
    });
    const showing = { isDone: false, done };
    soon = showing;
    return showing;
  };
  const common: CommonParts = {
    oneHost,
    offersSignIn: logins?.offered !== false,
    cacheFolder,
    sharedLists,
    slots,
    log,
    idle,
    isAlone: () => running.size === 1,
    afterwards: (work) => afterwards.add(work),
    changed: (upstream) => (running.get(upstream.name) === upstream ? contributeSoon() : SHOWN),
    updated: (upstream, uri, params) => {
      const shown = current.shownUri(upstream, uri);
      updated?.(shown, { ...params, uri: shown });
    },
  };
  const open = (name: string, server: UpstreamServer) =>
    new ManagedUpstream(new ServerParts(name, server, loginTo(server, logins, log), packs, common));
  const close = (upstream: ManagedUpstream) => {
    const end = upstream.close().finally(() => ending.delete(end));
    ending.add(end);
  };
  const warnOfRoom = (next: Readonly<Record<string, UpstreamServer>>, most: number) => {
    let commands = 0;
    let always = 0;
    for (const server of Object.values(next)) {
      if (!('command' in server)) continue;
      commands++;
      if ((server.idle ?? idle) === false) always++;
    }
    if (always < most || commands <= most) return;
    log.warn(
      `Not all servers can run: "running" is ${most}, and ${always} servers with "idle": false never stop. Raise "running" in footbridge.json.`,
    );
  };
  const take = (next: Readonly<Record<string, UpstreamServer>>) => {
    if (mostRunning !== undefined) warnOfRoom(next, mostRunning);
    const before = new Map(running);
    running.clear();
    packs?.close();
    packs = cacheFolder === undefined ? undefined : MemoryPacks.of(cacheFolder, next, oneHost);
    for (const [name, server] of Object.entries(next)) {
      const same = before.get(name);
      if (same !== undefined && isSame(same.server, server)) {
        running.set(name, same);
        before.delete(name);
      } else running.set(name, open(name, server));
    }
    for (const gone of before.values()) close(gone);
  };
  take(servers);

  return {
    name: 'upstream',
    async open(onChange, onUpdate) {
      changed = onChange;
      updated = onUpdate;
      rechecks = setInterval(() => {
        for (const upstream of running.values()) afterwards.add(() => upstream.recheck());
      }, RECHECK_MS).unref();
      await recombine();
      return current;
    },
    async refresh() {
      await Promise.all([...running.values()].map((upstream) => upstream.refresh()));
    },
    update(next) {
      take(next);
      void contributeNext();
      for (const upstream of running.values()) void upstream.listed();
    },
    async listed(waiting) {
      const left = new Set(running.keys());
      const report = () => waiting?.([...left]);
      report();
      await Promise.all(
        [...running].map(async ([name, upstream]) => {
          await upstream.settled();
          left.delete(name);
          report();
        }),
      );
    },
    async complete() {
      const reasons = await Promise.all([...running.values()].map((upstream) => upstream.complete()));
      return new Map(
        [...running.keys()].flatMap((name, index): [string, string][] => (reasons[index] === undefined ? [] : [[name, reasons[index]]])),
      );
    },
    close() {
      changed = undefined;
      updated = undefined;
      packs?.close();
      clearInterval(rechecks);
      afterwards.close();
      for (const upstream of running.values()) close(upstream);
      running.clear();
    },
    async end() {
      this.close();
      await Promise.all(ending);
    },
  };
}

/** Between two looks at whether cached lists still hold. */
const RECHECK_MS = 3600_000;
/** A contribution that takes longer is not repeated at once. */
const SLOW_MS = 20;
/** How many times as long as the last contribution took other work goes on. */
const SHARE = 10;
const LONGEST_MS = 1000;

/** Undefined where the configuration has a header Authorization, or a URL with a user and password, which become one. */
export function loginTo(server: UpstreamServer, logins: LoginSettings | undefined, log: Log): Login | undefined {
  if (logins === undefined || !('url' in server) || !URL.canParse(server.url)) return undefined;
  if (Object.keys(server.headers ?? {}).some((name) => name.toLowerCase() === 'authorization')) return undefined;
  const { password, username } = new URL(server.url);
  if (username !== '' || password !== '') return undefined;
  if (logins.appliesTo?.(server) === false) return undefined;
  const { appliesTo: _, idOf, nameOf, offered: __, subject, ...others } = logins;
  const isExchanged = server.signIn === 'exchange' && subject !== undefined;
  const settings: OAuthSettings = isExchanged ? { ...server.oauth, grant: 'token_exchange' } : (server.oauth ?? {});
  const known = { url: server.url, settings, id: idOf?.(server.url, settings), name: nameOf?.(server) };
  return new Login({ ...known, log, ...others, ...(isExchanged && { subject }) });
}

function isSame(one: UpstreamServer, other: UpstreamServer): boolean {
  if ('server' in one || 'server' in other) return one === other;
  return JSON.stringify(one) === JSON.stringify(other);
}
