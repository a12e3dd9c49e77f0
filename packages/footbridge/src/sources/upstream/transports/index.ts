/** The transports to upstream servers: stdio, HTTP, and a server object in this process. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../../json.js';
import { takeJson } from '../../../json-pieces.js';
import type { Log } from '../../../log.js';
import { toUpstreamError, UpstreamError } from '../failure.js';
import type { RemoteServer, ServerObject, UpstreamServer } from '../options.js';
import { HttpClient } from './http-client.js';
import { HttpConnection } from './http-connection.js';
import { networkFailure } from './http-failure.js';
import { type LoginHeader, standingHeaders } from './http-headers.js';
import { type StdioTransportOptions, stdioTransport } from './stdio.js';
import type { UpstreamTransport } from './transport.js';

/** The transport for a server; each call opens a new one. */
export function openerOf(server: UpstreamServer, options: StdioTransportOptions & HttpTransportOptions): () => UpstreamTransport {
  if ('server' in server) return () => inProcessTransport(server);
  if ('command' in server) return () => stdioTransport(server, options);
  if ('held' in server)
    return () => {
      throw new UpstreamError('untrusted', server.held);
    };
  return () => httpTransport(server, options);
}

function inProcessTransport({ server }: ServerObject): UpstreamTransport {
  let closing = false;
  const far: Transport = {
    async start() {},
    async send() {},
    async close() {
      far.onclose?.();
    },
  };
  return {
    async start({ receive, closed }) {
      far.send = async (message) => {
        // Copied, so that the receiver cannot modify the server's objects.
        const sent: unknown = JSON.parse(JSON.stringify(message));
        queueMicrotask(() => isFields(sent) && !closing && receive(sent));
      };
      far.close = async () => {
        far.onclose?.();
        if (!closing) closed({ kind: 'disconnected', message: 'The server closed the connection.' });
        closing = true;
      };
      await server.connect(far);
    },
    send(message) {
      const sent = JSON.parse(takeJson(message)) as JSONRPCMessage;
      queueMicrotask(() => far.onmessage?.(sent));
    },
    async close() {
      if (closing) return;
      closing = true;
      await server.close();
    },
  };
}

interface HttpTransportOptions {
  readonly log: Log;
  /** Extra headers for a message. */
  headersFor?(message: Fields): Readonly<Record<string, string>>;
  readonly login?: LoginHeader | undefined;
}

const noHeaders = () => ({});

/** `start` only checks the settings; the first message connects. */
export function httpTransport(server: RemoteServer, { log, headersFor = noHeaders, login }: HttpTransportOptions): UpstreamTransport {
  let connection: HttpConnection | undefined;
  return {
    async start(events) {
      const url = checkedUrl(server.url);
      checkHeaders(server.headers ?? {});
      const client = await clientFor(url);
      connection = new HttpConnection({ url, client, headers: standingHeaders(server, url), events, log, headersFor, login });
    },
    send: (message) => connection?.send(message),
    agreed: (protocolVersion) => connection?.agreed(protocolVersion),
    close: async () => connection?.close(),
  };
}

async function clientFor(url: URL): Promise<HttpClient> {
  try {
    return await HttpClient.create(url);
  } catch (cause) {
    throw toUpstreamError(networkFailure(url.host, cause));
  }
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
