/** A client for commands that query a server once, without restarts or a cache. */
import type { ProtocolEra } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import type { Log } from '../../log.js';
import { VERSION } from '../../version.js';
import { Cancellation, Context, within } from '../context.js';
import type { Handshake } from '../forwarding.js';
import { OWNER } from '../resource.js';
import { ServerError } from '../server/channel.js';
import { connect } from './connect.js';
import type { UpstreamConnection } from './connection.js';
import { failureOf, isFailureKind, toUpstreamError, UpstreamError } from './failure.js';
import type { UpstreamServer } from './options.js';
import { openerOf } from './transports/index.js';
import type { StdioTransportOptions } from './transports/stdio.js';

export interface UpstreamClientOptions extends Pick<StdioTransportOptions, 'stderr' | 'exitMs'> {
  /** The client name that is sent to the server. */
  readonly clientName: string;
  /** For the handshake, and for each answer. */
  readonly timeoutMs: number;
  readonly log: Log;
}

/** Tries the older era first, which nearly every server supports, so that a surface stays comparable after a server adds the newer one. */
export class UpstreamClient {
  readonly #server: UpstreamServer;
  readonly #options: UpstreamClientOptions;
  readonly #cancellation = new Cancellation();
  #connection: Promise<UpstreamConnection> | undefined;

  constructor(server: UpstreamServer, options: UpstreamClientOptions) {
    this.#server = server;
    this.#options = options;
  }

  /** Starts or connects to the server. Rejects with an `UpstreamError`. */
  async connect(): Promise<{ readonly handshake: Handshake; readonly era: ProtocolEra }> {
    const { clientName, timeoutMs, log, stderr, exitMs } = this.#options;
    this.#connection ??= connect({
      openTransport: openerOf(this.#server, { name: clientName, log, stderr, exitMs }),
      mayStart: () => true,
      cancellation: this.#cancellation,
      host: undefined,
      identity: { clientInfo: { name: clientName, version: VERSION }, capabilities: {} },
      preferredEra: 'legacy',
      refusedEra: undefined,
      timeoutMs,
      events: { listChanged() {}, updated() {}, closed() {}, hosts: () => [] },
      explain: ({ kind, message }) => ({ message, data: { kind } }),
      log,
    });
    return this.#connection;
  }

  /** Rejects with a `ServerError` when the server answers with an error, and with an `UpstreamError` when it does not answer. */
  async request(method: string, params: Fields, timeoutMs = this.#options.timeoutMs): Promise<Fields> {
    const context = new Context({ caller: OWNER }, this.#cancellation);
    try {
      return await within(timeoutMs, context, async (limited) => (await this.#connected()).request(method, params, limited));
    } catch (cause) {
      if (cause instanceof DOMException && !this.#cancellation.aborted)
        throw new UpstreamError('timeout', `Timed out after ${timeoutMs} ms waiting for ${method}.`);
      if (!(cause instanceof ServerError) || !isFields(cause.data) || !isFailureKind(cause.data['kind'])) throw cause;
      throw toUpstreamError(failureOf(cause));
    }
  }

  /** Also while it connects. Resolves when the connection, and a server that was started for it, are gone. */
  async close(): Promise<void> {
    this.#cancellation.abort();
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }

  #connected(): Promise<UpstreamConnection> {
    return this.#connection ?? Promise.reject(new Error('connect() comes first'));
  }
}
