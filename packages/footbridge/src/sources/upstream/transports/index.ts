import type { UpstreamServer } from '../options.js';
import { type HttpTransportOptions, httpTransport } from './http.js';
import { inProcessTransport } from './in-process.js';
import { type StdioTransportOptions, stdioTransport } from './stdio.js';
import type { UpstreamTransport } from './transport.js';

/** The transport for a server; each call opens a new one. */
export function openerOf(server: UpstreamServer, options: StdioTransportOptions & HttpTransportOptions): () => UpstreamTransport {
  if ('server' in server) return () => inProcessTransport(server);
  if ('command' in server) return () => stdioTransport(server, options);
  return () => httpTransport(server, options);
}
