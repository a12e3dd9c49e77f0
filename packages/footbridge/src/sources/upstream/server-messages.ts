/** Messages that an upstream initiates: notifications, and requests to the host whose call it is handling. */
import type { Fields } from '../../json.js';
import { Cancellation, CancelledBySender } from '../context.js';
import type { HostPeer } from '../forwarding.js';
import { METHOD_NOT_FOUND, ServerError } from '../server/channel.js';
import { canBeAsked, withoutSubscription } from './eras.js';
import type { UpstreamFailure } from './failure.js';
import type { JsonRpc, Pending } from './json-rpc.js';
import type { OpenQuestions } from './open-questions.js';
import { isInterruptible, type Suspensions } from './suspensions.js';

/** Notifications that belong to no request. */
export interface ConnectionEvents {
  listChanged(kind: 'tools' | 'prompts' | 'resources'): void;
  updated(params: Fields): void;
  /** The connection ended, and not by `close`. */
  closed(failure: UpstreamFailure): void;
  /** Hosts that receive broadcast notifications. */
  hosts(): Iterable<HostPeer>;
}

const LIST_CHANGED = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
} as const;

/** Notifications that the modern era no longer has. */
const OF_LEGACY: ReadonlySet<string> = new Set(['notifications/elicitation/complete', 'notifications/tasks/status']);

const TOO_MANY = -32000;

export class ServerMessages {
  readonly #rpc: JsonRpc;
  readonly #suspensions: Suspensions;
  readonly #open: OpenQuestions;
  readonly #events: ConnectionEvents;
  /** The only host of the connection; undefined where several share it. */
  readonly #host: HostPeer | undefined;
  /** Requests of the server that a host is answering. */
  readonly #questions = new Map<unknown, Cancellation>();

  constructor(rpc: JsonRpc, suspensions: Suspensions, open: OpenQuestions, events: ConnectionEvents, host: HostPeer | undefined) {
    this.#rpc = rpc;
    this.#suspensions = suspensions;
    this.#open = open;
    this.#events = events;
    this.#host = host;
  }

  /** Whether a host is answering a request of the server. */
  get isBusy(): boolean {
    return this.#questions.size > 0;
  }

  /** Withdraws the requests that a host is answering. */
  close(): void {
    for (const question of this.#questions.values()) question.abort();
  }

  notified(method: string, given: Fields | undefined): void {
    const params = given ?? {};
    switch (method) {
      case 'notifications/progress': {
        const pending = this.#rpc.get(params['progressToken']);
        pending?.exchange?.notify(method, { ...params, progressToken: pending.progressToken });
        return;
      }
      case 'notifications/message':
        this.#log(method, params);
        return;
      case 'notifications/cancelled':
        this.#questions.get(params['requestId'])?.abort(new CancelledBySender(params['reason']));
        this.#suspensions.withdraw(params['requestId']);
        return;
      case 'notifications/resources/updated':
        this.#events.updated(withoutSubscription(params));
        return;
      case 'notifications/tools/list_changed':
      case 'notifications/prompts/list_changed':
      case 'notifications/resources/list_changed':
        this.#events.listChanged(LIST_CHANGED[method]);
        return;
      case 'notifications/subscriptions/acknowledged':
        return;
      default:
        this.#pass(method, given);
    }
  }

  /** Forwards an unknown notification; to a modern host as part of its latest request. */
  #pass(method: string, params: Fields | undefined): void {
    for (const host of this.#listeners()) {
      if (host.era === 'legacy') host.notify(method, params);
      else if (this.#host !== undefined && !OF_LEGACY.has(method))
        (this.#rpc.latest(({ exchange }) => exchange !== undefined)?.exchange ?? host).notify(method, params);
    }
  }

  /** Attributes a log message to the latest request that wants logs. */
  #log(method: string, params: Fields): void {
    const pending = this.#rpc.latest(({ exchange, logs }) => exchange !== undefined && logs);
    if (pending?.exchange !== undefined && this.#rpc.isAllOf(pending.exchange.host.key)) {
      pending.exchange.notify(method, params);
      return;
    }
    // A modern host only receives the logs that its requests ask for.
    for (const host of this.#listeners()) if (host.era === 'legacy') host.notify(method, params);
  }

  /** Not forwarded with several hosts: a notification may be about another host's data. */
  #listeners(): readonly HostPeer[] {
    if (this.#host !== undefined) return [this.#host];
    const hosts = [...this.#events.hosts()];
    return new Set(hosts.map(({ key }) => key)).size > 1 ? [] : hosts;
  }

  /** Passes a request of the server to the host it is working for. */
  requested(id: unknown, method: string, params: Fields | undefined): void {
    const pending = this.#host === undefined ? undefined : this.#latestAskable();
    const host = pending?.exchange?.host ?? this.#host;
    if (method === 'ping') this.#rpc.send({ jsonrpc: '2.0', id, result: {} });
    else if (host === undefined)
      this.#refuse(id, METHOD_NOT_FOUND, 'Several hosts share this connection, so the server cannot send requests to a host.');
    else if (!canBeAsked(host.capabilities, method)) this.#refuse(id, METHOD_NOT_FOUND, `The host does not support ${method}.`);
    else {
      const close = this.#open.open(params) ?? (this.#suspensions.giveUpOldest() ? this.#open.open(params) : undefined);
      if (close === undefined)
        this.#refuse(id, TOO_MANY, 'The host has too many unanswered requests of this server. Wait for its answers.');
      else if (host.era === 'legacy') void this.#askHost(id, method, params, pending?.exchange ?? host).finally(close);
      else if (!this.#suspensions.suspend(pending, { id, method, params, close })) {
        close();
        this.#refuse(id, METHOD_NOT_FOUND, `The host cannot answer ${method} at the moment.`);
      }
    }
  }

  /** The latest request during which the host can be asked, preferably one that is not suspended. */
  #latestAskable(): Pending | undefined {
    const fits = (each: Pending) => each.exchange !== undefined && (each.exchange.host.era === 'legacy' || isInterruptible(each));
    return this.#rpc.latest((each) => fits(each) && !this.#suspensions.isSuspended(each)) ?? this.#rpc.latest(fits);
  }

  async #askHost(id: unknown, method: string, params: Fields | undefined, host: Pick<HostPeer, 'request'>): Promise<void> {
    const cancellation = new Cancellation();
    this.#questions.set(id, cancellation);
    try {
      const progress = (params: Fields) => this.#rpc.send({ jsonrpc: '2.0', method: 'notifications/progress', params });
      this.#rpc.send({ jsonrpc: '2.0', id, result: await host.request(method, params, { cancellation, progress }) });
    } catch (cause) {
      if (cause instanceof ServerError) this.#refuse(id, cause.code, cause.message, cause.data);
      else if (!cancellation.aborted) this.#refuse(id, -32603, 'The request could not be sent to the host.');
    } finally {
      this.#questions.delete(id);
    }
  }

  #refuse(id: unknown, code: number, message: string, data?: unknown): void {
    this.#rpc.send({ jsonrpc: '2.0', id, error: { code, message, data } });
  }
}
