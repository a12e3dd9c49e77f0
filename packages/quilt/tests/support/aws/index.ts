/**
 * An AWS server on loopback for AWS_ENDPOINT_URL: S3, STS, Athena and Glue, with signature checks.
 *
 *     const aws = await startAws();                                    // with the data of seedWorld()
 *     aws.world.buckets.push({ … });                                   // at any time
 *     aws.misbehave('athena:ListWorkGroups', { kind: 'throttle', times: 2 });
 *     aws.behave();                                                    // normal again
 *     aws.requests; aws.mostAtOnce; aws.stored();                      // recorded requests and objects
 *     await aws.close();
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { listenOnLoopback } from '../loopback.js';
import { answerAthena } from './athena.js';
import { type Call, callOf, identify } from './call.js';
import { denial, Refusal, refusal, replyTo } from './errors.js';
import { answerGlue } from './glue.js';
import { type AwsMisbehaviour, answerBadly, misbehaviours } from './misbehaviour.js';
import type { Operation, Service } from './operations.js';
import type { Outcome } from './replies.js';
import { answerS3, type StoredObject } from './s3.js';
import { seedWorld } from './seed.js';
import { answerSts } from './sts.js';
import type { World } from './world.js';

export type { AwsMisbehaviour } from './misbehaviour.js';
export type { Operation } from './operations.js';
export type { StoredObject } from './s3.js';
export { BAIT, MEMBER, OPERATOR, seedWorld } from './seed.js';
export type { Bucket, Principal, WorkGroup, World } from './world.js';

export interface AwsOptions {
  /** Default: `seedWorld()`. */
  readonly world?: World;
  /** Responds with 301 if a request for a bucket is signed for another region. */
  readonly checksRegions?: boolean;
  /** The maximum page size. */
  readonly pageSize?: number;
}

export interface AwsRequest {
  readonly service: Service;
  /** Undefined if unknown. */
  readonly operation: Operation | undefined;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty if the server did not read it. */
  readonly body: string;
  /** Milliseconds, as of `performance.now()`. */
  readonly startedAt: number;
  /** Undefined while in progress. */
  readonly endedAt: number | undefined;
  /** Undefined without a response. */
  readonly status: number | undefined;
}

export interface AwsServer {
  /** For AWS_ENDPOINT_URL. */
  readonly url: string;
  /** May be changed while the server runs. */
  readonly world: World;
  readonly requests: readonly AwsRequest[];
  /** The highest number of concurrent requests. */
  readonly mostAtOnce: { readonly overall: number; readonly s3: number };
  /** All objects that were ever stored, including deleted ones. */
  stored(): readonly StoredObject[];
  misbehave(operation: Operation, how: AwsMisbehaviour): void;
  behave(operation?: Operation): void;
  close(): Promise<void>;
}

type Recorded = { -readonly [Field in keyof AwsRequest]: AwsRequest[Field] };

export async function startAws(options: AwsOptions = {}): Promise<AwsServer> {
  const { world = seedWorld(), checksRegions = false, pageSize = Number.POSITIVE_INFINITY } = options;
  const requests: Recorded[] = [];
  const stored: StoredObject[] = [];
  const bad = misbehaviours();
  const underWay = { overall: 0, s3: 0 };
  const mostAtOnce = { overall: 0, s3: 0 };

  /** Also counts it as concurrent until its response ends. */
  function record({ service, operation, method, url, headers }: Call, response: ServerResponse): Recorded {
    const startedAt = performance.now();
    const entry: Recorded = { service, operation, method, path: url, headers, body: '', startedAt, endedAt: undefined, status: undefined };
    requests.push(entry);
    const counted = service === 's3' ? (['overall', 's3'] as const) : (['overall'] as const);
    for (const which of counted) {
      underWay[which] += 1;
      mostAtOnce[which] = Math.max(mostAtOnce[which], underWay[which]);
    }
    response.once('close', () => {
      entry.endedAt = performance.now();
      for (const which of counted) underWay[which] -= 1;
    });
    return entry;
  }

  async function outcomeOf(call: Call, response: ServerResponse): Promise<Outcome> {
    const { service, operation } = call;
    const how = bad.take(operation);
    const badOutcome = how === undefined ? undefined : await answerBadly(how, service, response);
    if (badOutcome !== undefined) return badOutcome;
    const principal = await identify(call, world);
    if (operation === undefined) throw refusal(service, 'unknown operation');
    if (how?.kind === 'denied' || principal.denied?.includes(operation) === true) throw denial(service, operation, principal);
    if (service === 'sts') return answerSts(principal);
    if (service === 's3') return answerS3(call, principal, world, { checksRegions, pageSize, stored });
    const input: unknown = JSON.parse((await call.body()).toString() || '{}');
    if (service === 'glue') return answerGlue(input, principal.account, world, pageSize);
    return answerAthena(operation, input, principal, world, pageSize);
  }

  const loopback = await listenOnLoopback(async (request, response) => {
    const heard = await callOf(request, response);
    const entry = record(heard, response);
    const body = async (): Promise<Buffer> => {
      const bytes = await heard.body();
      entry.body = bytes.toString();
      return bytes;
    };
    const call = { ...heard, body };
    // Record the body that was read, however the call ends.
    if (call.service !== 's3') await body();
    const outcome = await outcomeOf(call, response).catch((error: unknown) => {
      if (error instanceof Refusal) return replyTo(call.service, error);
      throw error;
    });
    if (outcome === 'hang') return;
    entry.status = outcome.status;
    response.writeHead(outcome.status, outcome.headers);
    response.end(call.method === 'HEAD' ? undefined : outcome.body);
  });

  return {
    url: loopback.url,
    world,
    requests,
    mostAtOnce,
    stored: () => stored,
    misbehave: bad.set,
    behave: bad.clear,
    close: loopback.close,
  };
}
