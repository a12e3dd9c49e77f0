/** The dependencies of a configured server. There may be a thousand servers, so expensive ones are created on demand. */
import type { Fields } from '../../json.js';
import type { Log } from '../../log.js';
import { withinQuota } from './line-quota.js';
import { type Memory, ServerMemory } from './memory.js';
import type { MemoryPacks } from './memory-pack.js';
import type { UpstreamServer } from './options.js';
import type { ProcessSlots } from './process-slots.js';
import type { SharedLists } from './shared-lists.js';
import type { Showing } from './showing.js';
import type { Login } from './sign-in/login.js';
import { openerOf } from './transports/index.js';
import type { UpstreamTransport } from './transports/transport.js';
import type { ManagedUpstream } from './upstream.js';
import type { UpstreamConnectionsOptions } from './upstream-connections.js';

/** What an upstream needs besides itself. */
export interface UpstreamParts extends Omit<UpstreamConnectionsOptions, 'openTransport'> {
  /** Whether there is no other server. */
  readonly isAlone: boolean;
  /** Undefined for no cache. */
  memory(): Memory | undefined;
  /** Opens a transport to the server. */
  openerFor(upstream: ManagedUpstream): () => UpstreamTransport;
  /** What replicas share; undefined for a single one. */
  readonly sharedLists?: SharedLists | undefined;
  /** Of a server over HTTP that may require its users to sign in. */
  readonly login: Login | undefined;
  /** Whether callers may sign in. */
  readonly offersSignIn: boolean;
  /** For what has time until hosts have got their lists. */
  afterwards(work: () => Promise<void>): void;
  /** Its lists or its availability changed. */
  changed(upstream: ManagedUpstream): Showing;
  updated(upstream: ManagedUpstream, uri: string, params: Fields): void;
}

/** What all servers of a source have in common. */
export interface CommonParts {
  readonly oneHost: boolean;
  readonly offersSignIn: boolean;
  readonly cacheFolder: string | undefined;
  readonly sharedLists: SharedLists | undefined;
  readonly slots: ProcessSlots;
  readonly log: Log;
  /** Seconds; of a server without a setting of its own. */
  readonly idle: number | false;
  isAlone(): boolean;
  afterwards(work: () => Promise<void>): void;
  changed(upstream: ManagedUpstream): Showing;
  updated(upstream: ManagedUpstream, uri: string, params: Fields): void;
}

export class ServerParts implements UpstreamParts {
  readonly #packs: MemoryPacks | undefined;
  readonly #common: CommonParts;

  constructor(
    readonly name: string,
    readonly server: UpstreamServer,
    readonly login: Login | undefined,
    packs: MemoryPacks | undefined,
    common: CommonParts,
  ) {
    this.#packs = packs;
    this.#common = common;
  }

  get oneHost(): boolean {
    return this.#common.oneHost;
  }

  get isAlone(): boolean {
    return this.#common.isAlone();
  }

  get offersSignIn(): boolean {
    return this.#common.offersSignIn;
  }

  get sharedLists(): SharedLists | undefined {
    return this.#common.sharedLists;
  }

  get slots(): ProcessSlots {
    return this.#common.slots;
  }

  get log(): Log {
    return this.#common.log;
  }

  get idleMs(): number | undefined {
    const seconds = this.server.idle ?? this.#common.idle;
    return seconds === false ? undefined : seconds * 1000;
  }

  memory(): Memory | undefined {
    const { cacheFolder, oneHost } = this.#common;
    return cacheFolder === undefined ? undefined : ServerMemory.of(cacheFolder, this.name, this.server, oneHost, this.#packs);
  }

  openerFor(upstream: ManagedUpstream): () => UpstreamTransport {
    const { log, login, name, oneHost, server } = this;
    return openerOf(server, {
      log,
      name,
      stderr: withinQuota(oneHost ? (line) => passOn(`${name}: ${line}\n`) : (line) => log.info(`${name}: ${line}`)),
      headersFor: (message) => upstream.headersFor(message),
      login,
    });
  }

  afterwards(work: () => Promise<void>): void {
    this.#common.afterwards(work);
  }

  changed(upstream: ManagedUpstream): Showing {
    return this.#common.changed(upstream);
  }

  updated(upstream: ManagedUpstream, uri: string, params: Fields): void {
    this.#common.updated(upstream, uri, params);
  }
}

/** Of stderr that the host does not read. */
const MAX_UNREAD = 1024 * 1024;

/** To the host's log. Lines are dropped while the host reads none. */
function passOn(line: string): void {
  if (process.stderr.writableLength < MAX_UNREAD) process.stderr.write(line);
}
