/** The way to a server, by what it is. */
import type { UpstreamServer } from '../options.js';
import { type ChildOptions, childWire } from './child.js';
import { type HttpWireOptions, httpWire } from './http.js';
import { inProcessWire } from './in-process.js';
import type { Wire } from './wire.js';

/** Opens a new connection each time it is called. */
export function openerOf(server: UpstreamServer, options: ChildOptions & HttpWireOptions): () => Wire {
  if ('server' in server) return () => inProcessWire(server);
  if ('command' in server) return () => childWire(server, options);
  return () => httpWire(server, options);
}
