/** Signing in with a token that was handed out. */
import type { TokenEntry } from '../options.js';
import type { SignedIn } from './authenticator.js';

/** Whose token has this digest, if anybody's. */
export type TokenLookup = (digest: string, token: string) => SignedIn | undefined;

/**
 * Looks tokens up by the SHA-256 of what was presented: how long that takes depends on a digest that nobody can steer towards a
 * configured one, so it tells nothing about the secret.
 */
export function tokenLookup(entries: readonly TokenEntry[]): TokenLookup {
  const byDigest = new Map(entries.map((entry) => [entry.sha256.toLowerCase(), entry]));
  return (digest, token) => {
    const entry = byDigest.get(digest);
    if (entry === undefined) return undefined;
    const { name, roles = [] } = entry;
    return {
      ok: true,
      caller: { id: `token ${digest}`, name, roles, admin: roles.includes('admin') },
      authInfo: { token, clientId: name, scopes: [...roles] },
    };
  };
}
