/** AWS credentials: from the environment, issued by the registry, or from the AWS configuration. */
import * as z from 'zod/v4';
import { abortable } from '../async.js';
import { Failure, outcome } from '../failure.js';
import type { Login } from '../login/login.js';
import { normalizeUrl, quiltFolder, readConfig, readCredentials } from '../login/quilt-files.js';
import { TIMEOUT_MS } from '../registry/http.js';
import type { Registry } from '../registry/registry.js';
import type { Secrets } from '../secrets.js';

/** `auto`: from the environment, else issued by the registry, else from the AWS configuration. */
export type CredentialChoice = 'auto' | 'quilt' | 'aws';
export type CredentialOrigin = 'environment' | 'quilt' | 'aws configuration';

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

export interface AwsCredentials {
  readonly credentials: Credentials;
  readonly origin: CredentialOrigin;
}

export interface CredentialOptions {
  readonly choice: CredentialChoice;
  readonly environment: NodeJS.ProcessEnv;
  readonly registry: Registry;
  readonly secrets: Secrets;
}

const ISSUED = z.object({
  AccessKeyId: z.string().min(1),
  SecretAccessKey: z.string().min(1),
  SessionToken: z.string(),
  Expiration: z.string().refine((time) => !Number.isNaN(Date.parse(time))),
});

/** Throws a failure, or the SDK's error, if there are none. */
export async function findCredentials(login: Login, options: CredentialOptions): Promise<AwsCredentials> {
  const found = await find(login, options);
  const { accessKeyId, secretAccessKey, sessionToken } = found.credentials;
  options.secrets.add(accessKeyId, secretAccessKey, sessionToken);
  return found;
}

async function find(login: Login, { choice, environment, registry }: CredentialOptions): Promise<AwsCredentials> {
  const isSet = VARIABLES.some((name) => Boolean(environment[name]));
  if (choice === 'aws' || (choice === 'auto' && (isSet || login.state === 'out'))) return fromAwsConfiguration(isSet);
  const issued = await fromRegistry(login, registry, environment);
  if (!(issued instanceof Failure)) return { credentials: issued, origin: 'quilt' };
  if (choice === 'quilt') throw issued;
  // How to fix the login is more useful than the error that nothing else was found.
  return fromAwsConfiguration(isSet).catch((cause: unknown) => {
    throw cause instanceof Error && cause.name === 'CredentialsProviderError' ? issued : cause;
  });
}

const VARIABLES = [
  'AWS_PROFILE',
  'AWS_ACCESS_KEY_ID',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

/** For the instance metadata service, twice; outside of EC2 it does not respond. */
const METADATA_TIMEOUT_MS = 400;

async function fromAwsConfiguration(isSet: boolean): Promise<AwsCredentials> {
  const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
  // Without the cache, since the files may have just changed.
  const credentials = await defaultProvider({ timeout: METADATA_TIMEOUT_MS, maxRetries: 0, ignoreCache: true })();
  return { credentials, origin: isSet ? 'environment' : 'aws configuration' };
}

/** Leaves time for the call to AWS. */
const REGISTRY_TIMEOUT_MS = TIMEOUT_MS - 2000;

/**
 * Returns a failure if the registry issues no credentials to anyone. Throws if it is unreachable or rejects the login: falling back to
 * other credentials would silently change the AWS identity.
 */
async function fromRegistry(login: Login, registry: Registry, environment: NodeJS.ProcessEnv): Promise<Credentials | Failure> {
  const issued = await requestCredentials(login, registry);
  if (!(issued instanceof Failure)) return issued;
  if (issued.kind !== 'failed') throw issued;
  const stored = await storedCredentials(login, environment);
  if (stored !== undefined) return stored;
  if (issued instanceof NotIssued) return issued;
  throw issued;
}

class NotIssued extends Failure {}

async function requestCredentials(login: Login, registry: Registry): Promise<Credentials | Failure> {
  const timeout = AbortSignal.timeout(REGISTRY_TIMEOUT_MS);
  const response = await outcome(registry.get(login, '/api/auth/get_credentials', timeout));
  if (response instanceof Failure) return timeout.aborted && response.kind === 'failed' ? registryTimedOut(login, response) : response;
  const { json, status } = response;
  const checked = ISSUED.safeParse(json);
  if (status === 200 && checked.success) {
    const { AccessKeyId, Expiration, SecretAccessKey, SessionToken } = checked.data;
    return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken, expiration: new Date(Expiration) };
  }
  const message = `The registry issues no AWS credentials (HTTP ${status}).`;
  if (status === 200 || status === 404) return new NotIssued('failed', message);
  return new Failure('failed', message, { retryable: status === 429 || status >= 500 });
}

function registryTimedOut({ catalogUrl, registryUrl }: Login, cause: Failure): Failure {
  const url = registryUrl ?? catalogUrl;
  const message = `The registry${url === undefined ? '' : ` at ${url}`} did not return AWS credentials within ${REGISTRY_TIMEOUT_MS / 1000} s.`;
  return new Failure('failed', message, { retryable: true, actions: cause.actions, cause });
}

/** Credentials that expire sooner are not used. */
const MARGIN_MS = 60_000;

/** The last credentials that were issued to `quilt3`, if they are valid and of the same registry. */
async function storedCredentials(login: Login, environment: NodeJS.ProcessEnv): Promise<Credentials | undefined> {
  if (login.from !== 'quilt3') return undefined;
  const folder = quiltFolder(environment);
  const [stored, config] = await Promise.all([readCredentials(folder), readConfig(folder)]);
  const expiration = new Date(stored?.expiry_time ?? Number.NaN);
  if (stored === undefined || !(expiration.getTime() > Date.now() + MARGIN_MS)) return undefined;
  if (login.registryUrl === undefined || normalizeUrl(config.value?.registryUrl) !== login.registryUrl) return undefined;
  return { accessKeyId: stored.access_key, secretAccessKey: stored.secret_key, sessionToken: stored.token || undefined, expiration };
}

/** Renewed this long before they expire. */
const RENEW_BEFORE_MS = 5 * 60_000;
/** Credentials without an expiration are looked up again, since the files may have changed. */
const MAX_AGE_MS = 15 * 60_000;
const FIND_TIMEOUT_MS = 30_000;

/** The credentials of a session. Concurrent calls share one lookup. */
export class CachedCredentials {
  readonly #find: () => Promise<AwsCredentials>;
  #cached: { readonly found: AwsCredentials; readonly until: number } | undefined;
  #pending: Promise<AwsCredentials> | undefined;

  constructor(find: () => Promise<AwsCredentials>) {
    this.#find = find;
  }

  get origin(): CredentialOrigin | undefined {
    return this.#cached?.found.origin;
  }

  /** If the lookup fails temporarily, the cached credentials are used until they expire. */
  async get(): Promise<Credentials> {
    if (this.#cached !== undefined && Date.now() < this.#cached.until) return this.#cached.found.credentials;
    this.#pending ??= this.#renew().finally(() => {
      this.#pending = undefined;
    });
    return (await this.#pending).credentials;
  }

  async #renew(): Promise<AwsCredentials> {
    const timeout = AbortSignal.timeout(FIND_TIMEOUT_MS);
    try {
      const found = await abortable(this.#find(), timeout);
      this.#cached = { found, until: Date.now() + cacheTime(found.credentials) };
      return found;
    } catch (cause) {
      const failure = timeout.aborted ? credentialsTimedOut(FIND_TIMEOUT_MS, cause) : cause;
      const cached = this.#cached?.found;
      if (cached !== undefined && failure instanceof Failure && failure.retryable && remaining(cached.credentials) > 0) return cached;
      throw failure;
    }
  }
}

/** At least half of the remaining lifetime. */
function cacheTime(credentials: Credentials): number {
  const left = remaining(credentials);
  return credentials.expiration === undefined ? MAX_AGE_MS : Math.max(left - RENEW_BEFORE_MS, left / 2);
}

function remaining({ expiration }: Credentials): number {
  return expiration === undefined ? Number.POSITIVE_INFINITY : expiration.getTime() - Date.now();
}

export function credentialsTimedOut(timeoutMs: number, cause: unknown): Failure {
  return new Failure('failed', `Getting AWS credentials timed out after ${timeoutMs / 1000} s.`, {
    retryable: true,
    actions: ['Check their source: the credential_process or the SSO session of the AWS profile in use (`aws sso login`).'],
    cause,
  });
}
