/** One upstream server: its connections, its lists, and the requests forwarded to it. */
import type { ProtocolEra } from '@modelcontextprotocol/server';
import { echo } from '../../errors.js';
import { type Fields, isFields } from '../../json.js';
import type { Log } from '../../log.js';
import { redact, redactInput } from '../../redact.js';
import { redactGiven } from '../../secrets/given.js';
import { ownContext } from '../context.js';
import { type Handshake, type HostPeer, isExchange, type ListFollower, type Upstream } from '../forwarding.js';
import type { ReadContext } from '../resource.js';
import { type Channel, ServerError } from '../server/channel.js';
import { CallerConnections, type SupervisedConnection } from './caller-connections.js';
import { connect } from './connect.js';
import type { UpstreamConnection } from './connection.js';
import { LEVELS } from './eras.js';
import { failureOf, mayPass, reportEvent, type UpstreamFailure } from './failure.js';
import { checkAdmin, checkRequest, isShown, isShownResource, isUnverified } from './filter.js';
import { parameterHeaders } from './header-parameters.js';
import { Inventory } from './inventory.js';
import { CONNECTION_CLOSED, type Loss } from './json-rpc.js';
import { ListFollowers } from './list-followers.js';
import { has, KINDS, type ListKind, purposeOf, type UpstreamListing } from './listing.js';
import type { Memory } from './memory.js';
import { OpenTasks } from './open-tasks.js';
import type { UpstreamServer } from './options.js';
import type { ProcessSlots } from './process-slots.js';
import type { Login } from './sign-in/login.js';
import { UpstreamSignIn } from './sign-in/upstream-sign-in.js';
import type { UpstreamSkill } from './skills/upstream-skill.js';
import { ResourceSubscriptions } from './subscriptions.js';
import { Supervisor } from './supervisor.js';
import { TaskOwners } from './tasks.js';
import type { UpstreamTransport } from './transports/transport.js';
import { Usage } from './usage.js';

export interface UpstreamParts {
  readonly name: string;
  readonly server: UpstreamServer;
  readonly openTransport: () => UpstreamTransport;
  /** Whether there is only one host, as over stdio; the connection then uses its client info. */
  readonly oneHost: boolean;
  readonly memory: Memory | undefined;
  /** How many processes start and run. */
  readonly slots: ProcessSlots;
  /** How long a command that starts on demand may be unused; undefined if it starts at once and always runs. */
  readonly idleMs: number | undefined;
  /** Of a server over HTTP that may require its users to sign in. */
  readonly login: Login | undefined;
  /** Whether callers may sign in. */
  readonly offersSignIn: boolean;
  /** Its lists or its availability changed. Resolves when that is shown. */
  readonly changed: () => Promise<void>;
  readonly updated: (uri: string, params: Fields) => void;
  readonly log: Log;
}

/** Default start timeout. */
export const START_MS = 10_000;
/** A command keeps starting for this long: npx may be broken when it is killed during an installation. */
const INSTALL_MS = 180_000;
const LONGEST_REASON = 2000;
/** A connection of one caller, which may keep what the caller does, makes room for others when it was unused for this long. */
const OWN_KEPT_MS = 60_000;

export class ManagedUpstream implements Upstream {
  readonly name: string;
  readonly server: UpstreamServer;
  readonly #parts: UpstreamParts;
  /** For all callers; with `isolation: 'caller'` only for the lists. */
  readonly #shared: SupervisedConnection;
  readonly #own: CallerConnections;
  readonly #inventory: Inventory;
  /** By host key. A shared server logs at the lowest level that any host set. */
  readonly #levels = new Map<string, string>();
  readonly #hosts = new Set<HostPeer>();
  readonly #signIn: UpstreamSignIn | undefined;
  /** Undefined where there is only one host. */
  readonly #tasks: TaskOwners | undefined;
  readonly #followers = new ListFollowers();
  /** The era of the first host; undefined until the server is needed. */
  #era: ProtocolEra | undefined;
  #refusedEra: ProtocolEra | undefined;
  /** Whether the last attempt to connect failed, or the connection was lost. */
  #isDown = false;
  /** Until the latest change is shown. */
  #showing: Promise<void> | undefined;

  constructor(parts: UpstreamParts) {
    const { log, memory, name, oneHost, server } = parts;
    const changed = () => this.#changed();
    this.name = name;
    this.server = server;
    this.#parts = parts;
    this.#tasks = oneHost ? undefined : new TaskOwners();
    this.#inventory = new Inventory({ name, memory, changed, log });
    this.#shared = this.#connection({
      host: () => (oneHost ? [...this.#hosts][0] : undefined),
      listChanged: (kind) => void this.#reread(kind),
      ready: (connection) => this.#greeted(connection),
      down: () => {
        this.#isDown = true;
        changed();
      },
    });
    this.#signIn = parts.login && new UpstreamSignIn(parts.login, name, parts.offersSignIn);
    parts.login?.watch({
      required: changed,
      signedIn: () => {
        this.#shared.supervisor.retry();
        changed();
      },
    });
    this.#own = new CallerConnections(
      name,
      (host) =>
        this.#connection({
          host: () => host,
          listChanged: (kind) => void this.#changedFor(host.key, kind),
          ready: (connection) => {
            const level = this.#levels.get(host.key);
            if (level !== undefined) connection.setLogLevel(level, ownContext()).catch(() => {});
          },
          down: () => {},
          keptMs: OWN_KEPT_MS,
        }),
      (key) => this.#isThere(key),
    );
  }

  get listing(): UpstreamListing | undefined {
    const { listing } = this.#inventory;
    return this.#signIn?.isRequired ? this.#signIn.listed(listing, this.#era ?? 'modern') : listing;
  }

  get isListed(): boolean {
    return this.#era !== undefined && this.#showing === undefined && (this.#inventory.isKnown || this.failure !== undefined);
  }

  get isRunning(): boolean {
    if (this.#shared.supervisor.current !== undefined) return true;
    for (const { supervisor } of this.#own.all()) if (supervisor.current !== undefined) return true;
    return false;
  }

  get failure(): UpstreamFailure | undefined {
    if ('held' in this.server) return { kind: 'untrusted', message: this.server.held };
    const { failure } = this.#shared.supervisor;
    if (failure === undefined) return undefined;
    return this.#signIn?.failure ?? this.#redacted(failure);
  }

  get purpose(): string | undefined {
    return this.listing === undefined ? undefined : purposeOf(this.listing.handshake);
  }

  /** Whether it is our tool to sign in, which has no prefix and no filters. */
  isSignIn(tool: unknown): boolean {
    return tool !== undefined && this.#signIn?.toolName === tool && !this.#inventory.listing?.tools.some(({ name }) => name === tool);
  }

  get readsUnlisted(): boolean {
    return this.listing !== undefined && has(this.listing.handshake, 'resources');
  }

  /** Headers that an HTTP request needs besides the usual ones. */
  headersFor({ method, params }: Fields): Readonly<Record<string, string>> {
    if (method !== 'tools/call' || !isFields(params)) return {};
    const tool = this.listing?.tools.find(({ name }) => name === params['name']);
    return tool?.inputSchema === undefined ? {} : parameterHeaders(tool.inputSchema, params['arguments']);
  }

  /** Its visible skills, below a group of folders. */
  skills(group: readonly string[]): readonly UpstreamSkill[] {
    // Skill files can be read even where resources are hidden.
    const channel: Channel = {
      request: async (method, params, context) => {
        if (typeof params['uri'] === 'string') checkAdmin(this.server, params['uri'], context.caller);
        return this.#send(method, params, context);
      },
    };
    const skills = this.#inventory.skills(group, this.name, channel);
    const shown = skills.filter(({ name }) => isShown(this.server, 'skills', name));
    return shown.length === skills.length ? skills : shown;
  }

  async handshake(): Promise<Handshake | undefined> {
    this.#wake(undefined);
    const known = this.#shared.supervisor.current ?? this.listing;
    if (known !== undefined) return known.handshake;
    if ('held' in this.server) return undefined;
    const connection = await this.#shared.supervisor.connection(false).catch(() => undefined);
    return connection?.handshake;
  }

  async listed(): Promise<void> {
    this.#wake(undefined);
    await this.#showing;
    // A failed server is retried in the background.
    if (this.isListed) return;
    await this.#shared.supervisor.connection(false).then(
      () => this.#inventory.looked(),
      () => {},
    );
    await this.#showing;
  }

  /** Resolves when all lists are read, or with the reason they could not be. */
  async complete(): Promise<string | undefined> {
    await this.listed();
    const { supervisor, usage } = this.#shared;
    // What is cached need not be what it lists now.
    const read = async () => {
      if ('command' in this.server) await supervisor.connection(false).catch(() => {});
      return this.#inventory.complete();
    };
    const untold = await usage.hold(read());
    return this.failure?.message ?? (untold.length === 0 ? undefined : `It failed to list its ${untold.join(', ')}.`);
  }

  /** Rereads the lists whose changes the server does not announce. */
  async refresh(): Promise<void> {
    const { current } = this.#shared.supervisor;
    if (current !== undefined) await this.#inventory.refresh(current);
    await this.#showing;
  }

  forward(method: string, params: Fields, context: ReadContext): Promise<Fields> {
    if (this.#signIn !== undefined && method === 'tools/call' && this.isSignIn(params['name'])) return this.#signIn.call(params, context);
    checkRequest(this.server, this.listing?.skills ?? [], method, params, context.caller);
    const { uri } = params;
    if (method === 'resources/read' && typeof uri === 'string' && this.listing !== undefined && isUnverified(this.listing, uri))
      throw new ServerError(-32602, `Resource not found: ${echo(uri)}`, { uri: redactInput(uri) });
    const send = (given: Fields) => this.#send(method, given, context);
    return this.#tasks === undefined ? send(params) : this.#tasks.send(method, params, context.caller.id, send);
  }

  notify(method: string, params: Fields | undefined, host: HostPeer): void {
    // A shared server gets no notifications of single hosts.
    const connection = (this.#isolated ? this.#own.get(host.key) : this.#parts.oneHost ? this.#shared : undefined)?.supervisor.current;
    if (connection?.era === 'legacy') connection.notify(method, params);
  }

  attach(host: HostPeer): () => void {
    this.#hosts.add(host);
    this.#wake(host);
    return () => {
      this.#hosts.delete(host);
      if (this.#isThere(host.key)) return;
      for (const { subscriptions } of [this.#shared, ...this.#own.all()]) subscriptions.forget(host.key);
      this.#levels.delete(host.key);
      // A modern host may return with its next request.
      if (host.era === 'legacy') this.#own.drop(host.key);
    };
  }

  followLists(key: string, follower: ListFollower): () => void {
    return this.#isolated ? this.#followers.add(key, follower) : () => {};
  }

  async watch(uri: string, watcher: string, context: ReadContext): Promise<Fields> {
    checkRequest(this.server, this.listing?.skills ?? [], 'resources/subscribe', { uri }, context.caller);
    const host = isExchange(context.request) ? context.request.host : undefined;
    if (host !== undefined && this.#isolated)
      return this.#own.use(host, ({ subscriptions, usage }) => {
        usage.want();
        return subscriptions.watch(uri, watcher);
      });
    this.#shared.usage.want();
    return this.#shared.subscriptions.watch(uri, watcher);
  }

  unwatch(uri: string, watcher: string): void {
    for (const { subscriptions } of [this.#shared, ...this.#own.all()]) subscriptions.unwatch(uri, watcher);
  }

  async close(): Promise<void> {
    this.#era ??= 'modern';
    this.#shared.subscriptions.close();
    this.#parts.login?.close();
    await Promise.all([this.#shared.supervisor.close(), this.#own.close()]);
  }

  #send(method: string, params: Fields, context: ReadContext): Promise<Fields> {
    const send = (given: Fields) => this.#sendOnce(method, given, context);
    return this.#signIn === undefined ? send(params) : this.#signIn.send(method, params, context, send);
  }

  #sendOnce(method: string, params: Fields, context: ReadContext): Promise<Fields> {
    const host = isExchange(context.request) ? context.request.host : undefined;
    // A server is not started to hear how much it should log; it hears it when it starts.
    if (method === 'logging/setLevel' && this.#isStopped(host) && isLevel(params['level'])) {
      this.#levels.set(host?.key ?? '', params['level']);
      return Promise.resolve({});
    }
    if (host !== undefined && this.#isolated)
      return this.#own.use(host, ({ supervisor, usage }) => {
        usage.want();
        return usage.hold(
          supervisor.current === undefined
            ? this.#reach(supervisor).then((connection) => this.#request(connection, method, params, context))
            : this.#request(supervisor.current, method, params, context),
        );
      });
    const { supervisor, usage } = this.#shared;
    const { current } = supervisor;
    usage.want();
    return current === undefined
      ? usage.hold(this.#reach(supervisor).then((connection) => this.#request(connection, method, params, context)))
      : this.#request(current, method, params, context);
  }

  #request(connection: UpstreamConnection, method: string, params: Fields, context: ReadContext): Promise<Fields> {
    const { level } = params;
    if (method !== 'logging/setLevel' || !isLevel(level)) return connection.request(method, params, context);
    if (connection !== this.#shared.supervisor.current) return connection.setLogLevel(level, context);
    this.#levels.set(isExchange(context.request) ? context.request.host.key : '', level);
    return connection.setLogLevel(this.#lowestLevel ?? level, context);
  }

  #isStopped(host: HostPeer | undefined): boolean {
    const connection = host !== undefined && this.#isolated ? this.#own.get(host.key) : this.#shared;
    return this.#isOnDemand && this.listing !== undefined && connection?.supervisor.current === undefined;
  }

  get #isOnDemand(): boolean {
    return this.#parts.idleMs !== undefined && 'command' in this.server;
  }

  /** On first use, starts it unless its cached lists will do until it is called; they are shown meanwhile. */
  #wake(host: HostPeer | undefined): void {
    if (this.#era !== undefined) return;
    // On a shared connection only the modern era asks the right host for input.
    this.#era = this.#parts.oneHost || this.#isolated ? (host?.era ?? 'modern') : 'modern';
    if ('held' in this.server) return;
    const had = this.#inventory.recall(this.#era, this.#parts.oneHost ? host : undefined);
    if (had !== undefined && had !== this.#era) this.#refusedEra = this.#era;
    if (had === undefined || !this.#isOnDemand || !this.#inventory.isFresh) this.#shared.supervisor.connection(false).catch(() => {});
    if (had !== undefined) this.#changed();
  }

  #changed(): void {
    const showing = this.#parts.changed().then(() => {
      if (this.#showing === showing) this.#showing = undefined;
    });
    this.#showing = showing;
  }

  get #lowestLevel(): string | undefined {
    const set = new Set(this.#levels.values());
    return LEVELS.find((level) => set.has(level));
  }

  get #isolated(): boolean {
    return this.server.isolation === 'caller' && !this.#parts.oneHost;
  }

  #isThere(key: string): boolean {
    for (const host of this.#hosts) if (host.key === key) return true;
    return false;
  }

  #connection({ host, listChanged, ready, down, keptMs }: ConnectionParts): SupervisedConnection {
    const { openTransport, log, server, slots, updated } = this.#parts;
    const installs = 'command' in server && server.startTimeoutMs === undefined;
    const tasks = new OpenTasks();
    const usage: Usage = new Usage({
      idleMs: this.#isOnDemand ? this.#parts.idleMs : undefined,
      keptMs,
      tasks,
      current: () => supervisor.current,
      hasSubscriptions: () => !subscriptions.isEmpty,
      stop: () => {
        log.debug(`the server '${this.name}' is stopped until it is called`);
        supervisor.stop();
      },
    });
    const supervisor: Supervisor = new Supervisor({
      waitMs: installs ? START_MS : undefined,
      ...('command' in server ? { turn: (isUrgent) => slots.queue(usage, isUrgent) } : {}),
      isFinal: () => this.#signIn?.isRequired === true,
      connect: ({ lost, mayStart, cancellation, slot }) =>
        connect({
          openTransport: slot === undefined ? openTransport : () => tasks.around(slot.around(openTransport())),
          mayStart,
          cancellation,
          host: host(),
          preferredEra: host()?.era ?? this.#era ?? 'modern',
          refusedEra: this.#refusedEra,
          timeoutMs: installs ? INSTALL_MS : (server.startTimeoutMs ?? START_MS),
          log,
          explain: (failure) => this.#lost(failure),
          events: {
            listChanged,
            updated: (params) => {
              const { uri } = params;
              if (typeof uri === 'string' && isShownResource(server, this.listing?.skills ?? [], uri)) updated(uri, params);
            },
            closed: lost,
            hosts: () => this.#hosts,
          },
        }),
      ready: (connection) => {
        usage.began();
        subscriptions.greet(connection);
        ready(connection);
      },
      down: (failure) => {
        const { kind, message } = this.#redacted(failure);
        log.warn(`The server '${this.name}' is not available. ${message}`);
        reportEvent({ event: 'upstream-failed', server: this.name, kind, message });
        down();
      },
    });
    const subscriptions = new ResourceSubscriptions(
      () => this.#reach(supervisor),
      KINDS,
      () => KINDS.forEach(listChanged),
    );
    return { supervisor, subscriptions, usage };
  }

  async #reread(kind: ListKind): Promise<void> {
    const { current } = this.#shared.supervisor;
    if (current !== undefined) await this.#inventory.changed(current, kind);
  }

  /** A change for all callers is announced by the catalog; any other to the caller whose connection reported it. */
  async #changedFor(key: string, kind: ListKind): Promise<void> {
    const before = this.listing;
    await this.#reread(kind);
    if (this.listing !== before) return;
    this.#followers.announce(key, kind);
    for (const host of this.#hosts)
      if (host.key === key && host.era === 'legacy') host.notify(`notifications/${kind}/list_changed`, undefined);
  }

  async #reach(supervisor: Supervisor): Promise<UpstreamConnection> {
    const { name, server } = this;
    if ('held' in server)
      throw new ServerError(CONNECTION_CLOSED, `The server '${name}' was not started. ${server.held}`, {
        server: name,
        kind: 'untrusted',
        retryable: false,
      });
    try {
      return await supervisor.connection(true);
    } catch (cause) {
      const { kind, message } = this.#redacted(failureOf(cause));
      throw new ServerError(
        CONNECTION_CLOSED,
        `The server '${this.name}' cannot be reached. ${message} Footbridge retries automatically.`,
        { server: this.name, kind, retryable: mayPass(kind) },
      );
    }
  }

  #lost(failure: UpstreamFailure): Loss {
    const { kind, message } = this.#redacted(failure);
    return {
      message: `The connection to the server '${this.name}' was lost during this request. ${message} Footbridge is reconnecting; the call may or may not have had an effect.`,
      data: { server: this.name, kind, retryable: true },
    };
  }

  /** A server may repeat secrets that it was given, at any length. */
  #redacted({ kind, message }: UpstreamFailure): UpstreamFailure {
    const { server } = this;
    const given = 'command' in server ? Object.values(server.env ?? {}) : 'url' in server ? Object.values(server.headers ?? {}) : [];
    return { kind, message: echo(redact(redactGiven(message.slice(0, LONGEST_REASON), given))) };
  }

  #greeted(connection: UpstreamConnection): void {
    this.#refusedEra = connection.era === this.#era ? undefined : this.#era;
    this.#parts.log.info(`the server '${this.name}' is connected`);
    if (this.#lowestLevel !== undefined) connection.setLogLevel(this.#lowestLevel, ownContext()).catch(() => {});
    const greeting = this.#inventory.greet(connection);
    void this.#shared.usage.hold(this.#inventory.complete());
    if (!this.#isDown) return;
    this.#isDown = false;
    // Its lists may be the same as before, but it is no longer unavailable.
    void greeting.then(() => this.#changed());
  }
}

interface ConnectionParts {
  readonly host: () => HostPeer | undefined;
  readonly listChanged: (kind: ListKind) => void;
  readonly ready: (connection: UpstreamConnection) => void;
  readonly down: () => void;
  /** How long it has to be unused before it makes room for others. Default 0. */
  readonly keptMs?: number;
}

function isLevel(level: unknown): level is string {
  return typeof level === 'string' && LEVELS.includes(level);
}
