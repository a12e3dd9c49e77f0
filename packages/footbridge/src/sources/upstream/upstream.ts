/** One server behind us: its connections, and what is carried to it. */
import type { ProtocolEra } from '@modelcontextprotocol/server';
import { echo } from '../../errors.js';
import { type Fields, isFields } from '../../json.js';
import type { Log } from '../../log.js';
import { redact } from '../../redact.js';
import { redactGiven } from '../../secrets/given.js';
import { ownContext } from '../context.js';
import { type Handshake, type Host, isExchange, type Upstream } from '../forwarding.js';
import type { ReadContext } from '../resource.js';
import { type Channel, ServerError } from '../server/channel.js';
import { connect } from './connect.js';
import { CONNECTION_CLOSED, type Loss } from './conversation.js';
import { failureOf, type UpstreamFailure } from './failure.js';
import { checkAdmin, checkRequest, isShown, isShownResource, isUnverified } from './filter.js';
import { parameterHeaders } from './header-parameters.js';
import { Inventory } from './inventory.js';
import { Keeper } from './keeper.js';
import type { Link } from './link.js';
import { has, KINDS, type Listing, type ListKind } from './listing.js';
import { LEVELS, LogLevels } from './log-levels.js';
import type { Memory } from './memory.js';
import type { UpstreamServer } from './options.js';
import { type Connection, OwnConnections } from './own-connections.js';
import { reportEvent } from './report.js';
import type { UpstreamSkill } from './skills/upstream-skill.js';
import { Watching } from './watching.js';
import type { Wire } from './wires/wire.js';

export interface UpstreamParts {
  readonly name: string;
  readonly server: UpstreamServer;
  readonly openWire: () => Wire;
  /** Whether one host is all that is ever served, as over stdio: then the connection is in its name. */
  readonly oneHost: boolean;
  readonly memory: Memory | undefined;
  /** What it lists, or whether it can be reached, is another. */
  readonly changed: () => void;
  readonly updated: (uri: string) => void;
  readonly log: Log;
}

/** How long a server may take to start, unless its settings say otherwise: nobody waits longer for it. */
export const START_MS = 10_000;
/** After that a program is left to itself for so long: ended amid an installation, npx may not be able to start it ever again. */
const INSTALL_MS = 180_000;
const LONGEST_REASON = 2000;

export class ManagedUpstream implements Upstream {
  readonly name: string;
  readonly server: UpstreamServer;
  readonly #parts: UpstreamParts;
  /** For everybody; with connections of callers' own it is for what is listed. */
  readonly #shared: Connection;
  readonly #own: OwnConnections;
  readonly #inventory: Inventory;
  readonly #levels = new LogLevels();
  readonly #hosts = new Set<Host>();
  /** Of the host that it was first needed for; undefined until then. */
  #era: ProtocolEra | undefined;
  #refusedEra: ProtocolEra | undefined;

  constructor(parts: UpstreamParts) {
    const { changed, log, memory, name, oneHost, server } = parts;
    this.name = name;
    this.server = server;
    this.#parts = parts;
    this.#inventory = new Inventory({ name, memory, changed, log });
    this.#shared = this.#connection(
      () => (oneHost ? [...this.#hosts][0] : undefined),
      KINDS,
      (link) => this.#greeted(link),
      changed,
    );
    this.#own = new OwnConnections(
      name,
      (host) =>
        this.#connection(
          () => host,
          [],
          () => {},
          () => {},
        ),
      (key) => this.#isThere(key),
    );
  }

  /** What it lists, as far as that is known. */
  get listing(): Listing | undefined {
    return this.#inventory.listing;
  }

  get isListed(): boolean {
    return this.#era !== undefined && (this.#inventory.isKnown || this.failure !== undefined);
  }

  get failure(): UpstreamFailure | undefined {
    const { failure } = this.#shared.keeper;
    return failure === undefined ? undefined : this.#tellable(failure);
  }

  get readsUnlisted(): boolean {
    return this.listing !== undefined && has(this.listing.handshake, 'resources');
  }

  /** What a request over HTTP has to repeat in headers. */
  headersFor({ method, params }: Fields): Readonly<Record<string, string>> {
    if (method !== 'tools/call' || !isFields(params)) return {};
    const tool = this.listing?.tools.find(({ name }) => name === params['name']);
    return tool?.inputSchema === undefined ? {} : parameterHeaders(tool.inputSchema, params['arguments']);
  }

  /** Its skills that are shown, with these folders in front. */
  skills(group: readonly string[]): readonly UpstreamSkill[] {
    // Each read goes to the server that published the skill, whatever of its resources is shown.
    const channel: Channel = {
      request: async (method, params, context) => {
        if (typeof params['uri'] === 'string') checkAdmin(this.server, params['uri'], context.caller);
        return this.#carry(method, params, context);
      },
    };
    const skills = this.#inventory.skills(group, this.name, channel);
    const shown = skills.filter(({ name }) => isShown(this.server, 'skills', name));
    return shown.length === skills.length ? skills : shown;
  }

  async handshake(): Promise<Handshake | undefined> {
    this.#wake(undefined);
    const known = this.#shared.keeper.current ?? this.listing;
    if (known !== undefined) return known.handshake;
    const link = await this.#shared.keeper.link().catch(() => undefined);
    return link?.handshake;
  }

  async listed(): Promise<void> {
    this.#wake(undefined);
    // One that is in trouble is tried again in time, and nobody waits for that.
    if (this.isListed) return;
    await this.#shared.keeper.link().then(
      () => this.#inventory.looked(),
      () => {},
    );
  }

  /** Resolves when it has said all that it has; with the reason where it could not, for a person. */
  async complete(): Promise<string | undefined> {
    await this.listed();
    const untold = await this.#inventory.complete();
    return this.failure?.message ?? (untold.length === 0 ? undefined : `It failed to list its ${untold.join(', ')}.`);
  }

  /** Reads those lists again of which the server does not say when they change. */
  async refresh(): Promise<void> {
    const { current } = this.#shared.keeper;
    if (current !== undefined) await this.#inventory.refresh(current);
  }

  forward(method: string, params: Fields, context: ReadContext): Promise<Fields> {
    checkRequest(this.server, this.listing?.skills ?? [], method, params, context.caller);
    const { uri } = params;
    if (method === 'resources/read' && typeof uri === 'string' && this.listing !== undefined && isUnverified(this.listing, uri))
      throw new ServerError(-32602, `Resource not found: ${echo(uri)}`, { uri });
    return this.#carry(method, params, context);
  }

  notify(method: string, params: Fields | undefined, host: Host): void {
    // What one of many hosts says is nothing to a server that they share.
    const link = (this.#isolated ? this.#own.get(host.key) : this.#parts.oneHost ? this.#shared : undefined)?.keeper.current;
    if (link?.era === 'legacy') link.notify(method, params);
  }

  attach(host: Host): () => void {
    this.#hosts.add(host);
    this.#wake(host);
    return () => {
      this.#hosts.delete(host);
      if (this.#isThere(host.key)) return;
      for (const { watching } of [this.#shared, ...this.#own.all()]) watching.forget(host.key);
      this.#levels.forget(host.key);
      // A newer host may come back with its next request.
      if (host.era === 'legacy') this.#own.drop(host.key);
    };
  }

  async watch(uri: string, watcher: string, context: ReadContext): Promise<Fields> {
    checkRequest(this.server, this.listing?.skills ?? [], 'resources/subscribe', { uri }, context.caller);
    const host = isExchange(context.request) ? context.request.host : undefined;
    if (host !== undefined && this.#isolated) return this.#own.use(host, ({ watching }) => watching.watch(uri, watcher));
    return this.#shared.watching.watch(uri, watcher);
  }

  unwatch(uri: string, watcher: string): void {
    for (const { watching } of [this.#shared, ...this.#own.all()]) watching.unwatch(uri, watcher);
  }

  async close(): Promise<void> {
    this.#era ??= 'modern';
    this.#shared.watching.close();
    await Promise.all([this.#shared.keeper.close(), this.#own.close()]);
  }

  #carry(method: string, params: Fields, context: ReadContext): Promise<Fields> {
    const host = isExchange(context.request) ? context.request.host : undefined;
    if (host !== undefined && this.#isolated)
      return this.#own.use(host, async ({ keeper }) =>
        this.#request(keeper.current ?? (await this.#reach(keeper)), method, params, context),
      );
    const { current } = this.#shared.keeper;
    return current === undefined
      ? this.#reach(this.#shared.keeper).then((link) => this.#request(link, method, params, context))
      : this.#request(current, method, params, context);
  }

  #request(link: Link, method: string, params: Fields, context: ReadContext): Promise<Fields> {
    const { level } = params;
    if (method !== 'logging/setLevel' || typeof level !== 'string' || !LEVELS.includes(level)) return link.request(method, params, context);
    if (link !== this.#shared.keeper.current) return link.setLogLevel(level, context);
    this.#levels.set(isExchange(context.request) ? context.request.host.key : '', level);
    return link.setLogLevel(this.#levels.lowest ?? level, context);
  }

  /** Starts it, if nobody has needed it yet; until it is there, it is what is remembered of it. */
  #wake(host: Host | undefined): void {
    if (this.#era !== undefined) return;
    // Where many share a connection the newer era is better: what a server needs is asked of the right host.
    this.#era = this.#parts.oneHost || this.#isolated ? (host?.era ?? 'modern') : 'modern';
    const had = this.#inventory.recall(this.#era, this.#parts.oneHost ? host : undefined);
    if (had !== undefined && had !== this.#era) this.#refusedEra = this.#era;
    this.#shared.keeper.link().catch(() => {});
    if (had !== undefined) this.#parts.changed();
  }

  get #isolated(): boolean {
    return this.server.isolation === 'caller' && !this.#parts.oneHost;
  }

  #isThere(key: string): boolean {
    for (const host of this.#hosts) if (host.key === key) return true;
    return false;
  }

  #connection(host: () => Host | undefined, lists: readonly ListKind[], ready: (link: Link) => void, down: () => void): Connection {
    const { openWire, log, server, updated } = this.#parts;
    const installs = 'command' in server && server.startTimeoutMs === undefined;
    const keeper: Keeper = new Keeper({
      patienceMs: installs ? START_MS : undefined,
      connect: ({ lost, mayStart, cancellation }) =>
        connect({
          openWire,
          mayStart,
          cancellation,
          host: host(),
          preferredEra: host()?.era ?? this.#era ?? 'modern',
          refusedEra: this.#refusedEra,
          timeoutMs: installs ? INSTALL_MS : (server.startTimeoutMs ?? START_MS),
          log,
          explain: (failure) => this.#lost(failure),
          events: {
            listChanged: (kind) => this.#shared.keeper.current !== undefined && this.#inventory.changed(this.#shared.keeper.current, kind),
            updated: ({ uri }) => typeof uri === 'string' && isShownResource(server, this.listing?.skills ?? [], uri) && updated(uri),
            closed: lost,
            hosts: () => this.#hosts,
          },
        }),
      ready: (link) => {
        watching.greet(link);
        ready(link);
      },
      down: (failure) => {
        const { kind, message } = this.#tellable(failure);
        log.warn(`The server '${this.name}' is not available. ${message}`);
        reportEvent({ event: 'upstream-failed', server: this.name, kind, message });
        down();
      },
    });
    const watching = new Watching(
      () => this.#reach(keeper),
      lists,
      (link) => {
        for (const kind of lists) this.#inventory.changed(link, kind);
      },
    );
    return { keeper, watching };
  }

  async #reach(keeper: Keeper): Promise<Link> {
    try {
      return await keeper.link();
    } catch (cause) {
      const { kind, message } = this.#tellable(failureOf(cause));
      throw new ServerError(
        CONNECTION_CLOSED,
        `The server '${this.name}' cannot be reached. ${message} Footbridge retries automatically.`,
        { server: this.name, kind, retryable: true },
      );
    }
  }

  #lost(failure: UpstreamFailure): Loss {
    const { kind, message } = this.#tellable(failure);
    return {
      message: `The connection to the server '${this.name}' was lost during this request. ${message} Footbridge is reconnecting; the call may or may not have had an effect.`,
      data: { server: this.name, kind, retryable: true },
    };
  }

  /** A server may repeat what it was given, and at any length. */
  #tellable({ kind, message }: UpstreamFailure): UpstreamFailure {
    const { server } = this;
    const given = 'command' in server ? Object.values(server.env ?? {}) : 'url' in server ? Object.values(server.headers ?? {}) : [];
    return { kind, message: echo(redact(redactGiven(message.slice(0, LONGEST_REASON), given))) };
  }

  #greeted(link: Link): void {
    this.#refusedEra = link.era === this.#era ? undefined : this.#era;
    this.#parts.log.info(`the server '${this.name}' is connected`);
    const { lowest } = this.#levels;
    if (lowest !== undefined) link.setLogLevel(lowest, ownContext()).catch(() => {});
    void this.#inventory.greet(link);
  }
}
