/** Who one is to AWS, and what one may do with each bucket that can be seen. */
import type { Session } from '../aws/aws.js';
import { notAws } from '../aws/failure.js';
import type { Catalog } from '../catalog.js';
import { Failure, outcome, type Problem, problemOf } from '../failure.js';
import { sideBySide } from '../side-by-side.js';
import { type BucketRights, rightsOf } from './bucket.js';
import { type VisibleBucket, visibleBuckets } from './visible-buckets.js';

/** Buckets that are looked at side by side; each of them is asked at most two things at a time. */
export const BUCKETS_AT_ONCE = 32;
/** After that, what is not looked at yet is left out: hosts do not wait longer than a minute. */
const SCAN_MS = 45_000;

export interface BucketAccess extends BucketRights {
  readonly name: string;
  readonly region: string | null;
  readonly seen_in: VisibleBucket['seen_in'];
  /** `readable` and `listable`: whether it may be written to as well is not known. */
  readonly access: 'read_write' | 'read_only' | 'write_only' | 'list_only' | 'none' | 'readable' | 'listable' | 'unknown';
}

export async function discover(catalog: Catalog, asksToWrite: boolean, signal: AbortSignal) {
  const login = await catalog.login();
  const session = await catalog.session(login, signal);
  const until = Date.now() + SCAN_MS;
  const [identity, visible] = await Promise.all([outcome(identityOf(session, signal)), visibleBuckets(catalog, login, session, signal)]);
  if (identity instanceof Failure) {
    if (identity.kind === 'login') throw identity;
    // Where AWS can tell neither who one is nor what one has, it can tell nothing of buckets either; a denial is an answer.
    if (visible.refused !== undefined && ![identity.kind, visible.refused.kind].includes('denied')) throw visible.refused;
  }
  const problems = [...(identity instanceof Failure ? [{ part: 'the identity', ...problemOf(identity) }] : []), ...visible.problems];
  const buckets = await sideBySide(visible.buckets, BUCKETS_AT_ONCE, (bucket) => accessTo(session, bucket, asksToWrite, until, signal));
  const failed = buckets.filter(isNotKnown).length;
  return {
    identity: identity instanceof Failure ? null : identity,
    credentials_from: session.origin ?? null,
    region: session.region,
    buckets,
    summary: {
      total: buckets.length,
      readable: buckets.filter(({ can_read }) => can_read === true).length,
      writable: buckets.filter(({ can_write }) => can_write === true).length,
      failed,
    },
    complete: problems.length === 0 && buckets.every(({ problem }) => problem === undefined),
    problems,
    method: {
      buckets_at_once: BUCKETS_AT_ONCE,
      requests_at_once: 2 * BUCKETS_AT_ONCE,
      list: 'asks for one object of the bucket',
      read: 'asks for the head of that object, or of one that is not there',
      write: asksToWrite
        ? 'sends a byte with a wrong checksum, which S3 has to refuse: nothing is stored by S3; a store that takes it is asked to delete it'
        : 'not asked (writeCheck is off)',
    },
  };
}

async function identityOf(session: Session, signal: AbortSignal) {
  const { GetCallerIdentityCommand } = await import('../aws/sdk/sts.js');
  const sts = await session.sts();
  const { Account, Arn, UserId } = await session.call('sts:GetCallerIdentity', signal, (abortSignal) =>
    sts.send(new GetCallerIdentityCommand({}), { abortSignal }),
  );
  if (Arn === undefined) throw notAws('sts:GetCallerIdentity');
  const [, type = 'unknown', path = ''] = /:(assumed-role|federated-user|user|root)(?:\/(.*))?$/.exec(Arn) ?? [];
  // A user may have a path before the name; after that of a role comes that of the session.
  const parts = path.split('/');
  const name = type === 'assumed-role' ? parts[0] : parts.at(-1);
  return { account: Account ?? null, arn: Arn, user_id: UserId ?? null, type, name: name || null };
}

async function accessTo(
  session: Session,
  bucket: VisibleBucket,
  asksToWrite: boolean,
  until: number,
  signal: AbortSignal,
): Promise<BucketAccess> {
  const { name, region, seen_in } = bucket;
  const rights = Date.now() < until ? await rightsOf(session, { name, region, asksToWrite }, signal) : NOT_LOOKED_AT;
  return { name, region: region ?? null, seen_in, access: accessOf(rights), ...rights };
}

const NOT_LOOKED_AT: BucketRights = {
  can_list: null,
  can_read: null,
  can_write: null,
  problem: problemOf(
    new Failure('failed', `It was not looked at: the time for all buckets, ${SCAN_MS / 1000} s, was over.`, { retryable: true }),
  ),
};

/** Whether it could not be found out what may be done with it; what was only left in it is a problem of another kind. */
export function isNotKnown<Rights extends BucketRights>(rights: Rights): rights is Rights & { readonly problem: Problem } {
  return rights.problem !== undefined && rights.can_write === null;
}

function accessOf(rights: BucketRights): BucketAccess['access'] {
  if (isNotKnown(rights)) return 'unknown';
  const { can_list: list, can_read: read, can_write: write } = rights;
  if (write === null) return read ? 'readable' : list ? 'listable' : 'unknown';
  if (read) return write ? 'read_write' : 'read_only';
  if (write) return 'write_only';
  return list ? 'list_only' : 'none';
}
