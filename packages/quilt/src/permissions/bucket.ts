/** Probes the permissions for one bucket without changing it, provided it is S3. */
import type { S3Client } from '@aws-sdk/client-s3';
import { notAws } from '../aws/errors.js';
import type { AwsSession } from '../aws/session.js';
import { Failure, outcome, type Problem, problemOf } from '../failure.js';
import { TIMEOUT_MS } from '../registry/http.js';

/** Null if unknown; `problem` is the reason, or states that an object was left in the bucket. */
export interface BucketPermissions {
  readonly can_list: boolean | null;
  readonly can_read: boolean | null;
  readonly can_write: boolean | null;
  readonly problem?: Problem;
}

/** For deleting an object that should not have been stored. */
const DELETE_TIMEOUT_MS = 2000;

export interface BucketProbe {
  readonly name: string;
  readonly region: string | undefined;
  readonly checksWrite: boolean;
}

/** Throws only if the credentials are rejected or the signal is aborted. */
export async function probeBucket(session: AwsSession, probe: BucketProbe, signal: AbortSignal): Promise<BucketPermissions> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const s3 = await session.s3(probe.region);
  const target = { session, s3, Bucket: probe.name, signal: AbortSignal.any([signal, timeout]) };
  let canList: boolean | null = null;
  try {
    const listed = await mayList(target);
    canList = listed.isAllowed;
    const [read, write] = await Promise.allSettled([mayRead(target, listed.key), probe.checksWrite ? mayWrite(target) : undefined]);
    const left = write.status === 'fulfilled' ? write.value?.left : undefined;
    // An object left behind must be reported, whatever else fails.
    if (left !== undefined && read.status === 'rejected')
      return { can_list: canList, can_read: null, can_write: true, problem: problemOf(left) };
    const canRead = unwrap(read);
    const canWrite = unwrap(write)?.isAllowed ?? null;
    // Without permission to list, S3 also denies missing objects.
    const permissions = { can_list: canList, can_read: canRead || canList ? canRead : null, can_write: canWrite };
    return left === undefined ? permissions : { ...permissions, problem: problemOf(left) };
  } catch (cause) {
    signal.throwIfAborted();
    const failure = timeout.aborted ? timedOut() : cause;
    if (!(failure instanceof Failure) || failure.kind === 'login') throw failure;
    return { can_list: canList, can_read: null, can_write: null, problem: problemOf(failure) };
  }
}

function unwrap<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

function timedOut(): Failure {
  return new Failure('failed', `The bucket did not respond within ${TIMEOUT_MS / 1000} s.`, { retryable: true });
}

interface ProbeTarget {
  readonly session: AwsSession;
  readonly s3: S3Client;
  readonly Bucket: string;
  readonly signal: AbortSignal;
}

/** An object that should not exist. */
const ABSENT_KEY = '.footbridge/is-this-allowed';

async function mayList({ Bucket, s3, session, signal }: ProbeTarget): Promise<{ isAllowed: boolean; key?: string | undefined }> {
  const { ListObjectsV2Command } = await import('../aws/sdk/s3.js');
  const command = new ListObjectsV2Command({ Bucket, MaxKeys: 1 });
  let key: string | undefined;
  const isAllowed = await tryOperation(session, 's3:ListBucket', signal, async (abortSignal) => {
    const { Contents, Name } = await s3.send(command, { abortSignal });
    if (Name === undefined) throw notAws('s3:ListBucket');
    key = Contents?.[0]?.Key;
  });
  return { isAllowed, key };
}

/** S3 reports a missing object only to those who may read it. */
async function mayRead({ Bucket, s3, session, signal }: ProbeTarget, Key: string = ABSENT_KEY): Promise<boolean> {
  const { HeadObjectCommand } = await import('../aws/sdk/s3.js');
  const command = new HeadObjectCommand({ Bucket, Key });
  return tryOperation(session, 's3:GetObject', signal, (abortSignal) => s3.send(command, { abortSignal }), /^(?:NotFound|NoSuchKey)$/);
}

/** The MD5 of the empty string. */
const WRONG_MD5 = '1B2M2Y8AsgTpgAmY7PhCfg==';

/**
 * Sends a byte with a wrong checksum: S3 checks the permission first and then rejects the object, so nothing is stored. A store that
 * accepts it is asked to delete it; `left` is set if that fails.
 */
async function mayWrite(target: ProbeTarget): Promise<{ isAllowed: boolean; left?: Failure | undefined }> {
  const { PutObjectCommand } = await import('../aws/sdk/s3.js');
  const { Bucket, s3, session, signal } = target;
  const command = new PutObjectCommand({ Bucket, Key: ABSENT_KEY, Body: 'x', ContentMD5: WRONG_MD5 });
  let isStored = false;
  const send = async (abortSignal: AbortSignal) => {
    await s3.send(command, { abortSignal });
    isStored = true;
  };
  const isAllowed = await tryOperation(session, 's3:PutObject', signal, send, /^BadDigest$/);
  return { isAllowed, left: isStored ? await remove(target) : undefined };
}

/** Not cancelled with the read. Returns the failure, if any. */
async function remove({ Bucket, s3, session }: ProbeTarget): Promise<Failure | undefined> {
  const { DeleteObjectCommand } = await import('../aws/sdk/s3.js');
  const command = new DeleteObjectCommand({ Bucket, Key: ABSENT_KEY });
  const send = (abortSignal: AbortSignal) => s3.send(command, { abortSignal });
  const result = await outcome(session.call('s3:DeleteObject', new AbortController().signal, send, DELETE_TIMEOUT_MS));
  if (!(result instanceof Failure)) return undefined;
  return new Failure('failed', `The write check left the object ${ABSENT_KEY} in the bucket: ${result.message}`, {
    actions: [`Delete the object ${ABSENT_KEY} from the bucket ${Bucket}.`, 'Set writeCheck to false if the store is not S3.'],
    cause: result,
  });
}

/** Whether the operation succeeded, or failed with an error that proves permission. */
async function tryOperation(
  session: AwsSession,
  operation: string,
  signal: AbortSignal,
  send: (abortSignal: AbortSignal) => Promise<unknown>,
  proof?: RegExp,
): Promise<boolean> {
  try {
    await session.call(operation, signal, send);
    return true;
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    if (cause.kind === 'denied') return false;
    if (cause.cause instanceof Error && proof?.test(cause.cause.name) === true) return true;
    throw cause;
  }
}
