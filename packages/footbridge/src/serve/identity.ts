/** The caller of a request. */
import { randomUUID } from 'node:crypto';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { type Caller, OWNER } from '../sources/resource.js';

/** A configured caller. */
export interface Identity {
  readonly name: string;
  /** The role `admin` grants access to resources with `requiresAdmin`. */
  readonly roles?: readonly string[];
}

const ANONYMOUS: Caller = { id: 'anonymous', name: 'anonymous', roles: [], admin: false };

/** The configured identity; else that of the token, with its scopes as roles; else anonymous over HTTP and the owner over stdio. */
export function callerOf(identity: Identity | undefined, http: { readonly authInfo?: AuthInfo | undefined } | undefined): Caller {
  const authInfo = http?.authInfo;
  if (identity !== undefined) return named(`identity ${JSON.stringify(identity)} ${idOf(authInfo)}`, identity.name, identity.roles);
  if (authInfo !== undefined) return named(`token ${idOf(authInfo)}`, authInfo.clientId, authInfo.scopes);
  return http === undefined ? OWNER : ANONYMOUS;
}

/** Equal for equal tokens only: one client may serve many people. */
export function idOf(authInfo: unknown): string {
  try {
    return JSON.stringify(authInfo) ?? '';
  } catch {
    // Not serializable, so not comparable: a caller of its own.
    return randomUUID();
  }
}

/** Middleware of other authors may omit required fields. */
function named(id: string, name: unknown, roles: unknown): Caller {
  const known = Array.isArray(roles) ? roles.filter((role) => typeof role === 'string') : [];
  return { id, name: typeof name === 'string' ? name : 'unnamed', roles: known, admin: known.includes('admin') };
}
