/** What a login may do with one bucket, found out without changing anything in it, where it is one of S3's. */
import type { S3Client } from '@aws-sdk/client-s3';
import type { Session } from '../aws/aws.js';
import { notAws } from '../aws/failure.js';
import { Failure, outcome, type Problem, problemOf } from '../failure.js';
import { LIMIT_MS } from '../registry/fetch-json.js';

/** Null where it cannot be told; `problem` says why, or that something was left in the bucket. */
export interface BucketRights {
  readonly can_list: boolean | null;
  readonly can_read: boolean | null;
  readonly can_write: boolean | null;
  readonly problem?: Problem;
}

/** How long all that is asked of one bucket may take. */
export const BUCKET_MS = LIMIT_MS;
/** How much longer it may take to delete what should not have been stored. */
const DELETE_MS = 2000;

export interface BucketQuestion {
  readonly name: string;
  readonly region: string | undefined;
  /** Whether to find out about writing. */
  readonly asksToWrite: boolean;
}

/** Throws only when credentials are refused, or when nobody waits any more. */
export async function rightsOf(session: Session, question: BucketQuestion, signal: AbortSignal): Promise<BucketRights> {
  const limit = AbortSignal.timeout(BUCKET_MS);
  const s3 = await session.s3(question.region);
  const ask = { session, s3, Bucket: question.name, signal: AbortSignal.any([signal, limit]) };
  let canList: boolean | null = null;
  try {
    const listed = await mayList(ask);
    canList = listed.is;
    const [read, write] = await Promise.allSettled([mayRead(ask, listed.key), question.asksToWrite ? mayWrite(ask) : undefined]);
    const left = write.status === 'fulfilled' ? write.value?.left : undefined;
    // What was left behind has to be told, whatever else fails.
    if (left !== undefined && read.status === 'rejected')
      return { can_list: canList, can_read: null, can_write: true, problem: problemOf(left) };
    const canRead = granted(read);
    const canWrite = granted(write)?.is ?? null;
    // To those who may not list, S3 denies what is not there as well.
    const rights = { can_list: canList, can_read: canRead || canList ? canRead : null, can_write: canWrite };
    return left === undefined ? rights : { ...rights, problem: problemOf(left) };
  } catch (cause) {
    signal.throwIfAborted();
    const failure = limit.aborted ? tooLate() : cause;
    if (!(failure instanceof Failure) || failure.kind === 'login') throw failure;
    return { can_list: canList, can_read: null, can_write: null, problem: problemOf(failure) };
  }
}

function granted<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

function tooLate(): Failure {
  return new Failure('failed', `The bucket did not answer within ${BUCKET_MS / 1000} s.`, { retryable: true });
}

interface Ask {
  readonly session: Session;
  readonly s3: S3Client;
  readonly Bucket: string;
  readonly signal: AbortSignal;
}

/** An object of this name is nobody's. */
const ABSENT_KEY = '.footbridge/is-this-allowed';

async function mayList({ Bucket, s3, session, signal }: Ask): Promise<{ is: boolean; key?: string | undefined }> {
  const { ListObjectsV2Command } = await import('../aws/sdk/s3.js');
  const list = new ListObjectsV2Command({ Bucket, MaxKeys: 1 });
  let key: string | undefined;
  const is = await isAllowed(session, 's3:ListBucket', signal, async (abortSignal) => {
    const { Contents, Name } = await s3.send(list, { abortSignal });
    if (Name === undefined) throw notAws('s3:ListBucket');
    key = Contents?.[0]?.Key;
  });
  return { is, key };
}

/** That an object is not there, S3 says only to those who may read it. */
async function mayRead({ Bucket, s3, session, signal }: Ask, Key: string = ABSENT_KEY): Promise<boolean> {
  const { HeadObjectCommand } = await import('../aws/sdk/s3.js');
  const head = new HeadObjectCommand({ Bucket, Key });
  return isAllowed(session, 's3:GetObject', signal, (abortSignal) => s3.send(head, { abortSignal }), /^(?:NotFound|NoSuchKey)$/);
}

/** That of no bytes at all. */
const WRONG_MD5 = '1B2M2Y8AsgTpgAmY7PhCfg==';

/**
 * Sends a byte with the checksum of another: S3 looks first whether one may write, and then has to refuse what came, so that
 * nothing is stored by S3. What is not S3, and stores it, is asked to delete it; `left` says that it did not.
 */
async function mayWrite(ask: Ask): Promise<{ is: boolean; left?: Failure | undefined }> {
  const { PutObjectCommand } = await import('../aws/sdk/s3.js');
  const { Bucket, s3, session, signal } = ask;
  const put = new PutObjectCommand({ Bucket, Key: ABSENT_KEY, Body: 'x', ContentMD5: WRONG_MD5 });
  let isStored = false;
  const send = async (abortSignal: AbortSignal) => {
    await s3.send(put, { abortSignal });
    isStored = true;
  };
  const is = await isAllowed(session, 's3:PutObject', signal, send, /^BadDigest$/);
  return { is, left: isStored ? await remove(ask) : undefined };
}

/** Also when nobody waits any more; gives what was in the way. */
async function remove({ Bucket, s3, session }: Ask): Promise<Failure | undefined> {
  const { DeleteObjectCommand } = await import('../aws/sdk/s3.js');
  const command = new DeleteObjectCommand({ Bucket, Key: ABSENT_KEY });
  const send = (abortSignal: AbortSignal) => s3.send(command, { abortSignal });
  const done = await outcome(session.call('s3:DeleteObject', new AbortController().signal, send, DELETE_MS));
  if (!(done instanceof Failure)) return undefined;
  return new Failure('failed', `The check for writing left the object ${ABSENT_KEY} in the bucket: ${done.message}`, {
    actions: [`Delete the object ${ABSENT_KEY} from the bucket ${Bucket}.`, 'Set writeCheck to false where the store is not S3.'],
    cause: done,
  });
}

/** Whether S3 let it be done, or said of it what it says only to those who may. */
async function isAllowed(
  session: Session,
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
