/** The program with the pack, over stdio and HTTP. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Json, RawClient, type Version } from '../../../footbridge/tests/support/client.js';
import { packName } from '../../../footbridge/tests/support/environment.js';
import type { World } from '../../../footbridge/tests/support/folders.js';
import { ENVELOPE, type HttpProcess, launchHttp } from '../../../footbridge/tests/support/http-server.js';
import { bearer, tokensOf } from '../../../footbridge/tests/support/tokens.js';

/** The option that loads the pack. */
export const pack = (): readonly string[] => ['--pack', packName('engage')];
/** Takes less than a second. */
export const FAST = { only_plugins: ['host', 'date', 'cron', 'login'] } as const;

/** An MCP host, over any transport. */
export interface Host {
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<Json>;
  /** Calls a tool and collects progress notifications. */
  callWithProgress(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    tell?: (progress: Json) => void,
  ): Promise<{ result: Json; progress: readonly Json[] }>;
  request(method: string, params?: Record<string, unknown>): Promise<Json>;
}

export interface Started {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly version?: Version;
  readonly key?: string | undefined;
  /** A command that starts the program. */
  readonly through?: readonly string[];
  /** Registers cleanup functions. Default: `onTestFinished`. */
  readonly atEnd?: (end: () => Promise<void>) => void;
}

export function newKey(): string {
  return randomBytes(32).toString('base64');
}

function withKey({ env = {}, ...rest }: Started): Record<string, string> {
  const key = 'key' in rest ? rest.key : newKey();
  return { ...(key === undefined ? {} : { FOOTBRIDGE_ENGAGE_KEY: key }), ...env };
}

/** One host over stdio. */
export async function startStdio(world: World, options: Started = {}): Promise<Host & { readonly client: RawClient }> {
  const client = await RawClient.start({
    args: [...pack(), ...(options.args ?? [])],
    workingFolder: world.project,
    home: world.home,
    env: withKey(options),
    ...(options.version === undefined ? {} : { version: options.version }),
    ...(options.through === undefined ? {} : { through: options.through }),
  });
  const { atEnd = onTestFinished } = options;
  atEnd(async () => {
    await client.close();
  });
  return {
    client,
    call: (tool, args) => client.call(tool, args),
    async callWithProgress(tool, args, tell = () => {}) {
      const before = client.notifications.length;
      const progress: Json[] = [];
      let result: Json;
      client
        .request('tools/call', { name: tool, arguments: args, _meta: { progressToken: 'p' } })
        .then((answer) => {
          result = answer.result;
        })
        .catch(() => {});
      await client.waitFor(() => {
        const reported = client.notifications.slice(before).filter(({ method }) => method === 'notifications/progress');
        for (const { params } of reported.slice(progress.length)) {
          progress.push(params);
          tell(params);
        }
        return result !== undefined;
      }, 60_000);
      return { result, progress };
    },
    request: async (method, params) => client.request(method, params),
  };
}

export interface HttpTeam {
  readonly server: HttpProcess;
  /** The host of a named caller. */
  host(name: string): Host;
  /** The authorization header of a caller. */
  headers(name: string): Readonly<Record<string, string>>;
  /** Sends an HTTP request as a caller. */
  fetch(name: string, path: string, init?: RequestInit): Promise<Response>;
}

interface TeamOptions extends Started {
  readonly config?: Json;
  readonly limits?: Json;
  /** Default: a free port on loopback. */
  readonly address?: string;
  /** Collects all responses. */
  readonly reported?: string[];
}

/** A server for several callers, each with a token. */
export async function startTeam(world: World, people: readonly string[], options: TeamOptions = {}): Promise<HttpTeam> {
  const { address, args = [], atEnd = onTestFinished, config, limits, through = [], reported } = options;
  const http = { tokens: tokensOf(...people), ...(limits === undefined ? {} : { limits }) };
  world.write('project/footbridge.json', JSON.stringify({ standardFolders: false, http, ...config }));
  const server = await launchHttp(
    world,
    { args: [...pack(), ...args], env: withKey(options), through, ...(address === undefined ? {} : { address }) },
    atEnd,
  );
  return {
    server,
    host: (name) => httpHost(server, bearer(name), reported),
    headers: bearer,
    fetch: (name, path, init = {}) => fetch(`${server.origin}${path}`, { ...init, headers: { ...bearer(name), ...init.headers } }),
  };
}

/** A host of 2026-07-28. Responses may be streams. */
function httpHost({ endpoint }: HttpProcess, headers: Readonly<Record<string, string>>, reported: string[] = []): Host {
  const ask = async (method: string, params: Readonly<Record<string, unknown>>, meta: object = {}): Promise<Json[]> => {
    const name = params['name'] ?? params['uri'];
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: { ...ENVELOPE, ...meta } } }),
    });
    const text = await response.text();
    reported.push(text, JSON.stringify([...response.headers]));
    return text.startsWith('{') ? [JSON.parse(text)] : [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data));
  };
  return {
    async call(name, args = {}) {
      return (await ask('tools/call', { name, arguments: args })).at(-1).result;
    },
    async callWithProgress(name, args) {
      const messages = await ask('tools/call', { name, arguments: args }, { progressToken: 'p' });
      return { result: messages.at(-1).result, progress: messages.slice(0, -1).map(({ params }) => params) };
    },
    request: async (method, params = {}) => (await ask(method, params)).at(-1),
  };
}

/** A path in the state folder. */
export function stateOf({ home }: Pick<World, 'home'>, ...path: readonly string[]): string {
  return join(home, '.local', 'state', 'footbridge', 'engage', ...path);
}
