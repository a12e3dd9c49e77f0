/** The response to an HTTP request. */
import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** A body that is written in pieces. */
export type LargeBody = string | Uint8Array;
/** A longer body is large. */
export const SMALL_BODY = 64 * 1024;

/** Has headers that are sent with any answer. Node takes longer for headers that are set one by one than for a list of them. */
export class HttpResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Names in lower case, and values. */
  readonly #defaults: string[] = [];
  /** Writes a large body, and ends the response. */
  writeLarge: ((body: LargeBody) => void) | undefined;

  /** Adds a header, unless the answer has one of that name. */
  addDefault(name: string, value: string): void {
    this.#defaults.push(name, value);
  }

  override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
    if (typeof reason !== 'string') return super.writeHead(status, this.#withDefaults(reason ?? headers));
    return super.writeHead(status, reason, this.#withDefaults(headers));
  }

  override end(done?: () => void): this;
  override end(body: unknown, done?: () => void): this;
  override end(body: unknown, encoding: BufferEncoding, done?: () => void): this;
  override end(body?: unknown, encoding?: BufferEncoding | (() => void), done?: () => void): this {
    const { writeLarge } = this;
    if (writeLarge !== undefined && isLargeBody(body)) {
      this.writeLarge = undefined;
      writeLarge(body);
      return this;
    }
    return typeof encoding === 'string' ? super.end(body, encoding, done) : super.end(body, encoding);
  }

  #withDefaults(given: Headers | undefined): OutgoingHttpHeader[] {
    const all = Array.isArray(given) ? given : listOf(given);
    for (let at = 0; at < this.#defaults.length; at += 2) {
      const [name, value] = [this.#defaults[at], this.#defaults[at + 1]];
      if (name !== undefined && value !== undefined && !this.hasHeader(name) && !includesHeader(all, name)) all.push(name, value);
    }
    return all;
  }
}

function isLargeBody(body: unknown): body is LargeBody {
  return (typeof body === 'string' || body instanceof Uint8Array) && body.length > SMALL_BODY;
}

function listOf(headers: OutgoingHttpHeaders | undefined): OutgoingHttpHeader[] {
  const list: OutgoingHttpHeader[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) list.push(name, value);
  }
  return list;
}

function includesHeader(list: readonly OutgoingHttpHeader[], name: string): boolean {
  for (let at = 0; at < list.length; at += 2) if (String(list[at]).toLowerCase() === name) return true;
  return false;
}
