/** The way to a server, by what it is. */
import type { UpstreamServer } from '../options.js';
import { type HttpTransportOptions, httpTransport } from './http.js';
import { inProcessTransport } from './in-process.js';
import { type StdioOptions, stdioTransport } from './stdio.js';
import type { UpstreamTransport } from './transport.js';

/** Opens a new connection each time it is called. */
export function openerOf(server: UpstreamServer, options: StdioOptions & HttpTransportOptions): () => UpstreamTransport {
  if ('server' in server) return () => inProcessTransport(server);
  if ('command' in server) return () => stdioTransport(server, options);
  return () => httpTransport(server, options);
}
