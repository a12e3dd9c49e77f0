/** A connection to an upstream that is opened on use, reopened when it is lost and stopped when it is idle. */
import type { ProtocolEra } from '@modelcontextprotocol/server';
import type { Fields } from '../../json.js';
import type { Log } from '../../log.js';
import type { HostPeer } from '../forwarding.js';
import { connect } from './connect.js';
import type { UpstreamConnection } from './connection.js';
import { reportEvent } from './failure.js';
import { KINDS, type ListKind } from './listing.js';
import { OpenTasks } from './open-tasks.js';
import type { UpstreamServer } from './options.js';
import type { ProcessSlots } from './process-slots.js';
import type { UpstreamSignIn } from './sign-in/upstream-sign-in.js';
import { ResourceSubscriptions } from './subscriptions.js';
import { Supervisor } from './supervisor.js';
import type { UpstreamTransport } from './transports/transport.js';
import { lostDuringRequest, notReached, notStarted, redactedFailure } from './unavailable.js';
import { Usage } from './usage.js';

/** Options shared by all connections to one server. */
export interface ConnectionSettings {
  readonly name: string;
  readonly server: UpstreamServer;
  readonly openTransport: () => UpstreamTransport;
  /** How many processes start and run. */
  readonly slots: ProcessSlots;
  /** How long a command that starts on demand may be unused; undefined if it starts at once and always runs. */
  readonly idleMs: number | undefined;
  readonly log: Log;
}

/** Options of one connection. */
export interface ConnectionOwner {
  /** The only host; undefined where several share the connection. */
  host(): HostPeer | undefined;
  /** Hosts that receive broadcast notifications. */
  hosts(): Iterable<HostPeer>;
  /** The era to try first unless the host has one, and an era that the server refused before. */
  eras(): { readonly preferred: ProtocolEra; readonly refused: ProtocolEra | undefined };
  /** The login, if the server may require one: a failure may then last until the user signs in. */
  readonly signIn: UpstreamSignIn | undefined;
  listChanged(kind: ListKind): void;
  updated(params: Fields): void;
  ready(connection: UpstreamConnection): void;
  down(): void;
  /** How long it has to be unused before it makes room for others. Default 0. */
  readonly keptMs?: number;
}

/** A supervised connection with its subscriptions. */
export interface SupervisedConnection {
  readonly supervisor: Supervisor;
  readonly subscriptions: ResourceSubscriptions;
  readonly usage: Usage;
}

/** Default start timeout. */
export const START_MS = 10_000;
/** A command keeps starting for this long: npx may be broken when it is killed during an installation. */
const INSTALL_MS = 180_000;

export function startsOnDemand({ idleMs, server }: Pick<ConnectionSettings, 'idleMs' | 'server'>): boolean {
  return idleMs !== undefined && 'command' in server;
}

export function superviseConnection(settings: ConnectionSettings, owner: ConnectionOwner): SupervisedConnection {
  const { name, server, openTransport, slots, log } = settings;
  const installs = 'command' in server && server.startTimeoutMs === undefined;
  const tasks = new OpenTasks();
  const usage: Usage = new Usage({
    idleMs: startsOnDemand(settings) ? settings.idleMs : undefined,
    keptMs: owner.keptMs,
    tasks,
    current: () => supervisor.current,
    hasSubscriptions: () => !subscriptions.isEmpty,
    stop: () => {
      log.debug(`the server '${name}' is stopped until it is called`);
      supervisor.stop();
    },
  });
  const supervisor: Supervisor = new Supervisor({
    waitMs: installs ? START_MS : undefined,
    ...('command' in server ? { turn: (isUrgent) => slots.queue(usage, isUrgent) } : {}),
    isFinal: () => owner.signIn?.isRequired === true,
    connect: ({ lost, mayStart, cancellation, slot }) => {
      const host = owner.host();
      const { preferred, refused } = owner.eras();
      return connect({
        openTransport: slot === undefined ? openTransport : () => tasks.around(slot.around(openTransport())),
        mayStart,
        cancellation,
        host,
        preferredEra: host?.era ?? preferred,
        refusedEra: refused,
        timeoutMs: installs ? INSTALL_MS : (server.startTimeoutMs ?? START_MS),
        log,
        explain: (failure) => lostDuringRequest(name, server, failure),
        events: {
          listChanged: (kind) => owner.listChanged(kind),
          updated: (params) => owner.updated(params),
          closed: lost,
          hosts: () => owner.hosts(),
        },
      });
    },
    ready: (connection) => {
      usage.began();
      subscriptions.greet(connection);
      owner.ready(connection);
    },
    down: (failure) => {
      const { kind, message } = owner.signIn?.failureFor(failure) ?? redactedFailure(server, failure);
      // Nothing is wrong with the server, and one warning speaks for all that have no room.
      if (kind !== 'busy') {
        log.warn(`The server '${name}' is not available. ${message}`);
        reportEvent({ event: 'upstream-failed', server: name, kind, message });
      }
      owner.down();
    },
  });
  const subscriptions = new ResourceSubscriptions(
    () => openConnection(settings, supervisor),
    KINDS,
    () => {
      for (const kind of KINDS) owner.listChanged(kind);
    },
  );
  return { supervisor, subscriptions, usage };
}

/** The connection once it is open, or an error with the reason for the caller. */
export async function openConnection({ name, server }: ConnectionSettings, supervisor: Supervisor): Promise<UpstreamConnection> {
  if ('held' in server) throw notStarted(name, server.held);
  try {
    return await supervisor.connection(true);
  } catch (cause) {
    throw notReached(name, server, cause);
  }
}
