/** The program as an HTTP server on a free port. */
import type { ChildProcess } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { type Json, MODERN_VERSION } from './client.js';
import type { World } from './folders.js';
import { start } from './start.js';

export interface HttpProcess {
  /** The URL of the MCP endpoint. */
  readonly endpoint: string;
  readonly origin: string;
  /** The process of a program test. */
  readonly child: ChildProcess;
  /** Everything that was printed. */
  readonly output: () => string;
  readonly stderr: () => string;
  /** Stops it; resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface HttpProcessOptions {
  /** The command. Default: `serve`. */
  readonly command?: 'serve' | 'wrap';
  readonly args?: readonly string[];
  /** The content of `footbridge.json` in the working folder. */
  readonly config?: Json;
  readonly env?: Readonly<Record<string, string>>;
  /** The address to listen on. Default: a free port of this machine. */
  readonly address?: string;
  /** A program that starts it, with its options. */
  readonly through?: readonly string[];
}

/** Starts it and resolves when it is serving; it is stopped after the test. */
export async function startHttp(world: World, { config, ...options }: HttpProcessOptions = {}): Promise<HttpProcess> {
  if (config !== undefined) world.write('project/footbridge.json', JSON.stringify(config));
  return launchHttp(world, options, onTestFinished);
}

/** Like `startHttp`, for callers that stop it themselves. */
export async function launchHttp(
  world: Pick<World, 'project' | 'home'>,
  { command = 'serve', args = [], env = {}, address = '0', through = [] }: Omit<HttpProcessOptions, 'config'>,
  atEnd: (stop: () => Promise<void>) => void,
): Promise<HttpProcess> {
  const program = await start({ args: [command, '--http', address, ...args], cwd: world.project, home: world.home, env, through });
  let output = '';
  let stderr = '';
  program.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const stop = (signal?: NodeJS.Signals) => {
    program.stop(signal);
    return program.exited;
  };
  atEnd(async () => {
    await stop();
  });
  await new Promise<void>((resolve, reject) => {
    program.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('Ctrl-C')) resolve();
    });
    void program.exited.then(() => reject(new Error(`it ended: ${output}${stderr}`)));
  });
  // If it has a public URL, that is printed instead.
  const endpoint = /:0$|^0$/.test(address) ? (/http:\/\/\S+:\d+\/mcp/.exec(output)?.[0] ?? '') : `http://${address}/mcp`;
  return {
    endpoint,
    origin: new URL(endpoint).origin,
    get child() {
      if (program.child === undefined) throw new Error('There is no process: the test is not a program test.');
      return program.child;
    },
    output: () => output,
    stderr: () => stderr,
    stop,
  };
}

/** What a client of 2026-07-28 sends about itself in each request. */
export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  /** The message in the body, which is JSON or a stream of one event. */
  readonly message: Json;
  readonly text: string;
}

/** Posts JSON as a client of any revision would. */
export async function post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Posted> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const data = text.startsWith('{') || text.startsWith('[') ? text : /^data: (.+)$/m.exec(text)?.[1];
  return { status: response.status, headers: response.headers, text, message: data === undefined ? undefined : JSON.parse(data) };
}

/** Sends a request of 2026-07-28 with its headers. */
export function postModern(
  url: string,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  { id = 1, meta = {}, headers = {} }: { id?: string | number; meta?: Record<string, unknown>; headers?: Record<string, string> } = {},
): Promise<Posted> {
  const name = method === 'resources/read' ? params['uri'] : ['tools/call', 'prompts/get'].includes(method) ? params['name'] : undefined;
  return post(
    url,
    { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...ENVELOPE, ...meta } } },
    {
      'mcp-protocol-version': MODERN_VERSION,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...headers,
    },
  );
}

/** Waits until a condition holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let pause = 10; !(await holds()); pause = Math.min(100, pause * 1.5)) await new Promise((resolve) => setTimeout(resolve, pause));
}
