/** One HTTP request on its way through the server. */
import { createHash } from 'node:crypto';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Caller } from '../../sources/resource.js';

export interface Visit {
  /** Names the request in the log and in the answer. */
  readonly id: string;
  readonly caller: Caller;
  readonly authInfo: AuthInfo | undefined;
  /** Whether the caller's calls are counted. */
  readonly limited: boolean;
  /** What was asked, for the log. */
  asked?: { readonly method: string; readonly target: string | undefined };
}

/** Somebody who did not sign in, known by their address. */
export function anonymous(address: string): Caller {
  return { id: `address ${address}`, name: 'anonymous', roles: [], admin: false };
}

/** Tells callers apart without saying who they are. */
export function ownerOf({ id }: Caller): string {
  return createHash('sha256').update(id).digest('hex');
}
