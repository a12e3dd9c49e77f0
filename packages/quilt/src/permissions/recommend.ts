/** Which buckets are worth using, and why. */
import { type BucketAccess, isNotKnown } from './discover.js';

export interface Recommendation {
  readonly bucket: string;
  readonly region: string | null;
  readonly reasons: readonly string[];
}

interface Reason {
  readonly points: number;
  readonly text: string;
}

/** What the name of a bucket tells of what it is for. */
const KEPT_BY_MACHINES =
  /(?:^|[-.])(?:logs?|logging|cloudtrail|config|cfn|cf-templates|athena-(?:query-)?results|analyticsbucket|inventory|backups?|archive|tfstate|terraform|elasticbeanstalk|lambda|deploy\w*|artifacts?)(?:[-.\d]|$)/i;
const FOR_TRIALS = /(?:^|[-.])(?:sandbox|scratch|playground|dev|test|staging|tmp|temp|demo)(?:[-.\d]|$)/i;
const RAW = /(?:^|[-.])(?:raw|landing|ingest|incoming|source)(?:[-.\d]|$)/i;
/** More are too many to choose from. */
const MOST = 10;

/** What is recommended for something is not advised against as well; `left_out` counts what was too much for a list. */
export function recommend(buckets: readonly BucketAccess[], region: string) {
  const reading = ranked(
    buckets.filter(({ can_read, can_list }) => can_read === true && can_list === true),
    (bucket) => readingReasons(bucket, region),
  );
  const writing = ranked(
    buckets.filter(({ can_write }) => can_write === true),
    (bucket) => writingReasons(bucket, region),
  );
  const recommended = new Set([...reading, ...writing].map(({ bucket }) => bucket));
  return {
    for_reading: reading.slice(0, MOST),
    for_writing: writing.slice(0, MOST),
    left_out: { for_reading: Math.max(0, reading.length - MOST), for_writing: Math.max(0, writing.length - MOST) },
    not_recommended: buckets.flatMap((bucket) => {
      const reason = recommended.has(bucket.name) ? undefined : whyNot(bucket);
      return reason === undefined ? [] : [{ bucket: bucket.name, reason }];
    }),
  };
}

/** The best come first, and those that nothing speaks for not at all. */
function ranked(buckets: readonly BucketAccess[], reasonsOf: (bucket: BucketAccess) => readonly Reason[]): Recommendation[] {
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
  return [{ points: 2, text: 'It can be listed and read.' }, ...placeReasons(bucket, region), ...machineReasons(bucket)];
}

function writingReasons(bucket: BucketAccess, region: string): Reason[] {
  const reasons: Reason[] = [{ points: 2, text: 'It can be written to.' }];
  if (bucket.can_read === true) reasons.push({ points: 2, text: 'What is written can be read back.' });
  reasons.push(...placeReasons(bucket, region), ...machineReasons(bucket));
  if (FOR_TRIALS.test(bucket.name)) reasons.push({ points: 1, text: 'By its name it is for trials: a good place to begin.' });
  if (RAW.test(bucket.name))
    reasons.push({ points: -2, text: 'By its name it holds raw data, which packages refer to rather than add to.' });
  return reasons;
}

function placeReasons({ region: own, seen_in }: BucketAccess, region: string): Reason[] {
  const reasons: Reason[] = [];
  if (seen_in.includes('catalog')) reasons.push({ points: 3, text: 'The catalog shows it, so packages in it are found by everybody.' });
  if (own === region) reasons.push({ points: 1, text: `It is in the region in use, ${region}.` });
  else if (own !== null) reasons.push({ points: -1, text: `It is in another region, ${own}: slower, and traffic between regions costs.` });
  return reasons;
}

function machineReasons({ name }: BucketAccess): Reason[] {
  return KEPT_BY_MACHINES.test(name)
    ? [{ points: -6, text: 'By its name it belongs to a service, for logs, results or deployments.' }]
    : [];
}

function whyNot(bucket: BucketAccess): string | undefined {
  if (isNotKnown(bucket)) return `What may be done with it is not known: ${bucket.problem.message}`;
  const { access, name } = bucket;
  if (access === 'none') return 'It may be neither listed, nor written to; single objects may still be readable.';
  if (access === 'list_only') return 'It may be listed, but its objects not be read.';
  return KEPT_BY_MACHINES.test(name) ? 'By its name it belongs to a service, for logs, results or deployments.' : undefined;
}
