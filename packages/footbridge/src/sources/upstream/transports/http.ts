/** Streamable HTTP in every version, with a fallback to HTTP+SSE. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Fields } from '../../../json.js';
import type { Log } from '../../../log.js';
import { UpstreamError } from '../failure.js';
import type { RemoteServer } from '../options.js';
import { HttpConnection } from './http-connection.js';
import { standingHeaders } from './http-headers.js';
import type { UpstreamTransport } from './transport.js';

export interface HttpTransportOptions {
  readonly log: Log;
  /** Extra headers for a message. */
  headersFor?(message: Fields): Readonly<Record<string, string>>;
}

const noHeaders = () => ({});

/** `start` only checks the settings; the first message connects. */
export function httpTransport(server: RemoteServer, { log, headersFor = noHeaders }: HttpTransportOptions): UpstreamTransport {
  let connection: HttpConnection | undefined;
  return {
    async start(events) {
      const url = checkedUrl(server.url);
      checkHeaders(server.headers ?? {});
      connection = new HttpConnection({ url, headers: standingHeaders(server, url), events, log, headersFor });
    },
    send: (message) => connection?.send(message),
    agreed: (protocolVersion) => connection?.agreed(protocolVersion),
    close: async () => connection?.close(),
  };
}

function checkedUrl(text: string): URL {
  if (!URL.canParse(text)) throw new UpstreamError('invalid', 'Invalid URL.');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new UpstreamError('invalid', `Unsupported URL scheme "${url.protocol}". Use http: or https:.`);
  return url;
}

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      throw new UpstreamError('invalid', `The header '${name}' has a name or a value that HTTP does not allow.`);
    }
  }
}
