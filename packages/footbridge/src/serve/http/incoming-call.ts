/** One HTTP request on its way through the server. */
import { hash } from 'node:crypto';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Caller } from '../../sources/resource.js';
import type { Account } from '../dispatch/scope.js';
import type { Ticket } from './admission.js';

export interface IncomingCall {
  /** Names the request in the log and in the answer. */
  readonly id: string;
  readonly caller: Caller;
  /** Whose limits it counts against. */
  readonly account: Account;
  readonly authInfo: AuthInfo | undefined;
  /** What was asked, for the log. */
  asked?: { readonly method: string; readonly target: string | undefined };
  /** The caller's place among those that are served side by side. */
  ticket?: Ticket;
}

/** Somebody who did not sign in, known by their address. */
export function anonymous(address: string): Caller {
  return { id: `address ${address}`, name: 'anonymous', roles: [], admin: false };
}

const known = new WeakMap<Caller, Caller>();

/** The same caller, apart from themselves with other roles: what one token opens is not there for another that opens less. */
export function withRoles(caller: Caller): Caller {
  let apart = known.get(caller);
  if (apart === undefined) {
    apart = { ...caller, id: `${caller.id} ${JSON.stringify([...caller.roles].sort())}`, person: caller.id };
    known.set(caller, apart);
  }
  return apart;
}

/** Tells callers apart, and their roles, without saying who they are. */
export function callerDigest({ id }: Caller): string {
  return hash('sha256', id);
}
