/** What `dev` tells of each call: who asked what, and what came of it. */
import { CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import type { Tap, TappedRequest } from '../../serve/tap.js';
import { tokens } from '../terminal.js';

/** A call that was answered. Texts are as they came, so they are not fit for a terminal yet. */
export interface Call {
  readonly at: Date;
  /** What the client calls itself, where it is known. */
  readonly client: string | undefined;
  /** The tool; of what is no call of a tool the method. */
  readonly name: string;
  /** Of the tool, or the parameters of the method; undefined where there are none. */
  readonly arguments: Fields | undefined;
  /** The first line of the error; undefined when all went well. */
  readonly error: string | undefined;
  readonly milliseconds: number;
  /** Of the answer as JSON. */
  readonly bytes: number;
  /** About what a model pays for it. */
  readonly tokens: number;
}

/** Sessions whose clients are remembered. */
const MOST_SESSIONS = 1000;

/** A tap that tells of each call when it was answered. */
export function tellCalls(tell: (call: Call) => void): Tap {
  const clients = new Map<string, string>();
  return (asked) => {
    const began = performance.now();
    const client = clientOf(asked, clients);
    return (answer) => {
      const { name, given } = whatOf(asked);
      tell({
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

/** Since 2026-07-28 each request says who asks; before, a session began with it. */
function clientOf({ method, params, sessionId }: TappedRequest, clients: Map<string, string>): string | undefined {
  const meta = params?.['_meta'];
  const info = method === 'initialize' ? params?.['clientInfo'] : isFields(meta) ? meta[CLIENT_INFO_META_KEY] : undefined;
  const name = isFields(info) && typeof info['name'] === 'string' ? info['name'] : undefined;
  if (sessionId === undefined) return name;
  if (name !== undefined) {
    const [oldest] = clients.keys();
    if (clients.size >= MOST_SESSIONS && oldest !== undefined) clients.delete(oldest);
    clients.set(sessionId, name);
  }
  return name ?? clients.get(sessionId);
}

function whatOf({ method, params = {} }: TappedRequest): { name: string; given: Fields | undefined } {
  if (method === 'tools/call' && typeof params['name'] === 'string')
    return { name: params['name'], given: isFields(params['arguments']) ? params['arguments'] : undefined };
  // What clients say of themselves with each request is not what they ask.
  const { _meta, ...rest } = params;
  return { name: method, given: Object.keys(rest).length === 0 ? undefined : rest };
}

function errorIn(answer: object): string | undefined {
  if ('error' in answer && isFields(answer.error)) return firstLine(String(answer.error['message']));
  const result = resultOf(answer);
  return result?.['isError'] === true ? firstLine(textsIn(result).join('\n')) : undefined;
}

function firstLine(text: string): string {
  return text.trimStart().split(/\r|\n/, 1)[0] ?? '';
}

/** Of a tool's result the text, as most hosts hand it on; of all else the whole. */
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
