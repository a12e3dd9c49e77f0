/** One upstream server: its connections, its lists, and the requests forwarded to it. */
import { setTimeout } from 'node:timers/promises';
import type { ProtocolEra } from '@modelcontextprotocol/server';
import type { Fields } from '../../json.js';
import type { Handshake, HostPeer, ListFollower, Upstream } from '../forwarding.js';
import type { ReadContext } from '../resource.js';
import type { Channel } from '../server/channel.js';
import type { UpstreamConnection } from './connection.js';
import type { Contributed } from './contributed.js';
import type { UpstreamFailure } from './failure.js';
import { checkAdmin, checkRequest, checkVerified, isShown, isShownResource } from './filter.js';
import { headersOfCall } from './header-parameters.js';
import { Inventory } from './inventory.js';
import { Learning } from './learning.js';
import { ListFollowers } from './list-followers.js';
import { SEPARATOR } from './listed-tools.js';
import { has, type ListKind, purposeOf, type UpstreamListing } from './listing.js';
import { FRESH_MS } from './memory.js';
import type { UpstreamServer } from './options.js';
import type { UpstreamParts } from './server-parts.js';
import { isSharable, SharedListing } from './shared-lists.js';
import type { Showing } from './showing.js';
import { UpstreamSignIn } from './sign-in/upstream-sign-in.js';
import type { UpstreamSkill } from './skills/upstream-skill.js';
import { START_MS, startsOnDemand } from './supervised-connection.js';
import { TaskOwners } from './tasks.js';
import { redactedFailure } from './unavailable.js';
import { isIsolated, UpstreamConnections } from './upstream-connections.js';

export class ManagedUpstream implements Upstream {
  readonly name: string;
  readonly server: UpstreamServer;
  readonly signIn: UpstreamSignIn | undefined;
  contributed: Contributed | undefined;
  readonly #parts: UpstreamParts;
  readonly #inventory: Inventory;
  readonly #shared: SharedListing | undefined;
  readonly #hosts = new Set<HostPeer>();
  /** These are made when they are needed: of a thousand servers, few are asked anything. */
  #used: UpstreamConnections | undefined;
  #learning: Learning | undefined;
  /** Long lists that are read from the cache. */
  #recalling: Promise<void> | undefined;
  /** Undefined where there is only one host. */
  readonly #tasks: TaskOwners | undefined;
  #followers: ListFollowers | undefined;
  /** The era of the first host; undefined until the server is needed. */
  #era: ProtocolEra | undefined;
  #refusedEra: ProtocolEra | undefined;
  /** Whether the last attempt to connect failed, or the connection was lost. */
  #isDown = false;
  #isClosed = false;
  /** When its lists were read for a caller who asked for an unknown name. */
  #sought: { readonly at: number; readonly done: Promise<void> } | undefined;
  /** Of the latest change. */
  #showing: Showing | undefined;

  constructor(parts: UpstreamParts) {
    const { log, login, name, oneHost, server, sharedLists } = parts;
    const changed = () => this.#changed();
    this.name = name;
    this.server = server;
    this.#parts = parts;
    this.#tasks = oneHost ? undefined : new TaskOwners();
    if (sharedLists !== undefined && isSharable(parts))
      this.#shared = new SharedListing(sharedLists, server, (listing) => this.#inventory.adopt(listing));
    const own = parts.memory();
    const memory = this.#shared?.around(own, (readAt) => this.#hasLists(readAt)) ?? own;
    this.#inventory = new Inventory({ name, memory, changed, log });
    this.signIn = login && new UpstreamSignIn(login, name, parts.offersSignIn);
    login?.watch({
      required: changed,
      signedIn: () => {
        this.#connections.shared.supervisor.retry();
        changed();
      },
    });
  }

  get listing(): UpstreamListing | undefined {
    const { listing } = this.#inventory;
    return this.signIn?.isRequired ? this.signIn.listed(listing, this.#era ?? 'modern') : listing;
  }

  get isListed(): boolean {
    return this.#era !== undefined && this.#showing?.isDone !== false && (this.#inventory.isKnown || this.failure !== undefined);
  }

  get showing(): Promise<void> | undefined {
    if (this.#recalling !== undefined) return this.#recalling.then(() => this.#showing?.done);
    return this.#showing?.isDone === false ? this.#showing.done : undefined;
  }

  get isRunning(): boolean {
    return this.#used?.isRunning === true;
  }

  get failure(): UpstreamFailure | undefined {
    if ('held' in this.server) return { kind: 'untrusted', message: this.server.held };
    const failure = this.#used?.failure;
    if (failure === undefined) return undefined;
    return this.signIn?.failureFor(failure) ?? redactedFailure(this.server, failure);
  }

  get purpose(): string | undefined {
    return this.listing === undefined ? undefined : purposeOf(this.listing.handshake);
  }

  /** Whether it is our tool to sign in, which has no prefix and no filters. */
  isSignIn(tool: unknown): boolean {
    return tool !== undefined && this.signIn?.toolName === tool && !this.#inventory.listing?.tools.some(({ name }) => name === tool);
  }

  get readsUnlisted(): boolean {
    return this.listing !== undefined && has(this.listing.handshake, 'resources');
  }

  /** Headers that an HTTP request needs besides the usual ones. */
  headersFor(message: Fields): Readonly<Record<string, string>> {
    return headersOfCall(this.listing?.tools, message);
  }

  /** The visible skills of a listing, below a group of folders. In steps: there may be many. */
  *skills({ skills: published }: UpstreamListing, group: readonly string[]): Generator<void, readonly UpstreamSkill[]> {
    if (published.length === 0) return NO_SKILLS;
    // Skill files can be read even where resources are hidden.
    const channel: Channel = {
      request: async (method, params, context) => {
        if (typeof params['uri'] === 'string') checkAdmin(this.server, params['uri'], context.caller);
        return this.#send(method, params, context);
      },
    };
    const skills = yield* this.#inventory.skills(published, group, this.name, channel);
    const shown = skills.filter(({ name }) => isShown(this.server, 'skills', name));
    return shown.length === skills.length ? skills : shown;
  }

  handshake(): Handshake | undefined | Promise<Handshake | undefined> {
    this.#wake(undefined);
    // Where its lists were cached there is nothing to wait for.
    return this.#learning === undefined && this.listing !== undefined ? this.listing.handshake : this.#greeting();
  }

  async #greeting(): Promise<Handshake | undefined> {
    await this.#recalling;
    await this.#learning?.settled();
    const known = this.#current ?? this.listing;
    if (known !== undefined) return known.handshake;
    if ('held' in this.server) return undefined;
    const connection = await this.#connections.shared.supervisor.connection(false).catch(() => undefined);
    return connection?.handshake;
  }

  listed(): Promise<void> {
    this.#wake(undefined);
    if (this.#isSetBack) return Promise.resolve();
    // Of many servers, nearly all only have to be shown.
    const showing = this.#learning === undefined && this.#inventory.isKnown ? this.#showing : undefined;
    return showing === undefined ? this.settled() : showing.done;
  }

  /** Resolves when its lists are known, if only from the cache, or when it cannot be reached, however long that takes. */
  async settled(): Promise<void> {
    this.#wake(undefined);
    await this.#recalling;
    await this.#learning?.settled();
    await this.#showing?.done;
    // A failed server is retried in the background.
    if (this.isListed) return;
    await this.#connections.shared.supervisor.connection(false).then(
      () => this.#inventory.looked(),
      () => {},
    );
    await this.#showing?.done;
  }

  lookFor(name: string): Promise<void> | undefined {
    const { prefix = `${this.name}${SEPARATOR}` } = this.server;
    if (prefix === '' || !name.startsWith(prefix) || !startsOnDemand(this.#parts) || this.#current !== undefined) return undefined;
    const own = name.slice(prefix.length);
    if (!isShown(this.server, 'tools', own) && !isShown(this.server, 'prompts', own)) return undefined;
    if (this.#sought === undefined || Date.now() - this.#sought.at >= SOUGHT_MS)
      this.#sought = { at: Date.now(), done: this.#readForCaller() };
    return this.#sought.done;
  }

  async #readForCaller(): Promise<void> {
    this.#wake(undefined);
    const { supervisor, usage } = this.#connections.shared;
    usage.want();
    this.#inventory.doubt();
    const read = supervisor.connection(true).then(
      () => this.#inventory.looked(),
      () => {},
    );
    await Promise.race([usage.hold(read), setTimeout(START_MS, undefined, { ref: false })]);
    await this.#showing?.done;
  }

  /** Lists again what a stopped server offers, where that was not confirmed for a day, or its program changed. */
  async recheck(): Promise<void> {
    if (this.#isClosed || this.listing === undefined || !startsOnDemand(this.#parts) || this.#current !== undefined) return;
    if (!(await this.#inventory.check()) && !this.#isClosed) this.#learn();
  }

  /** Resolves when all lists are read, or with the reason they could not be. */
  async complete(): Promise<string | undefined> {
    await this.settled();
    const { supervisor, usage } = this.#connections.shared;
    // What is cached need not be what it lists now.
    const read = async () => {
      if ('command' in this.server) await supervisor.connection(false).catch(() => {});
      return this.#inventory.complete();
    };
    const unlisted = await usage.hold(read());
    return this.failure?.message ?? (unlisted.length === 0 ? undefined : `It failed to list its ${unlisted.join(', ')}.`);
  }

  /** Rereads the lists whose changes the server does not announce. */
  async refresh(): Promise<void> {
    const current = this.#current;
    if (current !== undefined) await this.#inventory.refresh(current);
    await this.#showing?.done;
  }

  forward(method: string, params: Fields, context: ReadContext): Promise<Fields> {
    if (this.signIn !== undefined && method === 'tools/call' && this.isSignIn(params['name'])) return this.signIn.call(params, context);
    checkRequest(this.server, this.listing?.skills ?? [], method, params, context.caller);
    checkVerified(this.listing, method, params);
    const send = (given: Fields) => this.#send(method, given, context);
    return this.#tasks === undefined ? send(params) : this.#tasks.send(method, params, context.caller.id, send);
  }

  notify(method: string, params: Fields | undefined, host: HostPeer): void {
    this.#used?.notify(method, params, host);
  }

  attach(host: HostPeer): () => void {
    this.#hosts.add(host);
    this.#wake(host);
    return () => {
      this.#hosts.delete(host);
      this.#used?.left(host);
    };
  }

  followLists(key: string, follower: ListFollower): () => void {
    if (!isIsolated(this.#parts)) return () => {};
    this.#followers ??= new ListFollowers();
    return this.#followers.add(key, follower);
  }

  async watch(uri: string, watcher: string, context: ReadContext): Promise<Fields> {
    checkRequest(this.server, this.listing?.skills ?? [], 'resources/subscribe', { uri }, context.caller);
    return this.#connections.watch(uri, watcher, context);
  }

  unwatch(uri: string, watcher: string): void {
    this.#used?.unwatch(uri, watcher);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#era ??= 'modern';
    // What failed was looked at then.
    if (this.failure === undefined) this.#noteIfSlow();
    this.#parts.login?.close();
    this.#learning?.close();
    this.#shared?.close();
    await this.#used?.close();
  }

  get #connections(): UpstreamConnections {
    if (this.#used !== undefined) return this.#used;
    const { idleMs, log, name, oneHost, server, slots } = this.#parts;
    const options = { name, server, slots, idleMs, oneHost, log, openTransport: this.#parts.openerFor(this) };
    this.#used = new UpstreamConnections(options, this.#hosts, {
      eras: () => ({ preferred: this.#era ?? 'modern', refused: this.#refusedEra }),
      signIn: this.signIn,
      isKnown: () => this.listing !== undefined,
      listChanged: (kind) => void this.#reread(kind),
      listChangedFor: (key, kind) => void this.#changedFor(key, kind),
      updated: (params) => {
        const { uri } = params;
        if (typeof uri === 'string' && isShownResource(server, this.listing?.skills ?? [], uri)) this.#parts.updated(this, uri, params);
      },
      ready: (connection) => this.#greeted(connection),
      down: () => {
        this.#isDown = true;
        this.#noteIfSlow();
        this.#changed();
      },
    });
    if (this.#isClosed) void this.#used.close();
    return this.#used;
  }

  /** The open connection for all callers, if any. */
  get #current(): UpstreamConnection | undefined {
    return this.#used?.current;
  }

  /** Whether lists that were read then still hold: one that is stopped is asked again after a day. */
  #hasLists(readAt: number): boolean {
    return this.#current !== undefined || (startsOnDemand(this.#parts) && Date.now() - readAt < FRESH_MS);
  }

  #learn(): void {
    const { idleMs, server } = this.#parts;
    this.#learning ??= new Learning({
      idleMs,
      server,
      shared: this.#shared,
      adopt: (listing) => this.#inventory.adopt(listing),
      connect: () => this.#connections.shared.supervisor.connection(false),
      isConnected: () => this.#current !== undefined,
    });
    this.#learning.start();
  }

  #send(method: string, params: Fields, context: ReadContext): Promise<Fields> {
    const send = (given: Fields) => this.#connections.send(method, given, context);
    return this.signIn === undefined ? send(params) : this.signIn.send(method, params, context, send);
  }

  /** Whether nobody waits for its lists, because they took too long the last time. */
  get #isSetBack(): boolean {
    return !this.#parts.isAlone && this.#inventory.wasSlow;
  }

  #noteIfSlow(): void {
    if (this.#used !== undefined && this.#used.triedAgo >= SLOW_MS) this.#inventory.noteSlow();
  }

  /** On first use, starts it unless its cached lists will do until it is called; they are shown meanwhile. */
  #wake(host: HostPeer | undefined): void {
    if (this.#era !== undefined) return;
    // On a shared connection only the modern era asks the right host for input.
    this.#era = this.#parts.oneHost || isIsolated(this.#parts) ? (host?.era ?? 'modern') : 'modern';
    if ('held' in this.server) return;
    const had = this.#inventory.recall(this.#era, this.#parts.oneHost ? host : undefined);
    if (!(had instanceof Promise)) this.#recalled(had);
    else
      this.#recalling = had
        .then((era) => (this.#isClosed ? undefined : this.#recalled(era)))
        .finally(() => {
          this.#recalling = undefined;
        });
  }

  /** `had`: the era of its cached lists. */
  #recalled(had: ProtocolEra | undefined): void {
    if (had !== undefined && had !== this.#era) this.#refusedEra = this.#era;
    if (had === undefined && this.#isSetBack)
      this.#parts.afterwards(async () => {
        if (!this.#isClosed) this.#learn();
      });
    else if (had === undefined || !startsOnDemand(this.#parts)) this.#learn();
    else this.#parts.afterwards(() => this.recheck());
    if (had !== undefined) this.#changed();
  }

  #changed(): void {
    this.#showing = this.#parts.changed(this);
  }

  async #reread(kind: ListKind): Promise<void> {
    const current = this.#current;
    if (current !== undefined) await this.#inventory.changed(current, kind);
  }

  /** A change for all callers is announced by the catalog; any other to the caller whose connection reported it. */
  async #changedFor(key: string, kind: ListKind): Promise<void> {
    const before = this.listing;
    await this.#reread(kind);
    if (this.listing !== before) return;
    this.#followers?.announce(key, kind);
    for (const host of this.#hosts)
      if (host.key === key && host.era === 'legacy') host.notify(`notifications/${kind}/list_changed`, undefined);
  }

  #greeted(connection: UpstreamConnection): void {
    this.#refusedEra = connection.era === this.#era ? undefined : this.#era;
    this.#parts.log.info(`the server '${this.name}' is connected`);
    const greeting = this.#inventory.greet(connection);
    void this.#connections.shared.usage.hold(this.#inventory.complete());
    if (!this.#isDown) return;
    this.#isDown = false;
    // Its lists may be the same as before, but it is no longer unavailable.
    void greeting.then(() => this.#changed());
  }
}

/** How long nothing is looked for again. */
const SOUGHT_MS = 60_000;
/** A host's first list waits for a server for about as long. */
const SLOW_MS = 1000;
const NO_SKILLS: readonly UpstreamSkill[] = [];
