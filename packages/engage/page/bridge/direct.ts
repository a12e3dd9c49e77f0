/** In its own tab: requests to the MCP endpoint (2026-07-28) and the server's API. */
import { type Fields, fieldsIn, isFields, textIn } from '../../../footbridge/page/json.js';
import { tabMemory } from '../../../footbridge/page/memory.js';
import { Problem } from '../../../footbridge/page/request.js';
import { token } from '../../../footbridge/page/token.js';
import { PageFailure, unreachable, wasAborted } from '../workflow/failure.js';
import type { Bridge, CallOptions, Outcome } from './bridge.js';
import { outcomeOf, progressOf } from './outcome.js';
import { messagesIn } from './stream.js';

const VERSION = '2026-07-28';

const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'footbridge-engage', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The state is stored for the tab, without secrets. */
const KEY = 'footbridge-engage';

/** Asks the person for an access token. */
export type SignIn = (problem: Problem) => Promise<void>;

/** Paths are relative, so that the page works under any prefix. */
export function directBridge(signIn: SignIn): Bridge {
  const send = (path: string, headers: Readonly<Record<string, string>>, body: Fields, signal?: AbortSignal) =>
    authorized(signIn, () => request(path, headers, body, signal));
  let last = 0;
  return {
    context: {
      place: 'page',
      machine: location.hostname,
      post: async (path, body) => answered(await send(path, {}, body)),
    },
    async call(tool, input, options = {}) {
      const id = ++last;
      const wanted = options.onProgress === undefined ? {} : { progressToken: id };
      const params = { name: tool, arguments: input, _meta: { ...META, ...wanted } };
      const headers = { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/call', 'mcp-name': tool };
      const message = { jsonrpc: '2.0', id, method: 'tools/call', params };
      return resultIn(await send('mcp', headers, message, options.signal), id, options);
    },
    async openLink(url) {
      window.open(url, '_blank', 'noopener');
      return true;
    },
    onGiven(listener) {
      for (const given of fieldsIn(parsed(tabMemory.get(KEY) ?? ''))) listener(given);
    },
    keep({ answers }) {
      tabMemory.set(KEY, JSON.stringify(Object.values(answers)));
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Repeats the request with a token if the server requires one. */
async function authorized(signIn: SignIn, attempt: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await attempt();
    // A token rejected by Jira is also a 401, but without WWW-Authenticate.
    if (response.status !== 401 || !response.headers.has('www-authenticate')) return response;
    const { structuredContent } = await answered(response);
    await signIn(new Problem('signed-out', textIn(structuredContent, 'message') ?? 'This server requires an access token.'));
  }
}

async function request(path: string, headers: Readonly<Record<string, string>>, body: Fields, signal?: AbortSignal): Promise<Response> {
  const kept = token();
  try {
    return await fetch(path, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(kept === undefined ? {} : { authorization: `Bearer ${kept}` }),
      },
      body: JSON.stringify(body),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal,
    });
  } catch (cause) {
    throw wasAborted(cause) ? cause : unreachable();
  }
}

/** The body of an API response, and whether it is an error. */
export async function answered(response: Response): Promise<Outcome> {
  const body: unknown = await response.json().catch(() => undefined);
  const text = response.ok ? '' : `The server sent HTTP ${response.status}.`;
  return { isError: !response.ok, structuredContent: isFields(body) ? body : {}, text };
}

async function resultIn(response: Response, id: number, { onProgress }: CallOptions): Promise<Outcome> {
  try {
    for await (const message of messagesIn(response)) {
      const { method, params, result, error } = message;
      if (method === 'notifications/progress' && isFields(params)) onProgress?.(progressOf(params));
      if (message['id'] === id && isFields(result)) return outcomeOf(result);
      if (isFields(error)) throw new PageFailure('refused', textIn(error, 'message') ?? 'The server rejected the call.', 'Try again.');
      if (typeof error === 'string')
        throw new PageFailure(error, textIn(message, 'message') ?? 'The server rejected the call.', 'Try again.');
    }
  } catch (cause) {
    throw cause instanceof PageFailure || wasAborted(cause) ? cause : unreachable();
  }
  throw new PageFailure('unreachable', 'The response of the server was cut off.', 'Try again.');
}
