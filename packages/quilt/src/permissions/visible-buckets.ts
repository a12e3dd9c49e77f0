/** The buckets that a login can see: those of the account, and those that the catalog shows. */
import type { Session } from '../aws/aws.js';
import { notAws } from '../aws/failure.js';
import type { Catalog } from '../catalog.js';
import { Failure, outcome, type Problem, problemOf } from '../failure.js';
import type { Login } from '../login/login.js';
import { bucketNames } from '../registry/queries.js';

export interface VisibleBucket {
  readonly name: string;
  readonly region: string | undefined;
  /** `account`: AWS lists it. `catalog`: the registry shows it. */
  readonly seen_in: readonly ('account' | 'catalog')[];
}

export interface PartProblem extends Problem {
  /** What could not be found out. */
  readonly part: string;
}

/** What has more is looked at in part. */
const MOST_BUCKETS = 1000;
/** Pages may be empty, without an end. */
const MOST_PAGES = 100;

/** One of the two lists is enough; `refused` says why that of the account is not there. */
export async function visibleBuckets(catalog: Catalog, login: Login, session: Session, signal: AbortSignal) {
  const isLoggedIn = login.token !== undefined;
  const [account, registry] = await Promise.all([
    outcome(ownBuckets(session, signal)),
    isLoggedIn ? outcome(bucketNames(catalog.registry, login, signal)) : [],
  ]);
  if (account instanceof Failure && (account.kind === 'login' || registry instanceof Failure || !isLoggedIn)) throw account;
  const found = new Map<string, VisibleBucket>();
  const problems: PartProblem[] = [];
  if (account instanceof Failure) problems.push({ part: 'the list of buckets of the account', ...problemOf(account) });
  else for (const { name, region } of account.buckets) found.set(name, { name, region, seen_in: ['account'] });
  if (registry instanceof Failure) problems.push({ part: CATALOG, ...problemOf(registry) });
  else {
    const shown = registry.filter((name) => NAME.test(name));
    if (shown.length < registry.length) problems.push(unnameable(registry.length - shown.length));
    for (const name of shown) {
      const own = found.get(name);
      found.set(name, { name, region: own?.region, seen_in: own === undefined ? ['catalog'] : ['account', 'catalog'] });
    }
  }
  const isWhole = found.size <= MOST_BUCKETS && (account instanceof Failure || account.isWhole);
  if (!isWhole) problems.push(unfinished());
  const sorted = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { buckets: sorted.slice(0, MOST_BUCKETS), problems, refused: account instanceof Failure ? account : undefined };
}

/** What a bucket can be called, now or in the early years; anything else would mean something else in an address. */
const NAME = /^[a-z0-9][\w.-]{1,253}[a-z0-9]$/i;
const CATALOG = 'the list of buckets of the catalog';

function unfinished(): PartProblem {
  return {
    part: 'the list of buckets',
    ...problemOf(new Failure('failed', `There are more than the ${MOST_BUCKETS} that are looked at.`)),
  };
}

function unnameable(count: number): PartProblem {
  return { part: CATALOG, ...problemOf(new Failure('failed', `It has ${count} that no bucket can be called; left out.`)) };
}

async function ownBuckets(session: Session, signal: AbortSignal) {
  const { ListBucketsCommand } = await import('../aws/sdk/s3.js');
  const s3 = await session.s3();
  const found: { name: string; region: string | undefined }[] = [];
  let ContinuationToken: string | undefined;
  for (let pages = 0; pages < MOST_PAGES && found.length < MOST_BUCKETS; pages += 1) {
    // Only who asks for pages is told the regions.
    const page = new ListBucketsCommand({ MaxBuckets: MOST_BUCKETS, ContinuationToken });
    const answer = await session.call('s3:ListAllMyBuckets', signal, (abortSignal) => s3.send(page, { abortSignal }));
    if (answer.Buckets === undefined && answer.Owner === undefined) throw notAws('s3:ListAllMyBuckets');
    for (const { BucketRegion, Name } of answer.Buckets ?? []) if (Name !== undefined) found.push({ name: Name, region: BucketRegion });
    ContinuationToken = answer.ContinuationToken;
    if (!ContinuationToken) return { buckets: found, isWhole: true };
  }
  return { buckets: found, isWhole: false };
}
