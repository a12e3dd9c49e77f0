/** A session with a server over HTTP, and the headers of its requests. */
import type { Fields } from '../../../json.js';
import { addModernHeaders, allowed, claimedVersion, eventIdHeader, type LoginHeader } from './http-headers.js';

export interface HttpSessionOptions {
  /** Headers of every request. */
  readonly headers: readonly string[];
  headersFor(message: Fields): Readonly<Record<string, string>>;
  readonly login: LoginHeader | undefined;
}

/** From this version on there are no sessions, and closing the stream cancels a request. */
const STATELESS_SINCE = '2026-07-28';

export class HttpSession {
  readonly #options: HttpSessionOptions;
  /** Assigned by the server; undefined before that, and where the server has no sessions. */
  id: string | undefined;
  /** The protocol version that was negotiated. */
  version: string | undefined;

  constructor(options: HttpSessionOptions) {
    this.#options = options;
  }

  get isStateless(): boolean {
    return this.version !== undefined && this.version >= STATELESS_SINCE;
  }

  /** Of a request without a body. */
  headers(): string[] {
    const headers = this.#standingHeaders();
    this.#addSession(headers);
    return headers;
  }

  postHeaders(message: Fields, body: string): string[] {
    const headers = this.#standingHeaders();
    headers.push('content-type', 'application/json', 'accept', 'application/json, text/event-stream');
    headers.push('content-length', String(Buffer.byteLength(body)));
    const claimed = claimedVersion(message);
    if (claimed !== undefined) {
      headers.push('mcp-protocol-version', claimed);
      addModernHeaders(headers, message);
    } else if (message['method'] !== 'initialize') this.#addSession(headers);
    headers.push(...allowed(this.#options.headersFor(message)));
    return headers;
  }

  streamHeaders(lastEventId?: string): string[] {
    const headers = this.headers();
    headers.push('accept', 'text/event-stream');
    const id = lastEventId === undefined ? undefined : eventIdHeader(lastEventId);
    if (id !== undefined) headers.push('last-event-id', id);
    return headers;
  }

  #standingHeaders(): string[] {
    const { headers, login } = this.#options;
    return login?.header === undefined ? [...headers] : [...headers, 'authorization', login.header];
  }

  #addSession(headers: string[]): void {
    if (this.version !== undefined) headers.push('mcp-protocol-version', this.version);
    if (this.id !== undefined) headers.push('mcp-session-id', this.id);
  }
}
