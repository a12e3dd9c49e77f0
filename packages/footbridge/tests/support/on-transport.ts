/** A client of a transport that records what it receives. */
import { onTestFinished } from 'vitest';
import type { UpstreamFailure } from '../../src/sources/upstream/failure.js';
import type { UpstreamTransport } from '../../src/sources/upstream/transports/transport.js';
import { type Json, MODERN_VERSION } from './client.js';

export interface NearEnd {
  readonly transport: UpstreamTransport;
  /** Every received message, in order. */
  readonly received: readonly Json[];
  /** Why the connection ended; at most one entry. */
  readonly closed: readonly UpstreamFailure[];
  /** Resolves with the whole answer, error or result. */
  request(method: string, params?: Json, id?: string | number): Promise<Json>;
  /** Sends a request of 2026-07-28. */
  requestModern(method: string, params?: Json, id?: string | number): Promise<Json>;
  notify(method: string, params?: Json): void;
  /** Performs the handshake of older revisions; resolves with its answer. */
  initialize(): Promise<Json>;
  /** The first matching message, received or still to come. */
  seen(isIt: (message: Json) => boolean): Promise<Json>;
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Starts a transport; it is closed when the test is over. */
export async function onTransport(transport: UpstreamTransport): Promise<NearEnd> {
  const received: Json[] = [];
  const closed: UpstreamFailure[] = [];
  let watchers: (() => void)[] = [];
  let lastId = 0;
  await transport.start({
    receive(message) {
      received.push(message);
      for (const watch of watchers) watch();
    },
    closed: (failure) => closed.push(failure),
  });
  onTestFinished(() => transport.close());

  const seen = (isIt: (message: Json) => boolean) =>
    new Promise<Json>((resolve) => {
      const watch = () => {
        const found = received.find(isIt);
        if (found === undefined) return;
        watchers = watchers.filter((each) => each !== watch);
        resolve(found);
      };
      watchers = [...watchers, watch];
      watch();
    });
  const request = (method: string, params: Json = {}, id: string | number = ++lastId) => {
    transport.send({ jsonrpc: '2.0', id, method, params });
    return seen((message) => message.id === id && message.method === undefined);
  };
  const notify = (method: string, params: Json = {}) => transport.send({ jsonrpc: '2.0', method, params });
  return {
    transport,
    received,
    closed,
    request,
    requestModern: (method, params = {}, id) => request(method, { ...params, _meta: ENVELOPE }, id),
    notify,
    async initialize() {
      const answer = await request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: { sampling: {}, roots: {} },
        clientInfo: { name: 'test', version: '1' },
      });
      if (answer.result === undefined) return answer;
      transport.agreed?.(answer.result.protocolVersion);
      notify('notifications/initialized');
      return answer;
    },
    seen,
  };
}
