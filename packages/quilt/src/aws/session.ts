/** AWS SDK clients for the current login, created on first use. */
import type { Agent } from 'node:http';
import type { Agent as SecureAgent } from 'node:https';
import type { AthenaClient } from '@aws-sdk/client-athena';
import type { GlueClient } from '@aws-sdk/client-glue';
import type { S3Client } from '@aws-sdk/client-s3';
import type { STSClient } from '@aws-sdk/client-sts';
import { outgoingAgent } from 'footbridge/pack';
import { abortable } from '../async.js';
import { Failure } from '../failure.js';
import type { Login } from '../login/login.js';
import { type CatalogConfigs, TIMEOUT_MS } from '../registry/http.js';
import {
  type AwsCredentials,
  CachedCredentials,
  type CredentialOptions,
  type CredentialOrigin,
  credentialsTimedOut,
  findCredentials,
} from './credentials.js';
import { awsFailure } from './errors.js';

const MAX_ATTEMPTS = 3;
const CONNECT_TIMEOUT_MS = 2000;
/** At least the number of concurrent calls. */
const MAX_SOCKETS = 64;

/** A replaced session is closed after the longest read. */
const MAX_READ_MS = 60_000;

/** The clients of one login. */
export class AwsSession {
  readonly region: string;
  readonly #credentials: CachedCredentials;
  readonly #s3 = new Map<string, S3Client>();
  #sts: STSClient | undefined;
  #athena: AthenaClient | undefined;
  #glue: GlueClient | undefined;
  /** For https, to all services. */
  #agent: Promise<Agent> | undefined;
  #isRejected = false;

  constructor(region: string, find: () => Promise<AwsCredentials>) {
    this.region = region;
    this.#credentials = new CachedCredentials(find);
  }

  /** Of the credentials; undefined before first use. */
  get origin(): CredentialOrigin | undefined {
    return this.#credentials.origin;
  }

  /** Whether AWS rejected its credentials: the next read starts a new session. */
  get isRejected(): boolean {
    return this.#isRejected;
  }

  async s3(region: string = this.region): Promise<S3Client> {
    const { S3Client } = await import('./sdk/s3.js');
    // Nothing is downloaded, so checksums are not needed.
    const options = {
      followRegionRedirects: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    } as const;
    const config = await this.#config(region);
    const s3 = this.#s3.get(region) ?? new S3Client({ ...config, ...options });
    this.#s3.set(region, s3);
    return s3;
  }

  async sts(): Promise<STSClient> {
    const { STSClient } = await import('./sdk/sts.js');
    const config = await this.#config();
    this.#sts ??= new STSClient(config);
    return this.#sts;
  }

  async athena(): Promise<AthenaClient> {
    const { AthenaClient } = await import('./sdk/athena.js');
    const config = await this.#config();
    this.#athena ??= new AthenaClient(config);
    return this.#athena;
  }

  async glue(): Promise<GlueClient> {
    const { GlueClient } = await import('./sdk/glue.js');
    const config = await this.#config();
    this.#glue ??= new GlueClient(config);
    return this.#glue;
  }

  /** Calls one operation, named as its IAM action. The timeout includes finding credentials. Throws a failure. */
  async call<T>(
    operation: string,
    signal: AbortSignal,
    send: (abortSignal: AbortSignal) => Promise<T>,
    timeoutMs = TIMEOUT_MS,
  ): Promise<T> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = AbortSignal.any([signal, timeout]);
    let hasCredentials = false;
    try {
      // Not by the SDK, which would retry and ignore the signal.
      await abortable(this.#credentials.get(), either);
      hasCredentials = true;
      return await abortable(send(either), either);
    } catch (cause) {
      signal.throwIfAborted();
      if (timeout.aborted && !(cause instanceof Failure))
        throw hasCredentials ? timedOut(operation, timeoutMs, cause) : credentialsTimedOut(timeoutMs, cause);
      const failure = awsFailure(cause, operation);
      if (failure.kind === 'login') this.#isRejected = true;
      throw failure;
    }
  }

  close(): void {
    for (const client of [...this.#s3.values(), this.#sts, this.#athena, this.#glue]) client?.destroy();
  }

  async #config(region: string = this.region) {
    this.#agent ??= outgoingAgent(new URL(`https://sts.${this.region}.amazonaws.com`), { keepAlive: true, maxSockets: MAX_SOCKETS });
    return {
      region,
      // Without `memoized`, the SDK would cache credentials without expiration forever.
      credentials: Object.assign(() => this.#credentials.get(), { memoized: true }),
      maxAttempts: MAX_ATTEMPTS,
      requestHandler: {
        connectionTimeout: CONNECT_TIMEOUT_MS,
        requestTimeout: TIMEOUT_MS,
        httpAgent: { maxSockets: MAX_SOCKETS },
        // One for https, whose type is that of any agent.
        httpsAgent: (await this.#agent) as SecureAgent,
      },
    };
  }
}

function timedOut(operation: string, timeoutMs: number, cause: unknown): Failure {
  return new Failure('failed', `${operation} timed out after ${timeoutMs / 1000} s.`, { retryable: true, cause });
}

export interface AwsOptions extends CredentialOptions {
  readonly configs: CatalogConfigs;
}

export class Aws {
  readonly #options: AwsOptions;
  #current: { readonly key: string; readonly session: AwsSession } | undefined;
  /** Replaced sessions that reads may still use. */
  readonly #former = new Map<AwsSession, NodeJS.Timeout>();

  constructor(options: AwsOptions) {
    this.#options = options;
    // The SDK is bundled, so its warning about Node versions does not concern users.
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  }

  /** The session of this login. A new one is created when the login changes or its credentials were rejected. */
  async session(login: Login, signal: AbortSignal): Promise<AwsSession> {
    const region = await regionOf(login, this.#options, signal);
    const key = JSON.stringify([login.registryUrl, login.catalogUrl, login.token, region]);
    if (this.#current?.key === key && !this.#current.session.isRejected) return this.#current.session;
    if (this.#current !== undefined) this.#closeLater(this.#current.session);
    const session = new AwsSession(region, () => findCredentials(login, this.#options));
    this.#current = { key, session };
    return session;
  }

  close(): void {
    for (const [session, timer] of this.#former) {
      clearTimeout(timer);
      session.close();
    }
    this.#former.clear();
    this.#current?.session.close();
  }

  #closeLater(session: AwsSession): void {
    const timer = setTimeout(() => {
      this.#former.delete(session);
      session.close();
    }, MAX_READ_MS);
    this.#former.set(session, timer.unref());
  }
}

interface RegionOptions {
  readonly configs: CatalogConfigs;
  readonly environment: NodeJS.ProcessEnv;
}

const DEFAULT_REGION = 'us-east-1';
/** It becomes part of host names. */
const REGION = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/i;

/** From the environment, else the catalog, else the AWS configuration. Throws a failure if it is invalid. */
async function regionOf(login: Login, options: RegionOptions, signal: AbortSignal): Promise<string> {
  const { from, name } = await find(login, options, signal);
  if (REGION.test(name)) return name;
  throw new Failure('failed', `Invalid region in ${from}: ${JSON.stringify(name.slice(0, 63))}.`, {
    actions: [`Fix the region in ${from}, or set AWS_REGION in the environment of this server, such as us-east-1.`],
  });
}

async function find({ catalogUrl, region }: Login, { configs, environment }: RegionOptions, signal: AbortSignal) {
  for (const from of ['AWS_REGION', 'AWS_DEFAULT_REGION']) {
    const name = environment[from];
    if (name) return { name, from };
  }
  if (region) return { name: region, from: "quilt3's file config.yml" };
  const catalog = catalogUrl === undefined ? undefined : await configs.of(catalogUrl, signal).catch(() => undefined);
  if (catalog?.region) return { name: catalog.region, from: `${catalogUrl}/config.json` };
  const { regionOfProfile } = await import('./sdk/region.js');
  return { name: (await regionOfProfile()) || DEFAULT_REGION, from: 'the AWS profile in use' };
}
