/** Servers that callers sign in to: what one sees there, no other does. */
import { randomBytes } from 'node:crypto';
import type { Source } from '../../../sources/source.js';
import type { LoginSettings } from '../../../sources/upstream/index.js';
import type { LoginStorage } from '../../../sources/upstream/sign-in/login-storage.js';
import { isProtected } from '../auth/index.js';
import type { HttpAccess } from '../options.js';
import type { SharedState } from '../shared/shared-state.js';
import { CallerSignIns } from './caller-sign-ins.js';
import { SharedLogins } from './shared-logins.js';

export interface CallerServers {
  /** Where logins are stored on this machine. With several replicas they are in Redis. */
  readonly store: LoginStorage;
  /** The key of the deployment. */
  readonly key: Buffer | undefined;
  readonly environment: NodeJS.ProcessEnv;
  source(logins: LoginSettings): Source;
}

/** `base`: the public URL without a trailing slash. Throws if the settings do not tell callers apart, or replicas lack a key. */
export function openSignIns(
  { environment, key, store }: CallerServers,
  access: HttpAccess,
  base: string | undefined,
  { values }: SharedState,
  hasReplicas: boolean,
): CallerSignIns {
  if (base === undefined || !isProtected(access))
    throw new Error('"signIn": "caller" requires http.publicUrl, and http.tokens or http.oauth, so that callers can be told apart.');
  if (!hasReplicas) return new CallerSignIns({ values, store, key: key ?? randomBytes(32), base, environment });
  if (key === undefined)
    throw new Error(
      '"signIn": "caller" with --redis requires FOOTBRIDGE_LOGIN_KEY, the same for all replicas: 64 hexadecimal digits, such as `openssl rand -hex 32` prints.',
    );
  return new CallerSignIns({ values, store: new SharedLogins(values, key), key, base, environment });
}
