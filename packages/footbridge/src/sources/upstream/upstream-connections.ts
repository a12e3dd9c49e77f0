/** The connections to one upstream: one for all hosts, or one per caller. Selects the connection for a request. */
import type { Fields } from '../../json.js';
import { ownContext } from '../context.js';
import { type HostPeer, isExchange } from '../forwarding.js';
import type { InternalReadContext, ReadContext } from '../resource.js';
import { CallerConnections } from './caller-connections.js';
import type { UpstreamConnection } from './connection.js';
import type { UpstreamFailure } from './failure.js';
import type { ListKind } from './listing.js';
import { isLogLevel, LogLevels } from './log-levels.js';
import {
  type ConnectionOwner,
  type ConnectionSettings,
  openConnection,
  type SupervisedConnection,
  startsOnDemand,
  superviseConnection,
} from './supervised-connection.js';

export interface UpstreamConnectionsOptions extends ConnectionSettings {
  /** Whether there is only one host, as over stdio; the connection then uses its client info. */
  readonly oneHost: boolean;
}

export interface UpstreamConnectionsEvents extends Pick<ConnectionOwner, 'eras' | 'signIn' | 'listChanged' | 'updated' | 'ready' | 'down'> {
  /** The lists of a caller's own connection changed. */
  listChangedFor(hostKey: string, kind: ListKind): void;
  /** Whether its lists are known, so that it need not run. */
  isKnown(): boolean;
}

/** A caller's connection, which may have state, makes room for others after being idle this long. */
const OWN_KEPT_MS = 60_000;

export class UpstreamConnections {
  /** Created on demand: of a thousand servers, few are used. */
  #shared: SupervisedConnection | undefined;
  readonly #options: UpstreamConnectionsOptions;
  readonly #events: UpstreamConnectionsEvents;
  #ownConnections: CallerConnections | undefined;
  readonly #levels = new LogLevels();
  readonly #hosts: ReadonlySet<HostPeer>;
  #isClosed = false;

  /** `hosts`: those that are attached. */
  constructor(options: UpstreamConnectionsOptions, hosts: ReadonlySet<HostPeer>, events: UpstreamConnectionsEvents) {
    this.#options = options;
    this.#hosts = hosts;
    this.#events = events;
  }

  /** For all callers; with `isolation: 'caller'` only for the lists. */
  get shared(): SupervisedConnection {
    const events = this.#events;
    this.#shared ??= superviseConnection(this.#options, {
      ...this.#common(),
      host: () => (this.#options.oneHost ? [...this.#hosts][0] : undefined),
      listChanged: (kind) => events.listChanged(kind),
      ready: (connection) => {
        restoreLevel(connection, this.#levels.lowest);
        events.ready(connection);
      },
      down: () => events.down(),
    });
    if (this.#isClosed) void this.#shared.supervisor.close();
    return this.#shared;
  }

  /** The open connection for all callers, if any. */
  get current(): UpstreamConnection | undefined {
    return this.#shared?.supervisor.current;
  }

  /** Why there is no such connection, if it failed. */
  get failure(): UpstreamFailure | undefined {
    return this.#shared?.supervisor.failure;
  }

  /** Milliseconds since it was tried last to connect. */
  get triedAgo(): number {
    return this.#shared?.supervisor.triedAgo ?? 0;
  }

  get isRunning(): boolean {
    return this.#all().some(({ supervisor }) => supervisor.current !== undefined);
  }

  /** Whether each caller has a connection of its own. */
  get isIsolated(): boolean {
    return isIsolated(this.#options);
  }

  /** A host that was attached has left. */
  left(host: HostPeer): void {
    if (this.#isConnected(host.key)) return;
    for (const { subscriptions } of this.#all()) subscriptions.forget(host.key);
    this.#levels.forget(host.key);
    // A modern host may return with its next request.
    if (host.era === 'legacy') this.#ownConnections?.drop(host.key);
  }

  send(method: string, params: Fields, context: ReadContext): Promise<Fields> {
    const host = hostOf(context);
    // Setting the log level does not start a server. The level is sent when it starts.
    if (method === 'logging/setLevel' && this.#isStopped(host) && isLogLevel(params['level'])) {
      this.#levels.set(host?.key ?? '', params['level']);
      return Promise.resolve({});
    }
    const request = (connection: UpstreamConnection) => this.#request(connection, method, params, context);
    if (host !== undefined && this.isIsolated)
      return this.#own.use(host, ({ supervisor, usage }) => {
        usage.want();
        const { current } = supervisor;
        return usage.hold(current === undefined ? openConnection(this.#options, supervisor).then(request) : request(current));
      });
    const { supervisor, usage } = this.shared;
    const { current } = supervisor;
    usage.want();
    return current === undefined ? usage.hold(openConnection(this.#options, supervisor).then(request)) : request(current);
  }

  notify(method: string, params: Fields | undefined, host: HostPeer): void {
    // A shared server gets no notifications of single hosts.
    const connection = this.isIsolated ? this.#ownConnections?.get(host.key) : this.#options.oneHost ? this.#shared : undefined;
    const current = connection?.supervisor.current;
    if (current?.era === 'legacy') current.notify(method, params);
  }

  async watch(uri: string, watcher: string, context: ReadContext): Promise<Fields> {
    const host = hostOf(context);
    const watch = ({ subscriptions, usage }: SupervisedConnection) => {
      usage.want();
      return subscriptions.watch(uri, watcher);
    };
    return host !== undefined && this.isIsolated ? this.#own.use(host, watch) : watch(this.shared);
  }

  unwatch(uri: string, watcher: string): void {
    for (const { subscriptions } of this.#all()) subscriptions.unwatch(uri, watcher);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const shared = this.#shared;
    shared?.subscriptions.close();
    await Promise.all([shared?.supervisor.close(), this.#ownConnections?.close()]);
  }

  #all(): readonly SupervisedConnection[] {
    return [...(this.#shared === undefined ? [] : [this.#shared]), ...(this.#ownConnections?.all() ?? [])];
  }

  #common(): Pick<ConnectionOwner, 'hosts' | 'eras' | 'signIn' | 'updated'> {
    const events = this.#events;
    return {
      hosts: () => this.#hosts,
      eras: () => events.eras(),
      signIn: events.signIn,
      updated: (params) => events.updated(params),
    };
  }

  get #own(): CallerConnections {
    const events = this.#events;
    this.#ownConnections ??= new CallerConnections(
      this.#options.name,
      (host) =>
        superviseConnection(this.#options, {
          ...this.#common(),
          host: () => host,
          listChanged: (kind) => events.listChangedFor(host.key, kind),
          ready: (connection) => restoreLevel(connection, this.#levels.of(host.key)),
          down: () => {},
          keptMs: OWN_KEPT_MS,
        }),
      (key) => this.#isConnected(key),
    );
    if (this.#isClosed) void this.#ownConnections.close();
    return this.#ownConnections;
  }

  #request(connection: UpstreamConnection, method: string, params: Fields, context: ReadContext): Promise<Fields> {
    const { level } = params;
    if (method !== 'logging/setLevel' || !isLogLevel(level)) return connection.request(method, params, context);
    if (connection !== this.current) return connection.setLogLevel(level, context);
    this.#levels.set(hostOf(context)?.key ?? '', level);
    return connection.setLogLevel(this.#levels.lowest ?? level, context);
  }

  #isStopped(host: HostPeer | undefined): boolean {
    const connection = host !== undefined && this.isIsolated ? this.#ownConnections?.get(host.key) : this.#shared;
    return startsOnDemand(this.#options) && this.#events.isKnown() && connection?.supervisor.current === undefined;
  }

  #isConnected(key: string): boolean {
    for (const host of this.#hosts) if (host.key === key) return true;
    return false;
  }
}

/** Whether each caller has a connection of its own to a server. */
export function isIsolated({ oneHost, server }: Pick<UpstreamConnectionsOptions, 'oneHost' | 'server'>): boolean {
  return server.isolation === 'caller' && !oneHost;
}

function hostOf(context: InternalReadContext): HostPeer | undefined {
  return isExchange(context.request) ? context.request.host : undefined;
}

function restoreLevel(connection: UpstreamConnection, level: string | undefined): void {
  if (level !== undefined) connection.setLogLevel(level, ownContext()).catch(() => {});
}
