/** Routes of Hono's that see Node's own request. */
import type { HttpBindings } from '@hono/node-server';

export type NodeEnvironment = { Bindings: HttpBindings };
