/** When a login is renewed. */
import type { LoginRecord } from './login-storage.js';

/** A token is renewed this long before it expires; one with a short life, when a fifth of it is left. */
const EARLY_MS = 30_000;
const EARLY_SHARE = 5;

/** In milliseconds; infinite where the token does not expire. */
export function renewalTime({ expiresAt, tokens }: Partial<LoginRecord> = {}): number {
  if (expiresAt === undefined || tokens === undefined) return Number.POSITIVE_INFINITY;
  const lifetimeMs = (tokens.expires_in ?? Number.POSITIVE_INFINITY) * 1000;
  return expiresAt - Math.min(EARLY_MS, lifetimeMs / EARLY_SHARE);
}
