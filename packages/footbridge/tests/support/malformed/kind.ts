/** What a kind of malformed request is, and the well-formed ones that they are made from. */
import type { Json } from '../client.js';
import { ENVELOPE } from '../http-server.js';
import type { RawRequest } from '../raw-http.js';

export interface Kind {
  /** The statuses that say what is wrong. */
  readonly statuses: readonly number[];
  /** How many are made; fewer where each is large. Default 25. */
  readonly variants?: number;
  make(random: Random): RawRequest;
}

/** Choices that are the same in every run. */
export class Random {
  #state: number;

  constructor(
    seed: number,
    /** Counts the variants of a kind, so that each of a few ways is taken. */
    readonly index: number,
  ) {
    this.#state = seed * 1000 + index;
  }

  /** From `low`, below `high`. */
  integer(low: number, high: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let value = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return low + Math.floor((((value ^ (value >>> 14)) >>> 0) / 2 ** 32) * (high - low));
  }

  coin(): boolean {
    return this.integer(0, 2) === 0;
  }

  /** Each in its turn. */
  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.index % choices.length] ?? choices[0];
  }

  text(low: number, high: number, letters = 'abcdefghijklmnopqrstuvwxyz0123456789'): string {
    return Array.from({ length: this.integer(low, high) }, () => letters[this.integer(0, letters.length)]).join('');
  }
}

export type Headers = Readonly<Record<string, string | undefined>>;

const MODERN = '2026-07-28';
const CALL = { name: 'skill', arguments: { name: 'git' } };
const MODERN_HEADERS = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'skill' };

export const modernMessage = (changes: Json = {}): Json => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { ...CALL, _meta: ENVELOPE },
  ...changes,
});
export const legacyMessage = (changes: Json = {}): Json => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALL, ...changes });
export const withEnvelope = (envelope: unknown): Json => modernMessage({ params: { ...CALL, _meta: envelope } });

export function head(method: string, path: string, headers: Headers, version = '1.1'): string {
  const all: Headers = { host: '127.0.0.1', ...headers };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]));
  return `${method} ${path} HTTP/${version}\r\n${lines.join('')}\r\n`;
}

export const POST_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A post of text, or of anything as JSON. */
export function post(body: unknown, headers: Headers = {}, path = '/mcp'): RawRequest {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { pieces: [head('POST', path, { ...POST_HEADERS, 'content-length': String(bytes.length), ...headers }), bytes] };
}

export const postModern = (body: unknown, headers: Headers = {}) => post(body, { ...MODERN_HEADERS, ...headers });
/** In the words of one era or the other. */
export const postEitherText = (random: Random, text: string) => (random.coin() ? postModern(text) : post(text));
export const postEither = (random: Random, changes: Json) =>
  random.coin() ? postModern(modernMessage(changes)) : post(legacyMessage(changes));

/** The same request in a session, where it is a message of one. */
export function inSession(request: RawRequest, session: string): RawRequest {
  const [first = '', ...others] = request.pieces;
  if (typeof first !== 'string' || !first.startsWith('POST /mcp ')) return request;
  return { ...request, pieces: [first.replace('\r\n', `\r\nMcp-Session-Id: ${session}\r\n`), ...others] };
}
