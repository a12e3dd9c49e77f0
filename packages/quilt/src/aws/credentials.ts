/** Where the credentials for AWS come from: the environment, the registry, which lends them, or AWS's own configuration. */
import * as z from 'zod/v4';
import { Failure, outcome } from '../failure.js';
import { addressOf } from '../login/address.js';
import type { Login } from '../login/login.js';
import { quiltFolder, readConfig, readCredentials } from '../login/quilt-files.js';
import { LIMIT_MS } from '../registry/fetch-json.js';
import type { Registry } from '../registry/registry.js';
import type { Secrets } from '../secrets.js';

/** `auto`: what the environment names, else what the registry lends; where it lends none, what AWS's own configuration has. */
export type CredentialChoice = 'auto' | 'quilt' | 'aws';

/** For people: where those in use came from. */
export type CredentialOrigin = 'environment' | 'quilt' | 'aws configuration';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}

export interface Found {
  readonly credentials: Credentials;
  readonly origin: CredentialOrigin;
}

export interface CredentialOptions {
  readonly choice: CredentialChoice;
  readonly environment: NodeJS.ProcessEnv;
  readonly registry: Registry;
  readonly secrets: Secrets;
}

const LENT = z.object({
  AccessKeyId: z.string().min(1),
  SecretAccessKey: z.string().min(1),
  SessionToken: z.string(),
  Expiration: z.string().refine((time) => !Number.isNaN(Date.parse(time))),
});

/** Throws a failure, or the SDK's own error, where there are none. */
export async function findCredentials(login: Login, options: CredentialOptions): Promise<Found> {
  const found = await find(login, options);
  const { accessKeyId, secretAccessKey, sessionToken } = found.credentials;
  options.secrets.add(accessKeyId, secretAccessKey, sessionToken);
  return found;
}

async function find(login: Login, { choice, environment, registry }: CredentialOptions): Promise<Found> {
  const named = isNamed(environment);
  if (choice === 'aws' || (choice === 'auto' && (named || login.state === 'out'))) return ownConfiguration(named);
  const asked = await lent(login, registry, environment);
  if (!(asked instanceof Failure)) return { credentials: asked, origin: 'quilt' };
  if (choice === 'quilt') throw asked;
  // The way to mend the login is of more use than to hear that there is nothing else.
  return ownConfiguration(named).catch((cause: unknown) => {
    throw cause instanceof Error && cause.name === 'CredentialsProviderError' ? asked : cause;
  });
}

const NAMES = [
  'AWS_PROFILE',
  'AWS_ACCESS_KEY_ID',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

function isNamed(environment: NodeJS.ProcessEnv): boolean {
  return NAMES.some((name) => Boolean(environment[name]));
}

/** How long the metadata service of a virtual machine may take, twice: on other machines nobody answers. */
const METADATA_MS = 400;

async function ownConfiguration(named: boolean): Promise<Found> {
  const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
  // Files are read anew: somebody may just have renewed what they hold.
  const credentials = await defaultProvider({ timeout: METADATA_MS, maxRetries: 0, ignoreCache: true })();
  return { credentials, origin: named ? 'environment' : 'aws configuration' };
}

/** How long the registry may take: what is left of the limit is for AWS. */
const LEND_MS = LIMIT_MS - 2000;

/**
 * A failure is returned where the registry lends none to anybody. One that is away or in trouble, or that refuses the login, throws:
 * whoever asks shall not become somebody else to AWS because of it.
 */
async function lent(login: Login, registry: Registry, environment: NodeJS.ProcessEnv): Promise<Credentials | Failure> {
  const asked = await ask(login, registry);
  if (!(asked instanceof Failure)) return asked;
  if (asked.kind !== 'failed') throw asked;
  const kept = await keptCredentials(login, environment);
  if (kept !== undefined) return kept;
  if (asked instanceof LendsNone) return asked;
  throw asked;
}

class LendsNone extends Failure {}

async function ask(login: Login, registry: Registry): Promise<Credentials | Failure> {
  const limit = AbortSignal.timeout(LEND_MS);
  const answer = await outcome(registry.get(login, '/api/auth/get_credentials', limit));
  if (answer instanceof Failure) return limit.aborted && answer.kind === 'failed' ? lateLender(login, answer) : answer;
  const { json, status } = answer;
  const checked = LENT.safeParse(json);
  if (status === 200 && checked.success) {
    const { AccessKeyId, Expiration, SecretAccessKey, SessionToken } = checked.data;
    return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken, expiration: new Date(Expiration) };
  }
  const message = `The registry lends no AWS credentials (status ${status}).`;
  if (status === 200 || status === 404) return new LendsNone('failed', message);
  return new Failure('failed', message, { retryable: status === 429 || status >= 500 });
}

function lateLender({ catalogUrl, registryUrl }: Login, cause: Failure): Failure {
  const place = registryUrl ?? catalogUrl;
  const message = `The registry${place === undefined ? '' : ` at ${place}`} did not lend AWS credentials within ${LEND_MS / 1000} s.`;
  return new Failure('failed', message, { retryable: true, actions: cause.actions, cause });
}

/** Those that end sooner are not begun with. */
const MARGIN_MS = 60_000;

/** Those that `quilt3` was lent last, while they are good, and where they are of the same registry: the one it is configured for. */
async function keptCredentials(login: Login, environment: NodeJS.ProcessEnv): Promise<Credentials | undefined> {
  if (login.from !== 'quilt3') return undefined;
  const folder = quiltFolder(environment);
  const [kept, config] = await Promise.all([readCredentials(folder), readConfig(folder)]);
  const expiration = new Date(kept?.expiry_time ?? Number.NaN);
  if (kept === undefined || !(expiration.getTime() > Date.now() + MARGIN_MS)) return undefined;
  if (login.registryUrl === undefined || addressOf(config.value?.registryUrl) !== login.registryUrl) return undefined;
  return {
    accessKeyId: kept.access_key,
    secretAccessKey: kept.secret_key,
    ...(kept.token ? { sessionToken: kept.token } : {}),
    expiration,
  };
}
