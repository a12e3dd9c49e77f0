/** Handles a challenge for a scope that a login lacks. Loaded only then. */
import { echo } from '../../../errors.js';
import type { HttpChallenge } from '../transports/http-headers.js';
import { hasScope, type MissingScope, missingScope, scopeUnion } from './protected-resource.js';

export interface Scopes {
  /** Those of the login. */
  readonly granted: string | undefined;
  /** Requested before. */
  readonly requested: string | undefined;
  /** Whether to request what the server lists, if it does not name the scope. */
  readonly mayGuess: boolean;
}

export type StepUp =
  /** The scopes to request; undefined where the server does not name the missing one. */
  | MissingScope
  /** Requesting the scope again would not help. */
  | { readonly problem: string };

/** Undefined if the challenge is about something else. */
export function stepUpFor(challenge: HttpChallenge, { granted, mayGuess, requested }: Scopes): StepUp | undefined {
  const missing = missingScope(challenge);
  if (missing === undefined) return undefined;
  const { scope } = missing;
  if (scope === undefined)
    return mayGuess ? { scope: granted } : { problem: 'It requires a scope that it does not name. Ask its operator.' };
  if (!hasScope(scopeUnion(granted, requested), scope)) return { scope: scopeUnion(granted, scope) };
  const what = hasScope(granted, scope) ? 'which the login has' : 'which was requested and not granted';
  return { problem: `It requires the scope "${echo(scope)}", ${what}. Ask its operator for access.` };
}
