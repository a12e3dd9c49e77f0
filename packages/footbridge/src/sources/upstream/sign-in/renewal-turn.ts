/** One renewal of a login at a time, among all processes. Loaded only when a token expires. */
import { setTimeout } from 'node:timers/promises';
import type { HttpChallenge } from '../transports/http-headers.js';
import type { LoginOptions } from './login-options.js';
import { renewLogin, signInUnattended } from './token-renewal.js';

const LOOK_MS = 50;
/** Longer than a renewal may take. */
const WAIT_MS = 90_000;

export interface RenewalTurn {
  readonly id: string;
  readonly isUnattended: boolean;
  /** The token to replace. */
  readonly used: string | undefined;
  readonly challenge: HttpChallenge | undefined;
  /** For a login without a person: scopes besides those that the server usually asks for. */
  readonly additionalScope: string | undefined;
  /** The one that is stored now. */
  token(): Promise<string | undefined>;
}

/** Resolves to false if another process renewed it. Rejects where it was not renewed, and may be later. */
export async function renewInTurn(
  { environment, renewElsewhere, settings, store, subject, url }: LoginOptions,
  { additionalScope, challenge, id, isUnattended, token, used }: RenewalTurn,
): Promise<boolean> {
  if (isUnattended) {
    const options = { id, url: new URL(url), settings, store, environment, used, additionalScope };
    await signInUnattended({ ...options, subject: subject?.() }, challenge);
    return true;
  }
  const renewHere = () => renewLogin(store, id, (current) => current === used, environment);
  // Another process may be renewing it, or may have exited while doing so.
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await setTimeout(LOOK_MS)) {
    if ((await token()) !== used) return false;
    if (await store.isLocked(id)) continue;
    if (await store.alone(id, () => renewElsewhere?.(id, used) ?? renewHere())) return true;
  }
  return false;
}
