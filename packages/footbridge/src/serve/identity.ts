/** Who a request comes from. */
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
  if (identity !== undefined)
    return named(JSON.stringify(['identity', identity.name, identity.roles]), identity.name, identity.roles ?? []);
  if (http?.authInfo !== undefined) return named(`token ${http.authInfo.token}`, http.authInfo.clientId, http.authInfo.scopes);
  return http === undefined ? OWNER : ANONYMOUS;
}

function named(id: string, name: string, roles: readonly string[]): Caller {
  return { id, name, roles, admin: roles.includes(ADMIN) };
}
