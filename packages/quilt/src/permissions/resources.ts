/** Permissions and bucket recommendations. */
import { defineResource } from 'footbridge/pack';
import type { Catalog } from '../catalog.js';
import type { Resource } from '../failure.js';
import { type BucketAccess, discover, isUnknown } from './discover.js';

/** Hosts time out after about a minute. */
const TIMEOUT_MS = 55_000;

export function permissionResources(catalog: Catalog, checksWrite: boolean): readonly Resource[] {
  return [
    defineResource({
      uri: 'permissions://discover',
      name: 'permissions-discover',
      title: 'AWS permissions',
      description: 'The AWS identity of the login, and for each visible bucket whether it may list, read and, if that is checked, write.',
      timeoutMs: TIMEOUT_MS,
      read: (_, { signal }) => discover(catalog, checksWrite, signal),
    }),
    defineResource({
      uri: 'permissions://recommendations',
      name: 'permissions-recommendations',
      title: 'Bucket recommendations',
      description: 'Which buckets to use for reading or writing with this login, and why.',
      timeoutMs: TIMEOUT_MS,
      async read(_, { signal }) {
        const { buckets, complete, method, problems, region } = await discover(catalog, checksWrite, signal);
        const based_on = { buckets: buckets.length, region, write: method.write };
        return { ...recommend(buckets, region), based_on, complete, problems };
      },
    }),
  ];
}

interface Recommendation {
  readonly bucket: string;
  readonly region: string | null;
  readonly reasons: readonly string[];
}

interface Reason {
  readonly points: number;
  readonly text: string;
}

/** Patterns of bucket names. */
const SERVICE =
  /(?:^|[-.])(?:logs?|logging|cloudtrail|config|cfn|cf-templates|athena-(?:query-)?results|analyticsbucket|inventory|backups?|archive|tfstate|terraform|elasticbeanstalk|lambda|deploy\w*|artifacts?)(?:[-.\d]|$)/i;
const SANDBOX = /(?:^|[-.])(?:sandbox|scratch|playground|dev|test|staging|tmp|temp|demo)(?:[-.\d]|$)/i;
const RAW = /(?:^|[-.])(?:raw|landing|ingest|incoming|source)(?:[-.\d]|$)/i;
const MAX_RECOMMENDATIONS = 10;
const SERVICE_REASON = 'Its name suggests that it belongs to a service, for logs, results or deployments.';

/** A recommended bucket is not in `not_recommended`; `left_out` counts recommendations beyond the limit. */
function recommend(buckets: readonly BucketAccess[], region: string) {
  const reading = rank(
    buckets.filter(({ can_read, can_list }) => can_read === true && can_list === true),
    (bucket) => readingReasons(bucket, region),
  );
  const writing = rank(
    buckets.filter(({ can_write }) => can_write === true),
    (bucket) => writingReasons(bucket, region),
  );
  const recommended = new Set([...reading, ...writing].map(({ bucket }) => bucket));
  return {
    for_reading: reading.slice(0, MAX_RECOMMENDATIONS),
    for_writing: writing.slice(0, MAX_RECOMMENDATIONS),
    left_out: {
      for_reading: Math.max(0, reading.length - MAX_RECOMMENDATIONS),
      for_writing: Math.max(0, writing.length - MAX_RECOMMENDATIONS),
    },
    not_recommended: buckets.flatMap((bucket) => {
      const reason = recommended.has(bucket.name) ? undefined : whyNot(bucket);
      return reason === undefined ? [] : [{ bucket: bucket.name, reason }];
    }),
  };
}

/** The best first, without those whose score is not positive. */
function rank(buckets: readonly BucketAccess[], reasonsOf: (bucket: BucketAccess) => readonly Reason[]): Recommendation[] {
  return buckets
    .map((bucket) => {
      const reasons = reasonsOf(bucket);
      return { bucket, reasons, points: reasons.reduce((sum, { points }) => sum + points, 0) };
    })
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points || (a.bucket.name < b.bucket.name ? -1 : 1))
    .map(({ bucket, reasons }) => ({ bucket: bucket.name, region: bucket.region, reasons: reasons.map(({ text }) => text) }));
}

function readingReasons(bucket: BucketAccess, region: string): Reason[] {
  return [{ points: 2, text: 'It can be listed and read.' }, ...locationReasons(bucket, region), ...serviceReasons(bucket)];
}

function writingReasons(bucket: BucketAccess, region: string): Reason[] {
  const reasons: Reason[] = [{ points: 2, text: 'It can be written to.' }];
  if (bucket.can_read === true) reasons.push({ points: 2, text: 'What is written can be read back.' });
  reasons.push(...locationReasons(bucket, region), ...serviceReasons(bucket));
  if (SANDBOX.test(bucket.name)) reasons.push({ points: 1, text: 'Its name suggests a sandbox: a good place to start.' });
  if (RAW.test(bucket.name)) reasons.push({ points: -2, text: 'Its name suggests raw data, which packages reference rather than modify.' });
  return reasons;
}

function locationReasons({ region: own, seen_in }: BucketAccess, region: string): Reason[] {
  const reasons: Reason[] = [];
  if (seen_in.includes('catalog')) reasons.push({ points: 3, text: 'The catalog shows it, so all users can find packages in it.' });
  if (own === region) reasons.push({ points: 1, text: `It is in the region in use, ${region}.` });
  else if (own !== null)
    reasons.push({ points: -1, text: `It is in another region, ${own}: slower, and cross-region traffic costs money.` });
  return reasons;
}

function serviceReasons({ name }: BucketAccess): Reason[] {
  return SERVICE.test(name) ? [{ points: -6, text: SERVICE_REASON }] : [];
}

function whyNot(bucket: BucketAccess): string | undefined {
  if (isUnknown(bucket)) return `Its permissions are unknown: ${bucket.problem.message}`;
  const { access, name } = bucket;
  if (access === 'none') return 'It can be neither listed nor written to; single objects may still be readable.';
  if (access === 'unknown') return 'It cannot be listed, and whether it can be written to was not checked.';
  if (access === 'list_only' || access === 'listable') return 'It can be listed, but its objects cannot be read.';
  return SERVICE.test(name) ? SERVICE_REASON : undefined;
}
