/** `footbridge` over stdio in this process, with a client. */

import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { main } from '../../src/cli/main.js';
import type { Json } from './client.js';
import { ioOf } from './command.js';
import type { World } from './folders.js';

export interface Host {
  request(method: string, params?: object): Promise<Json>;
  /** Calls a tool; resolves with its result. */
  call(name: string, args: object): Promise<Json>;
  /** The methods of all received notifications. */
  readonly notifications: readonly string[];
}

/** Serves until the test is over. */
export async function serveHere(world: World, ...args: string[]): Promise<Host> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const ended = main(args, ioOf(world, { stdin, stdout }));
  onTestFinished(async () => {
    stdin.end();
    if ((await ended) !== 0) throw new Error('The server did not end well.');
  });
  const notifications: string[] = [];
  const waiting = new Map<number, (answer: Json) => void>();
  createInterface({ input: stdout }).on('line', (line) => {
    const message: Json = JSON.parse(line);
    if (message.id === undefined) notifications.push(message.method);
    else waiting.get(message.id)?.(message);
  });
  let lastId = 0;
  const request = (method: string, params: object = {}) =>
    new Promise<Json>((resolve) => {
      waiting.set(++lastId, resolve);
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })}\n`);
    });
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } });
  stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return {
    request,
    notifications,
    async call(name, given) {
      const { error, result } = await request('tools/call', { name, arguments: given });
      if (error !== undefined) throw new Error(error.message);
      return result;
    },
  };
}
