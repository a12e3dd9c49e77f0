/** A raw client of a server in this process, which sees every message unchanged. */
import { InMemoryTransport, type JSONRPCMessage, type MessageExtraInfo } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import type { Json } from './client.js';

interface Connectable {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

export interface MemoryClient {
  /** All received messages, to check that something is absent. */
  readonly received: JSONRPCMessage[];
  request(method: string, params?: Record<string, unknown>): Promise<Json>;
  /** Sends a request without waiting; returns its id. */
  send(method: string, params?: Record<string, unknown>): number;
  notify(method: string, params: Record<string, unknown>): void;
  call(name: string, args?: unknown): Promise<Json>;
  count(method: string): number;
  waitFor(condition: () => boolean): Promise<void>;
}

/** Connects, as a host with these capabilities would. Requests of the server are answered by `answer`. */
export async function connect(
  server: Connectable,
  options: { capabilities?: object; extra?: MessageExtraInfo; answer?: (method: string, params: Json) => Json } = {},
): Promise<MemoryClient> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const waiting = new Map<unknown, (message: Json) => void>();
  const received: JSONRPCMessage[] = [];
  let nextId = 1;
  const transmit = (message: object) => ours.send(message as JSONRPCMessage, options.extra as never);
  ours.onmessage = (message: Json) => {
    // As over a real transport, messages are serialised.
    const copy = JSON.parse(JSON.stringify(message));
    received.push(copy);
    if (copy.method !== undefined && copy.id !== undefined) {
      void transmit({ jsonrpc: '2.0', id: copy.id, result: options.answer?.(copy.method, copy.params) ?? {} });
    } else waiting.get(copy.id)?.(copy);
  };
  await server.connect(theirs as never);
  await ours.start();
  onTestFinished(() => server.close());
  const client: MemoryClient = {
    received,
    send(method, params = {}) {
      const id = nextId++;
      void transmit({ jsonrpc: '2.0', id, method, params });
      return id;
    },
    request(method, params) {
      return new Promise((resolve) => {
        const id = nextId;
        waiting.set(id, resolve);
        client.send(method, params);
      });
    },
    notify: (method, params) => void transmit({ jsonrpc: '2.0', method, params }),
    async call(name, args) {
      const { result, error } = await client.request('tools/call', { name, arguments: args ?? {} });
      if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code });
      return result;
    },
    count: (method) => received.filter((message) => 'method' in message && message.method === method).length,
    async waitFor(condition) {
      for (let tries = 0; !condition(); tries++) {
        if (tries > 2000) throw new Error('what was waited for did not happen');
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
  };
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: options.capabilities ?? {},
    clientInfo: { name: 'test', version: '1' },
  });
  client.notify('notifications/initialized', {});
  return client;
}
