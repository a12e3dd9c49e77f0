/** Who a request comes from. */
import { randomUUID } from 'node:crypto';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { type Caller, OWNER } from '../sources/resource.js';

/** A caller as whoever runs the server names them. */
export interface Identity {
  readonly name: string;
  /** `admin` is the one that opens resources with `requiresAdmin`. */
  readonly roles?: readonly string[];
}

const ADMIN = 'admin';

/** Somebody on the network who did not say who they are. */
const ANONYMOUS: Caller = { id: 'anonymous', name: 'anonymous', roles: [], admin: false };

/**
 * The identity that was configured; else the one of the token that came with the request, whose scopes are its roles; else
 * nobody over HTTP, and the owner of the machine where the request came from this machine's own process.
 */
export function callerOf(identity: Identity | undefined, http: { readonly authInfo?: AuthInfo | undefined } | undefined): Caller {
  const authInfo = http?.authInfo;
  if (identity !== undefined) return named(`identity ${JSON.stringify(identity)} ${idOf(authInfo)}`, identity.name, identity.roles);
  if (authInfo !== undefined) return named(`token ${idOf(authInfo)}`, authInfo.clientId, authInfo.scopes);
  return http === undefined ? OWNER : ANONYMOUS;
}

/** The same for two tokens exactly when all that is known of them is: one program may ask for many people. */
export function idOf(authInfo: unknown): string {
  try {
    return JSON.stringify(authInfo) ?? '';
  } catch {
    // What cannot be compared is nobody else.
    return randomUUID();
  }
}

/** Middleware of others may leave out what the types promise. */
function named(id: string, name: unknown, roles: unknown): Caller {
  const known = Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [];
  return { id, name: typeof name === 'string' ? name : 'unnamed', roles: known, admin: known.includes(ADMIN) };
}
