/** An HTTP request with its caller. */
import { hash } from 'node:crypto';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { type MemoryHold, processMemory } from '../../memory-budget.js';
import type { Cancellation } from '../../sources/context.js';
import type { Caller } from '../../sources/resource.js';
import type { Account } from '../dispatch/scope.js';
import { requestSubject, requestTarget } from '../messages.js';
import type { Ticket } from './admission.js';

export interface IncomingCall {
  /** The request ID in the log and in the response. */
  readonly id: string;
  readonly caller: Caller;
  /** The account whose limits apply. */
  readonly account: Account;
  readonly authInfo: AuthInfo | undefined;
  /** For the log. */
  asked: { readonly method: string; readonly target: string | undefined; readonly subject: string | undefined } | undefined;
  /** Counts against the limit on concurrent calls. */
  ticket: Ticket | undefined;
  /** Cancelled when the connection closes. */
  running: Cancellation | undefined;
  /** The memory that it holds until its response is closed. */
  readonly memory: MemoryHold;
}

/** A call of which only the caller is known yet. */
export function incomingCall(id: string, caller: Caller, account: Account, authInfo?: AuthInfo): IncomingCall {
  const memory = processMemory.open(account.id);
  return { id, caller, account, authInfo, asked: undefined, ticket: undefined, running: undefined, memory };
}

/** The request in a message, for the log. */
export function askedIn(message: unknown, method: string): NonNullable<IncomingCall['asked']> {
  return { method, target: requestTarget(message), subject: requestSubject(message) };
}

/** An unauthenticated caller, identified by address. */
export function anonymous(address: string): Caller {
  return { id: `address ${address}`, name: 'anonymous', roles: [], admin: false };
}

const known = new WeakMap<Caller, Caller>();

/** The caller with its roles in the ID, so that a session opened with one token is not open to another with fewer roles. */
export function withRoles(caller: Caller): Caller {
  let qualified = known.get(caller);
  if (qualified === undefined) {
    qualified = { ...caller, id: `${caller.id} ${JSON.stringify([...caller.roles].sort())}`, person: caller.id };
    known.set(caller, qualified);
  }
  return qualified;
}

/** Identifies a caller with its roles, without revealing who it is. */
export function callerDigest({ id }: Caller): string {
  return hash('sha256', id);
}
