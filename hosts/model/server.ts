/** The scripted model as an HTTP server on loopback, behind every API that hosts speak. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { parsed } from '../json.js';
import type { Answer, ModelApi } from './api.js';
import { chatCompletions } from './chat-completions.js';
import { gemini } from './gemini.js';
import { messages } from './messages.js';
import { responses } from './responses.js';
import type { ModelSession } from './session.js';

const APIS: readonly ModelApi[] = [chatCompletions, responses, messages, gemini];
const MODELS = { object: 'list', data: [{ id: 'scripted', object: 'model', created: 1, owned_by: 'loopback' }], models: [] };

export interface ModelServer {
  readonly url: string;
  /** Paths of requests, and whether each was answered. */
  readonly log: readonly string[];
  close(): void;
}

/** Starts a model that answers with the moves of a session. */
export async function startModel(session: ModelSession): Promise<ModelServer> {
  const log: string[] = [];
  const server = createServer((request, response) => {
    answer(request, response, session, log).catch((error) => {
      log.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    log,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, session: ModelSession, log: string[]): Promise<void> {
  const { pathname: path } = new URL(request.url ?? '/', 'http://model');
  const body = parsed(await text(request));
  const api = request.method === 'POST' ? APIS.find((each) => each.answers(path)) : undefined;
  log.push(`${request.method} ${path}`);
  if (api !== undefined) send(response, api.write(session.move(api.read(body), body), body, path));
  else if (path.endsWith('/models')) send(response, { json: MODELS });
  else if (path.endsWith('/count_tokens')) send(response, { json: { input_tokens: 1 } });
  else if (path.endsWith(':countTokens')) send(response, { json: { totalTokens: 1 } });
  else send(response, { json: { error: { type: 'not_found_error', message: 'Not found.' } } }, 404);
}

function send(response: ServerResponse, reply: Answer, status = 200): void {
  if ('json' in reply) {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.json));
    return;
  }
  response.writeHead(status, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  for (const { event, data } of reply.events) {
    const line = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${line}\n\n`);
  }
  response.end();
}
