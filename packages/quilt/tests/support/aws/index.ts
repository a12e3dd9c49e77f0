/**
 * An AWS on loopback that speaks what the SDK speaks when AWS_ENDPOINT_URL points at it: S3, STS, Athena and Glue, signatures checked.
 *
 *     const aws = await startAws();                                    // with the world of furnish()
 *     aws.world.buckets.push({ … });                                   // at any time
 *     aws.misbehave('athena:ListWorkGroups', { kind: 'throttle', times: 2 });
 *     aws.behave();                                                    // as it should again
 *     aws.requests; aws.mostAtOnce; aws.stored();                      // what was asked, and what was put
 *     await aws.close();
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { listenOnLoopback } from '../loopback.js';
import { answerAthena } from './athena.js';
import { type Call, callOf, identify } from './call.js';
import { furnish } from './furnish.js';
import { answerGlue } from './glue.js';
import { type AwsMisbehaviour, answerBadly, misbehaviours } from './misbehaviour.js';
import type { Operation, Service } from './operations.js';
import { denial, Refusal, refusal, replyTo } from './refusals.js';
import type { Outcome } from './replies.js';
import { answerS3, type StoredObject } from './s3.js';
import { answerSts } from './sts.js';
import type { World } from './world.js';

export { BAIT, furnish, MEMBER, OPERATOR } from './furnish.js';
export type { AwsMisbehaviour } from './misbehaviour.js';
export type { Operation } from './operations.js';
export type { StoredObject } from './s3.js';
export type { Bucket, Principal, WorkGroup, World } from './world.js';

export interface AwsOptions {
  /** What there is; otherwise that of `furnish()`. */
  readonly world?: World;
  /** Answers 301 where a bucket is asked for with the signature of another region. */
  readonly checksRegions?: boolean;
  /** The most that any page of a list holds, whatever is asked for. */
  readonly pageSize?: number;
}

export interface AwsRequest {
  readonly service: Service;
  /** Undefined when the server does not know it. */
  readonly operation: Operation | undefined;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty as long as the server had no reason to read it. */
  readonly body: string;
  /** Milliseconds, as of `performance.now()`. */
  readonly startedAt: number;
  /** Undefined while it is under way. */
  readonly endedAt: number | undefined;
  /** Undefined when it was not answered. */
  readonly status: number | undefined;
}

export interface AwsServer {
  /** For AWS_ENDPOINT_URL. */
  readonly url: string;
  /** May be changed while the server runs. */
  readonly world: World;
  readonly requests: readonly AwsRequest[];
  /** The highest number of requests that were under way together. */
  readonly mostAtOnce: { readonly overall: number; readonly s3: number };
  /** All objects that were ever put, deleted since or not. */
  stored(): readonly StoredObject[];
  misbehave(operation: Operation, how: AwsMisbehaviour): void;
  behave(operation?: Operation): void;
  close(): Promise<void>;
}

type Recorded = { -readonly [Field in keyof AwsRequest]: AwsRequest[Field] };

export async function startAws(options: AwsOptions = {}): Promise<AwsServer> {
  const { world = furnish(), checksRegions = false, pageSize = Number.POSITIVE_INFINITY } = options;
  const requests: Recorded[] = [];
  const stored: StoredObject[] = [];
  const bad = misbehaviours();
  const underWay = { overall: 0, s3: 0 };
  const mostAtOnce = { overall: 0, s3: 0 };

  /** Also counts it until its response is over, or given up. */
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
    // What was read to learn the operation belongs to the record, however the call ends.
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
