/** Where logins are stored. */
import type { AuthorizationServerMetadata, OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/server';
import { isFields } from '../../../json.js';
import type { OAuthSettings } from '../options.js';

/** Everything that is needed to renew a login without asking anyone. */
export interface LoginRecord {
  /** The URL of the server. */
  readonly server: string;
  readonly settings: OAuthSettings;
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  readonly resource: string | undefined;
  /** Whether the server was on a private network when its user signed in. */
  readonly isInside?: boolean | undefined;
  readonly client: OAuthClientInformationMixed;
  /** Whether the authorization server may have forgotten the client: it refused it, or a sign-in with it never returned. */
  readonly isClientInDoubt?: boolean | undefined;
  /** Where the client was registered with a redirect to this machine. */
  readonly redirectPort: number | undefined;
  /** Where it was registered with another redirect. */
  readonly redirectUrl?: string | undefined;
  /** Undefined after the authorization server refused to renew the login. */
  readonly tokens: OAuthTokens | undefined;
  /** Why it refused, unless the login has merely ended. */
  readonly problem?: string | undefined;
  /** When the access token expires, in milliseconds. */
  readonly expiresAt: number | undefined;
  readonly signedInAt: number;
}

/** Parses a stored login; undefined for anything else, or for another version. */
export function loginRecordIn(value: unknown): LoginRecord | undefined {
  return isLoginRecord(value) ? value : undefined;
}

function isLoginRecord(value: unknown): value is LoginRecord {
  if (!isFields(value)) return false;
  const { client, issuer, metadata, server, settings, signedInAt, tokens } = value;
  return (
    typeof server === 'string' &&
    URL.canParse(server) &&
    typeof issuer === 'string' &&
    URL.canParse(issuer) &&
    isFields(settings) &&
    isFields(metadata) &&
    typeof metadata['token_endpoint'] === 'string' &&
    isFields(client) &&
    typeof client['client_id'] === 'string' &&
    typeof signedInAt === 'number' &&
    (tokens === undefined || (isFields(tokens) && typeof tokens['access_token'] === 'string'))
  );
}

/** Where the key is that encrypts a login. */
export type KeyPlace = 'keychain' | 'file';

export interface LoginStorage {
  /** Undefined if there is none, or if it cannot be decrypted. Synchronous: a start must not wait for it. */
  read(id: string): LoginRecord | undefined;
  /** Whether there is a login that cannot be read before `update`, since its key is in a keychain that was not asked yet or refused. */
  isSealed?(id: string): boolean;
  /** Undefined where there is no such login, or where the deployment gives the key. */
  placeOf?(id: string): KeyPlace | undefined;
  /** Differs after each change. Undefined where there is no such login. Absent where only `update` finds changes. */
  revision?(id: string): string | undefined;
  /** Updates `read`, if it may be out of date. */
  update?(id: string): Promise<void>;
  /** Rejects with a `SignInError` if a login could not be written. Absent where that depends on a connection. */
  claim?(id: string): Promise<void>;
  /** The old record is kept until the new one is stored. */
  write(id: string, record: LoginRecord): Promise<void>;
  remove(id: string): Promise<void>;
  /** Runs `work` while no other process changes this login. */
  locked<T>(id: string, timeoutMs: number, work: () => Promise<T>): Promise<T>;
  /** Runs `work` unless another process is running it; returns false in that case. */
  alone(id: string, work: () => Promise<void>): Promise<boolean>;
  isLocked(id: string): Promise<boolean>;
  /** Calls `changed` when another process signs in, renews or signs out. Returns a function that stops it. */
  watch(id: string, changed: () => void): () => void;
}
