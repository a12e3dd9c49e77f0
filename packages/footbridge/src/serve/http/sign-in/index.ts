/** Servers that callers sign in to. No caller sees another's content. */
import { randomBytes } from 'node:crypto';
import type { Caller } from '../../../sources/resource.js';
import type { Source } from '../../../sources/source.js';
import type { LoginSettings } from '../../../sources/upstream/index.js';
import type { LoginStorage } from '../../../sources/upstream/sign-in/login-storage.js';
import { isProtected } from '../auth/index.js';
import type { HttpAccess } from '../options.js';
import type { SharedState } from '../shared/shared-state.js';
import { CallerSignIns } from './caller-sign-ins.js';
import type { CallerTokens } from './caller-tokens.js';
import { SharedLogins } from './shared-logins.js';

export interface CallerServers {
  /** Whether tokens of callers are exchanged, and whether callers sign in. */
  readonly uses: { readonly exchange: boolean; readonly pages: boolean };
  /** Where logins are stored on this machine. With several replicas they are in Redis. */
  readonly store: LoginStorage;
  /** The key of the deployment. */
  readonly key: Buffer | undefined;
  readonly environment: NodeJS.ProcessEnv;
  source(logins: LoginSettings): Source;
}

/** `base`: the public URL without a trailing slash. Throws if the settings do not distinguish callers, or replicas lack a key. */
export function openSignIns(
  { environment, key, store, uses }: CallerServers,
  access: HttpAccess,
  publicBase: string | undefined,
  tokens: CallerTokens,
  { values }: SharedState,
  hasReplicas: boolean,
): CallerSignIns {
  if (uses.exchange && access.oauth === undefined)
    throw new Error('"signIn": "exchange" requires http.oauth: the tokens of its authorization server are exchanged.');
  if (uses.pages && (publicBase === undefined || !isProtected(access)))
    throw new Error('"signIn": "caller" requires http.publicUrl, and http.tokens or http.oauth, so that callers can be distinguished.');
  const common = { values, base: publicBase ?? '', environment, subjectOf: (caller: Caller) => tokens.of(caller) };
  if (!hasReplicas) return new CallerSignIns({ ...common, store, key: key ?? randomBytes(32) });
  if (key === undefined)
    throw new Error(
      '"signIn": "caller" or "exchange" with --redis requires FOOTBRIDGE_LOGIN_KEY, the same for all replicas: 64 hexadecimal digits, such as `openssl rand -hex 32` prints.',
    );
  return new CallerSignIns({ ...common, store: new SharedLogins(values, key), key });
}
