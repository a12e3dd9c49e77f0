/** The way to AWS: clients of the SDK with the credentials and region of the present login, made when first needed. */
import type { AthenaClient } from '@aws-sdk/client-athena';
import type { GlueClient } from '@aws-sdk/client-glue';
import type { S3Client } from '@aws-sdk/client-s3';
import type { STSClient } from '@aws-sdk/client-sts';
import { Failure } from '../failure.js';
import type { Login } from '../login/login.js';
import type { CatalogConfigs } from '../registry/catalog-config.js';
import { LIMIT_MS } from '../registry/fetch-json.js';
import { type CredentialOptions, type CredentialOrigin, type Found, findCredentials } from './credentials.js';
import { awsFailure } from './failure.js';
import { credentialsLate, KeptCredentials } from './kept-credentials.js';
import { regionOf } from './region.js';
import { within } from './within.js';

/** Tries of one operation: AWS asks clients to be patient with it. */
const ATTEMPTS = 3;
const CONNECT_MS = 2000;
/** More connections than remote calls at a time are never needed. */
const SOCKETS = 64;

/** As long as a read may take that began with a session, with some to spare. */
const LONGEST_READ_MS = 60_000;

/** What a login may use until it changes. */
export class Session {
  readonly region: string;
  readonly #credentials: KeptCredentials;
  readonly #s3 = new Map<string, S3Client>();
  #sts: STSClient | undefined;
  #athena: AthenaClient | undefined;
  #glue: GlueClient | undefined;
  #isOver = false;

  constructor(region: string, find: () => Promise<Found>) {
    this.region = region;
    this.#credentials = new KeptCredentials(find);
  }

  /** Where its credentials came from; undefined before they were needed. */
  get origin(): CredentialOrigin | undefined {
    return this.#credentials.origin;
  }

  /** Whether its credentials were refused: the next read begins another. */
  get isOver(): boolean {
    return this.#isOver;
  }

  async s3(region: string = this.region): Promise<S3Client> {
    const { S3Client } = await import('./sdk/s3.js');
    // What is only looked at needs no checksums.
    const more = {
      followRegionRedirects: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    } as const;
    const s3 = this.#s3.get(region) ?? new S3Client({ ...this.#config(region), ...more });
    this.#s3.set(region, s3);
    return s3;
  }

  async sts(): Promise<STSClient> {
    const { STSClient } = await import('./sdk/sts.js');
    this.#sts ??= new STSClient(this.#config());
    return this.#sts;
  }

  async athena(): Promise<AthenaClient> {
    const { AthenaClient } = await import('./sdk/athena.js');
    this.#athena ??= new AthenaClient(this.#config());
    return this.#athena;
  }

  async glue(): Promise<GlueClient> {
    const { GlueClient } = await import('./sdk/glue.js');
    this.#glue ??= new GlueClient(this.#config());
    return this.#glue;
  }

  /** Does one operation, named as IAM names it, within its time, in which credentials are found too; throws a failure. */
  async call<T>(operation: string, signal: AbortSignal, send: (abortSignal: AbortSignal) => Promise<T>, limitMs = LIMIT_MS): Promise<T> {
    const limit = AbortSignal.timeout(limitMs);
    const either = AbortSignal.any([signal, limit]);
    let hasCredentials = false;
    try {
      // Before the SDK asks for them: it would try again what has failed, and not heed the signal.
      await within(this.#credentials.get(), either);
      hasCredentials = true;
      return await within(send(either), either);
    } catch (cause) {
      signal.throwIfAborted();
      if (limit.aborted && !(cause instanceof Failure))
        throw hasCredentials ? late(operation, limitMs, cause) : credentialsLate(limitMs, cause);
      const failure = awsFailure(cause, operation);
      if (failure.kind === 'login') this.#isOver = true;
      throw failure;
    }
  }

  close(): void {
    for (const client of [...this.#s3.values(), this.#sts, this.#athena, this.#glue]) client?.destroy();
  }

  #config(region: string = this.region) {
    return {
      region,
      // The SDK would keep, for each client, those without an end for ever.
      credentials: Object.assign(() => this.#credentials.get(), { memoized: true }),
      maxAttempts: ATTEMPTS,
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        requestTimeout: LIMIT_MS,
        httpAgent: { maxSockets: SOCKETS },
        httpsAgent: { maxSockets: SOCKETS },
      },
    };
  }
}

function late(operation: string, limitMs: number, cause: unknown): Failure {
  return new Failure('failed', `AWS did not answer ${operation} within ${limitMs / 1000} s.`, { retryable: true, cause });
}

export interface AwsOptions extends CredentialOptions {
  readonly configs: CatalogConfigs;
}

export class Aws {
  readonly #options: AwsOptions;
  #kept: { readonly key: string; readonly session: Session } | undefined;
  /** Those that reads may still be using. */
  readonly #former = new Map<Session, NodeJS.Timeout>();

  constructor(options: AwsOptions) {
    this.#options = options;
    // Which versions of Node the SDK runs on is ours to know: it comes with us.
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  }

  /** The one of this login: another login has another, and so has the next read after credentials were refused. */
  async session(login: Login, signal: AbortSignal): Promise<Session> {
    const region = await regionOf(login, this.#options, signal);
    const key = JSON.stringify([login.registryUrl, login.catalogUrl, login.token, region]);
    if (this.#kept?.key === key && !this.#kept.session.isOver) return this.#kept.session;
    if (this.#kept !== undefined) this.#closeLater(this.#kept.session);
    const session = new Session(region, () => findCredentials(login, this.#options));
    this.#kept = { key, session };
    return session;
  }

  close(): void {
    for (const [session, timer] of this.#former) {
      clearTimeout(timer);
      session.close();
    }
    this.#former.clear();
    this.#kept?.session.close();
  }

  /** Reads that began with it come to their end first. */
  #closeLater(session: Session): void {
    const timer = setTimeout(() => {
      this.#former.delete(session);
      session.close();
    }, LONGEST_READ_MS);
    this.#former.set(session, timer.unref());
  }
}
