/** A host that wraps a server at a URL and connects to Footbridge over stdio, in either era. */
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { Json } from './client.js';
import type { World } from './folders.js';
import { type Started, start } from './start.js';

export interface LineHost {
  readonly started: Started;
  /** Everything that Footbridge wrote. */
  readonly output: () => string;
  /** Notifications by method, in order. */
  readonly notifications: readonly string[];
  request(method: string, params: object): Promise<Json>;
  /** The answer as text. */
  call(name: string): Promise<string>;
  tools(): Promise<readonly string[]>;
}

export interface LineHostOptions {
  readonly era?: 'legacy' | 'modern';
  readonly capabilities?: object;
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments of the program. Default: those that wrap the server. */
  readonly args?: readonly string[];
  /** Answers requests of Footbridge. */
  readonly answer?: (method: string, params: Json) => Promise<object>;
}

const CLIENT_INFO = { name: 'test', version: '1' };

export async function wrappingHost(world: World, url: string, options: LineHostOptions = {}): Promise<LineHost> {
  const { answer, args = ['wrap', url], capabilities = {}, env = {}, era = 'legacy' } = options;
  const started = await start({ args, cwd: world.project, home: world.home, env });
  onTestFinished(() => started.stop('SIGKILL'));
  const answers = new Map<number, (message: Json) => void>();
  const notifications: string[] = [];
  let written = '';
  const write = (message: object) => started.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  started.stderr.on('data', (text) => {
    written += text;
  });
  createInterface({ input: started.stdout }).on('line', (line) => {
    written += `${line}\n`;
    const message = JSON.parse(line);
    if (message.method === undefined) answers.get(message.id)?.(message);
    else if (message.id === undefined) notifications.push(message.method);
    else void answer?.(message.method, message.params).then((result) => write({ id: message.id, result }));
  });
  started.stdin.on('error', () => {});
  let count = 0;
  const request = (method: string, params: object) =>
    new Promise<Json>((resolve, reject) => {
      const id = ++count;
      answers.set(id, resolve);
      started.exited.then(() => reject(new Error('it ended')));
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
        'io.modelcontextprotocol/clientCapabilities': capabilities,
      };
      write({ id, method, params: era === 'modern' ? { ...params, _meta: meta } : params });
    });
  if (era === 'legacy') {
    await request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo: CLIENT_INFO });
    write({ method: 'notifications/initialized' });
  }
  return {
    started,
    output: () => written,
    notifications,
    request,
    call: async (name) => JSON.stringify(await request('tools/call', { name, arguments: {} })),
    tools: async () => (await request('tools/list', {})).result.tools.map(({ name }: { name: string }) => name),
  };
}
