/** A team's server in front of one that requires a sign-in, and callers who sign in there. */
import type { Json } from './client.js';
import { createWorld } from './folders.js';
import { type HttpProcess, postModern, startHttp, until } from './http-server.js';
import { freePort } from './programs.js';
import type { ProtectedWorld } from './protected-server.js';
import { bearer, tokensOf } from './tokens.js';

export const KEY = '0123456789abcdef'.repeat(4);

interface TeamOptions {
  readonly args?: readonly string[];
  readonly publicPort?: number;
  /** Instead of its address on this machine. */
  readonly publicUrl?: string;
  readonly port?: number;
  readonly signIn?: 'caller' | 'shared';
  readonly env?: Readonly<Record<string, string>>;
  /** Settings of the upstream server. */
  readonly oauth?: object;
}

export async function team(upstream: ProtectedWorld, options: TeamOptions = {}): Promise<HttpProcess> {
  const { args = [], env = {}, oauth, publicPort, signIn = 'caller' } = options;
  const { port = await freePort() } = options;
  const world = createWorld();
  return startHttp(world, {
    address: `127.0.0.1:${port}`,
    args,
    env: { FOOTBRIDGE_LOGIN_KEY: KEY, ...env },
    config: {
      standardFolders: false,
      mcpServers: { docs: { url: upstream.url, signIn, oauth } },
      http: { tokens: tokensOf('alice', 'bob', 'admin'), publicUrl: options.publicUrl ?? `http://127.0.0.1:${publicPort ?? port}` },
    },
  });
}

export async function ask({ endpoint }: HttpProcess, name: string, method: string, params: Json = {}): Promise<Json> {
  return (await postModern(endpoint, method, params, { headers: bearer(name) })).message;
}

export async function toolsOf(server: HttpProcess, name: string): Promise<readonly string[]> {
  const { result } = await ask(server, name, 'tools/list');
  return result.tools.map((tool: Json) => tool.name).filter((tool: string) => !tool.startsWith('get_resource'));
}

export const call = (server: HttpProcess, name: string, tool: string) => ask(server, name, 'tools/call', { name: tool, arguments: {} });

export async function link(server: HttpProcess, name: string): Promise<string> {
  await until(async () => (await toolsOf(server, name)).includes('sign_in_to_docs'));
  const { result } = await call(server, name, 'sign_in_to_docs');
  return /https?:\S+/.exec(result.content[0].text)?.[0] ?? '';
}

/** Presses the button of the page behind the link, as a browser with this cookie. */
export async function press(address: string, headers: Record<string, string> = {}) {
  const response = await fetch(address, { method: 'POST', redirect: 'manual', headers: { 'sec-fetch-site': 'same-origin', ...headers } });
  const cookie = /footbridge_sign_in=[\w-]+/.exec(response.headers.get('set-cookie') ?? '')?.[0] ?? '';
  return { status: response.status, cookie, page: response.headers.get('location') ?? '' };
}

/** Signs in as a person would; `through` is the replica that the browser returns to. */
export async function signIn(server: HttpProcess, name: string, upstream: ProtectedWorld, through = server) {
  const address = await link(server, name);
  const { cookie, page } = await press(address);
  const back = await upstream.returned(page);
  const answer = await fetch(`${through.origin}${back.pathname}${back.search}`, { headers: { cookie } });
  return { status: answer.status, text: await answer.text(), back, cookie };
}
