/** Observes each call that `dev` serves. */
import { CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';
import { asText, type Fields, isFields } from '../../json.js';
import type { Tap, TappedRequest } from '../../serve/tap.js';
import { tokens } from '../terminal.js';

/** An answered call. Its texts are not sanitised for a terminal. */
export interface Call {
  readonly at: Date;
  readonly client: string | undefined;
  /** The tool, or the method of another request. */
  readonly name: string;
  /** Arguments of the tool, or parameters of the method. */
  readonly arguments: Fields | undefined;
  /** Only the first line. */
  readonly error: string | undefined;
  readonly milliseconds: number;
  /** Size of the answer as JSON. */
  readonly bytes: number;
  readonly tokens: number;
}

const MAX_SESSIONS = 1000;

export function observeCalls(report: (call: Call) => void): Tap {
  const clients = new Map<string, string>();
  return (asked) => {
    const began = performance.now();
    const client = clientOf(asked, clients);
    return (answer) => {
      const { name, given } = whatOf(asked);
      report({
        at: new Date(),
        client,
        name,
        arguments: given,
        error: errorIn(answer),
        milliseconds: Math.round((performance.now() - began) * 10) / 10,
        bytes: Buffer.byteLength(JSON.stringify(answer)),
        tokens: tokens(readText(asked.method, answer)),
      });
    };
  };
}

/** Since 2026-07-28 each request contains the client info; before that, only `initialize` does. */
function clientOf({ method, params, sessionId }: TappedRequest, clients: Map<string, string>): string | undefined {
  const meta = params?.['_meta'];
  const info = method === 'initialize' ? params?.['clientInfo'] : isFields(meta) ? meta[CLIENT_INFO_META_KEY] : undefined;
  const name = isFields(info) && typeof info['name'] === 'string' ? info['name'] : undefined;
  if (sessionId === undefined) return name;
  if (name !== undefined) {
    const [oldest] = clients.keys();
    if (clients.size >= MAX_SESSIONS && oldest !== undefined) clients.delete(oldest);
    clients.set(sessionId, name);
  }
  return name ?? clients.get(sessionId);
}

function whatOf({ method, params = {} }: TappedRequest): { name: string; given: Fields | undefined } {
  if (method === 'tools/call' && typeof params['name'] === 'string')
    return { name: params['name'], given: isFields(params['arguments']) ? params['arguments'] : undefined };
  // `_meta` describes the client, not the request.
  const { _meta, ...rest } = params;
  return { name: method, given: Object.keys(rest).length === 0 ? undefined : rest };
}

function errorIn(answer: object): string | undefined {
  if ('error' in answer && isFields(answer.error)) return firstLine(asText(answer.error['message']));
  const result = resultOf(answer);
  return result?.['isError'] === true ? firstLine(textsIn(result).join('\n')) : undefined;
}

function firstLine(text: string): string {
  return text.trimStart().split(/\r|\n/, 1)[0] ?? '';
}

/** The text that a host passes to its model, or the whole result. */
function readText(method: string, answer: object): string {
  const result = resultOf(answer);
  if (result === undefined) return JSON.stringify('error' in answer ? answer.error : answer);
  const texts = method === 'tools/call' ? textsIn(result) : [];
  return texts.length > 0 ? texts.join('\n') : JSON.stringify(result);
}

function resultOf(answer: object): Fields | undefined {
  return 'result' in answer && isFields(answer.result) ? answer.result : undefined;
}

function textsIn({ content }: Fields): string[] {
  return Array.isArray(content)
    ? content.flatMap((block) => (isFields(block) && typeof block['text'] === 'string' ? [block['text']] : []))
    : [];
}
