/** MCP requests of revision 2026-07-28 to the endpoint that hosts use. */
import { type Fields, fieldsIn, isFields, textIn } from './json.js';
import { Problem, request } from './request.js';

const VERSION = '2026-07-28';

const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'footbridge-page', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export interface Content {
  readonly uri: string;
  readonly mimeType: string | undefined;
  readonly text: string | undefined;
  /** Base64. */
  readonly blob: string | undefined;
}

export async function readResource(uri: string, signal?: AbortSignal): Promise<readonly Content[]> {
  const result = await call('resources/read', uri, { uri }, signal);
  return fieldsIn(result['contents']).map(contentOf);
}

export function contentOf(fields: Fields): Content {
  return {
    uri: textIn(fields, 'uri') ?? '',
    mimeType: textIn(fields, 'mimeType'),
    text: textIn(fields, 'text'),
    blob: textIn(fields, 'blob'),
  };
}

/** The whole result; a tool error is a result too. */
export function callTool(name: string, input: Fields): Promise<Fields> {
  return call('tools/call', name, { name, arguments: input });
}

async function call(method: string, name: string, params: Fields, signal?: AbortSignal): Promise<Fields> {
  const response = await request('mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      'mcp-name': headerValue(name),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
    signal,
  });
  const message = await messageOf(response);
  if (isFields(message['result'])) return message['result'];
  const error = isFields(message['error']) ? message['error'] : {};
  throw new Problem('refused', textIn(error, 'message') ?? 'The server sent an invalid response.');
}

/** The response, sent as JSON or as the last event of a stream. */
async function messageOf(response: Response): Promise<Fields> {
  const body = await response.text();
  const streamed = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const texts = streamed ? [...body.matchAll(/^data: ?(.+)$/gm)].map(([, data = '']) => data) : [body];
  const messages = texts.map(parse).filter(isFields);
  return messages.findLast((message) => 'id' in message) ?? messages.at(-1) ?? {};
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Base64 with markers for values that a header cannot hold, as MCP specifies. */
export function headerValue(text: string): string {
  const plain = /^[\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  if (plain) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}?=`;
}
