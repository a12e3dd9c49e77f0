/** The hostile server: answers over HTTP, or through `relay.mjs` over stdio, with what a case says, else as a good upstream would. */
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcp, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { SignInCase, Site, UpstreamCase } from './case.js';
import { headerText, SitePages } from './site.js';
import { jsonOf, textOf, type Value } from './value.js';

/** What a good server answers. */
const GOOD: Readonly<Record<string, Value>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: {},
      completions: {},
      logging: {},
    },
    serverInfo: { name: 'upstream', version: '1' },
    instructions: 'Use the tools.',
  },
  'tools/list': {
    tools: [{ name: 'echo', description: 'Says it again.', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }],
  },
  'resources/list': { resources: [{ uri: 'docs://one', name: 'one', description: 'The first.' }] },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'docs://{section}/{page}', name: 'pages' }] },
  'prompts/list': { prompts: [{ name: 'review', arguments: [{ name: 'file', required: true }] }] },
  'tools/call': { content: [{ type: 'text', text: 'said' }] },
  'resources/read': { contents: [{ uri: 'docs://one', text: 'content' }] },
  'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: 'Review it.' } }] },
  'completion/complete': { completion: { values: ['one', 'two'] } },
};

/** What a case says of it. */
export interface Behaviour extends Partial<Pick<UpstreamCase, 'answers' | 'pushes'>> {
  readonly site?: Site;
  /** To requests without a token. */
  readonly challenge?: SignInCase['challenge'];
}

export interface HostileUpstream {
  readonly port: number;
  readonly relayPort: number;
  /** From now on it is what this says; without it, good. */
  become(given: Behaviour | undefined): void;
  /** Requests for its pages since it became what it is. */
  readonly asked: number;
  close(): void;
}

export async function startUpstream(): Promise<HostileUpstream> {
  let current: Behaviour | undefined;
  let pages: SitePages | undefined;
  const answers = (line: string) => answersTo(line, current);
  const sockets = new Set<Socket>();
  const http = createHttp((request, response) => {
    request.on('error', () => {});
    response.on('error', () => {});
    if (pages?.answer(request, response) === true) return void request.resume();
    if (current?.challenge !== undefined && request.headers.authorization === undefined)
      return refuse(current.challenge, request, response, port ?? 0);
    void answerHttp(request, response, answers);
  });
  const relay = createTcp((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    let isGreeted = false;
    createInterface({ input: socket })
      .on('line', (line) => {
        // The first line is the key.
        if (isGreeted) for (const answer of answers(line)) socket.write(`${answer}\n`);
        isGreeted = true;
      })
      .on('error', () => {});
  });
  const [port, relayPort] = await Promise.all([http, relay].map(listen));
  return {
    port: port ?? 0,
    relayPort: relayPort ?? 0,
    become(given) {
      current = given;
      pages = given?.site === undefined ? undefined : new SitePages(given.site, `http://127.0.0.1:${port}`);
    },
    get asked() {
      return pages?.count ?? 0;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      http.closeAllConnections();
      http.close();
      relay.close();
    },
  };
}

function refuse({ header, status }: SignInCase['challenge'], request: IncomingMessage, response: ServerResponse, port: number): void {
  request.resume();
  const challenge = headerText(textOf(header).replaceAll('{site}', `http://127.0.0.1:${port}`));
  response.writeHead(status, { 'www-authenticate': challenge }).end();
}

async function listen(server: ReturnType<typeof createHttp> | ReturnType<typeof createTcp>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The lines that a message is answered with: none for a notification. */
function answersTo(line: string, given: Behaviour | undefined): readonly string[] {
  let message: { id?: unknown; method?: unknown; params?: { cursor?: unknown } };
  try {
    message = JSON.parse(line);
  } catch {
    return [];
  }
  const { id, method, params } = message;
  if (method === 'notifications/initialized') return (given?.pushes ?? []).map((push) => jsonOf(push));
  if (id === undefined || typeof method !== 'string') return [];
  // A list has one more page at most: that endless ones are abandoned has a test of its own.
  const answer = params?.cursor === undefined ? (given?.answers?.[method] ?? GOOD[method]) : GOOD[method];
  const written = JSON.stringify(id);
  if (answer === undefined) return [`{"jsonrpc":"2.0","id":${written},"error":{"code":-32601,"message":"Method not found"}}`];
  if (typeof answer === 'object' && answer !== null && 'error' in answer)
    return [`{"jsonrpc":"2.0","id":${written},"error":${jsonOf(answer['error'] ?? null)}}`];
  return [`{"jsonrpc":"2.0","id":${written},"result":${jsonOf(answer)}}`];
}

async function answerHttp(request: IncomingMessage, response: ServerResponse, answers: (line: string) => readonly string[]): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const lines = answers(await text(request).catch(() => ''));
  if (lines.length === 0) return void response.writeHead(202).end();
  if (lines.length === 1) return void response.writeHead(200, { 'content-type': 'application/json' }).end(lines[0]);
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(lines.map((line) => `data: ${line}\n\n`).join(''));
}
