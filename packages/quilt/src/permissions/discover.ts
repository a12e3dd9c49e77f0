/** The AWS identity, the visible buckets, and the permissions for each. */
import { mapConcurrently } from '../async.js';
import { notAws } from '../aws/errors.js';
import type { AwsSession } from '../aws/session.js';
import type { Catalog } from '../catalog.js';
import { Failure, outcome, type Problem, problemOf } from '../failure.js';
import type { Login } from '../login/login.js';
import { bucketNames } from '../registry/queries.js';
import { type BucketPermissions, probeBucket } from './bucket.js';

/** At most two requests per bucket at a time. */
const MAX_CONCURRENT_BUCKETS = 32;
/** Buckets not probed by then are left out: hosts time out after a minute. */
const SCAN_MS = 45_000;
const MAX_BUCKETS = 1000;
const MAX_PAGES = 100;

interface VisibleBucket {
  readonly name: string;
  readonly region: string | undefined;
  /** `account`: listed by AWS. `catalog`: shown by the registry. */
  readonly seen_in: readonly ('account' | 'catalog')[];
}

export interface BucketAccess extends BucketPermissions {
  readonly name: string;
  readonly region: string | null;
  readonly seen_in: VisibleBucket['seen_in'];
  /** `readable` and `listable`: whether it is writable is unknown. */
  readonly access: 'read_write' | 'read_only' | 'write_only' | 'list_only' | 'none' | 'readable' | 'listable' | 'unknown';
}

interface PartProblem extends Problem {
  /** What is unknown. */
  readonly part: string;
}

export async function discover(catalog: Catalog, checksWrite: boolean, signal: AbortSignal) {
  const login = await catalog.login();
  const session = await catalog.session(login, signal);
  const deadline = Date.now() + SCAN_MS;
  const [identity, visible] = await Promise.all([outcome(identityOf(session, signal)), visibleBuckets(catalog, login, session, signal)]);
  if (identity instanceof Failure) {
    if (identity.kind === 'login') throw identity;
    // If AWS returned neither identity nor buckets, probing cannot succeed. A denial, however, is an answer.
    if (visible.failure !== undefined && ![identity.kind, visible.failure.kind].includes('denied')) throw visible.failure;
  }
  const problems = [...(identity instanceof Failure ? [{ part: 'the identity', ...problemOf(identity) }] : []), ...visible.problems];
  const buckets = await mapConcurrently(visible.buckets, MAX_CONCURRENT_BUCKETS, async (bucket): Promise<BucketAccess> => {
    const { name, region, seen_in } = bucket;
    const permissions = Date.now() < deadline ? await probeBucket(session, { name, region, checksWrite }, signal) : NOT_PROBED;
    return { name, region: region ?? null, seen_in, access: accessOf(permissions), ...permissions };
  });
  return {
    identity: identity instanceof Failure ? null : identity,
    credentials_from: session.origin ?? null,
    region: session.region,
    buckets,
    summary: {
      total: buckets.length,
      readable: buckets.filter(({ can_read }) => can_read === true).length,
      /** Null if it was not checked. */
      writable: checksWrite ? buckets.filter(({ can_write }) => can_write === true).length : null,
      failed: buckets.filter(isUnknown).length,
    },
    complete: problems.length === 0 && buckets.every(({ problem }) => problem === undefined),
    problems,
    method: {
      buckets_at_once: MAX_CONCURRENT_BUCKETS,
      requests_at_once: 2 * MAX_CONCURRENT_BUCKETS,
      list: 'lists one object of the bucket',
      read: 'requests the metadata of that object, or of one that does not exist',
      write: checksWrite
        ? 'sends a byte with a wrong checksum, which S3 rejects without storing it; a store that accepts it is asked to delete it'
        : NOT_CHECKED,
    },
  };
}

const NOT_CHECKED =
  'not checked: audit logs would show the attempt as a write to each bucket; the option "writeCheck": true of @footbridge/quilt enables it';

async function identityOf(session: AwsSession, signal: AbortSignal) {
  const { GetCallerIdentityCommand } = await import('../aws/sdk/sts.js');
  const sts = await session.sts();
  const { Account, Arn, UserId } = await session.call('sts:GetCallerIdentity', signal, (abortSignal) =>
    sts.send(new GetCallerIdentityCommand({}), { abortSignal }),
  );
  if (Arn === undefined) throw notAws('sts:GetCallerIdentity');
  const [, type = 'unknown', path = ''] = /:(assumed-role|federated-user|user|root)(?:\/(.*))?$/s.exec(Arn) ?? [];
  // A user name may have a path before it, a role name is followed by the session name.
  const parts = path.split('/');
  const name = type === 'assumed-role' ? parts[0] : parts.at(-1);
  return { account: Account ?? null, arn: Arn, user_id: UserId ?? null, type, name: name || null };
}

/** One of the two lists is enough; `failure` is the reason why that of the account is missing. */
async function visibleBuckets(catalog: Catalog, login: Login, session: AwsSession, signal: AbortSignal) {
  const isLoggedIn = login.token !== undefined;
  const [account, registry] = await Promise.all([
    outcome(accountBuckets(session, signal)),
    isLoggedIn ? outcome(bucketNames(catalog.registry, login, signal)) : [],
  ]);
  if (account instanceof Failure && (account.kind === 'login' || registry instanceof Failure || !isLoggedIn)) throw account;
  const found = new Map<string, VisibleBucket>();
  const problems: PartProblem[] = [];
  const report = (part: string, failure: Failure) => problems.push({ part, ...problemOf(failure) });
  if (account instanceof Failure) report('the list of buckets of the account', account);
  else for (const { name, region } of account.buckets) found.set(name, { name, region, seen_in: ['account'] });
  const part = 'the list of buckets of the catalog';
  if (registry instanceof Failure) report(part, registry);
  else {
    const valid = registry.filter((name) => BUCKET_NAME.test(name));
    if (valid.length < registry.length)
      report(part, new Failure('failed', `It contains ${registry.length - valid.length} invalid bucket names, which are left out.`));
    for (const name of valid) {
      const own = found.get(name);
      found.set(name, { name, region: own?.region, seen_in: own === undefined ? ['catalog'] : ['account', 'catalog'] });
    }
  }
  if (found.size > MAX_BUCKETS || !(account instanceof Failure || account.isComplete))
    report('the list of buckets', new Failure('failed', `There are more than the ${MAX_BUCKETS} that are checked.`));
  const sorted = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { buckets: sorted.slice(0, MAX_BUCKETS), problems, failure: account instanceof Failure ? account : undefined };
}

/** Also allows names from before the current rules. Anything else would change the meaning of a URL. */
const BUCKET_NAME = /^[a-z0-9][\w.-]{1,253}[a-z0-9]$/i;

async function accountBuckets(session: AwsSession, signal: AbortSignal) {
  const { ListBucketsCommand } = await import('../aws/sdk/s3.js');
  const s3 = await session.s3();
  const buckets: { name: string; region: string | undefined }[] = [];
  let ContinuationToken: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && buckets.length < MAX_BUCKETS; pages += 1) {
    // The region is only returned with pagination.
    const command = new ListBucketsCommand({ MaxBuckets: MAX_BUCKETS, ContinuationToken });
    const page = await session.call('s3:ListAllMyBuckets', signal, (abortSignal) => s3.send(command, { abortSignal }));
    if (page.Buckets === undefined && page.Owner === undefined) throw notAws('s3:ListAllMyBuckets');
    for (const { BucketRegion, Name } of page.Buckets ?? []) if (Name !== undefined) buckets.push({ name: Name, region: BucketRegion });
    ContinuationToken = page.ContinuationToken;
    if (!ContinuationToken) return { buckets, isComplete: true };
  }
  return { buckets, isComplete: false };
}

const NOT_PROBED: BucketPermissions = {
  can_list: null,
  can_read: null,
  can_write: null,
  problem: problemOf(
    new Failure('failed', `It was not checked: the time for all buckets, ${SCAN_MS / 1000} s, was used up.`, { retryable: true }),
  ),
};

/** Whether the permissions are unknown; an object left by the write check is another kind of problem. */
export function isUnknown<T extends BucketPermissions>(permissions: T): permissions is T & { readonly problem: Problem } {
  return permissions.problem !== undefined && permissions.can_write === null;
}

function accessOf(permissions: BucketPermissions): BucketAccess['access'] {
  if (isUnknown(permissions)) return 'unknown';
  const { can_list: list, can_read: read, can_write: write } = permissions;
  if (write === null) return read ? 'readable' : list ? 'listable' : 'unknown';
  if (read) return write ? 'read_write' : 'read_only';
  if (write) return 'write_only';
  return list ? 'list_only' : 'none';
}
