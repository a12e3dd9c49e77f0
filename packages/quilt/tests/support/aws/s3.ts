/** S3 with path-style URLs, as far as the permission scan needs it. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Call, contentOf } from './call.js';
import { denial, Refusal, refusal } from './errors.js';
import { escaped, type Outcome, pageOf, type Reply, xmlReply } from './replies.js';
import type { Bucket, BucketRight, Principal, World } from './world.js';

export interface S3Options {
  readonly checksRegions: boolean;
  readonly pageSize: number;
  /** Records every stored object. */
  readonly stored: StoredObject[];
}

export interface StoredObject {
  readonly bucket: string;
  readonly key: string;
  readonly bytes: Buffer;
}

const XMLNS = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
const PER_PAGE = { buckets: 10_000, objects: 1_000 };

export async function answerS3(call: Call, principal: Principal, world: World, options: S3Options): Promise<Outcome> {
  if (call.operation === 's3:ListBuckets') return listBuckets(call, principal, world, options);
  const bucket = world.buckets.find(({ name }) => name === call.place.bucket);
  if (bucket === undefined) throw new Refusal('NoSuchBucket', 404, 'The specified bucket does not exist');
  if (bucket.hangs === true) return 'hang';
  while (bucket.until?.() === false) await sleep(5, undefined, { ref: false });
  if (bucket.delayMs !== undefined) await sleep(bucket.delayMs, undefined, { ref: false });
  if (bucket.failsWith !== undefined) throw new Refusal(bucket.failsWith.code, bucket.failsWith.status, 'The bucket fails.');
  if (options.checksRegions && call.authorization?.region !== bucket.region) {
    const message = 'The bucket you are attempting to access must be addressed using the specified endpoint.';
    throw new Refusal('PermanentRedirect', 301, message, { 'x-amz-bucket-region': bucket.region });
  }
  switch (call.operation) {
    case 's3:ListObjectsV2':
      return listObjects(call, principal, bucket, options);
    case 's3:HeadBucket':
      allow('list', call, principal, bucket);
      return { status: 200, headers: { 'x-amz-bucket-region': bucket.region } };
    case 's3:GetBucketLocation':
      allow('list', call, principal, bucket);
      return xmlReply(`<LocationConstraint ${XMLNS}>${bucket.region === 'us-east-1' ? '' : bucket.region}</LocationConstraint>`);
    case 's3:HeadObject':
      return headObject(call, principal, bucket);
    case 's3:PutObject': {
      allow('write', call, principal, bucket);
      const bytes = await contentOf(call, bucket.ignoresMd5 !== true);
      bucket.objects.set(call.place.key, bytes);
      options.stored.push({ ...call.place, bytes });
      return { status: 200, headers: { ETag: etagOf(bytes) } };
    }
    case 's3:DeleteObject':
      allow('write', call, principal, bucket);
      allow('delete', call, principal, bucket);
      bucket.objects.delete(call.place.key);
      return { status: 204 };
    default:
      throw refusal('s3', 'unknown operation');
  }
}

function allow(right: BucketRight, call: Call, principal: Principal, bucket: Bucket): void {
  if (!isDenied(bucket, right) || call.operation === undefined) return;
  const isOfObject = call.place.key !== '';
  const resource = `arn:aws:s3:::${bucket.name}${isOfObject ? `/${call.place.key}` : ''}`;
  const { code, status, message } = denial('s3', call.operation, principal, `"${resource}"`);
  // The region is returned even without permission.
  throw new Refusal(code, status, message, isOfObject ? {} : { 'x-amz-bucket-region': bucket.region });
}

function isDenied({ denied = [] }: Bucket, right: BucketRight): boolean {
  return denied.includes(right);
}

/** Without permission to list, missing and forbidden look the same. */
function headObject(call: Call, principal: Principal, bucket: Bucket): Reply {
  allow('read', call, principal, bucket);
  const content = bucket.objects.get(call.place.key);
  if (content === undefined) {
    allow('list', call, principal, bucket);
    throw new Refusal('NoSuchKey', 404, 'The specified key does not exist.');
  }
  const headers = { 'Content-Length': String(content.length), 'Content-Type': 'application/octet-stream', ETag: etagOf(content) };
  return { status: 200, headers: { ...headers, 'Last-Modified': bucket.created.toUTCString() } };
}

function listBuckets({ query }: Call, principal: Principal, world: World, { pageSize }: S3Options): Reply {
  const prefix = query.get('prefix') ?? '';
  const region = query.get('bucket-region');
  // As on AWS, regions are returned with pagination parameters only.
  const tellsRegions = ['max-buckets', 'continuation-token', 'prefix', 'bucket-region'].some((name) => query.has(name));
  const all = world.buckets
    .filter((bucket) => bucket.name.startsWith(prefix) && (region === null || bucket.region === region))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const size = Math.min(Number(query.get('max-buckets') ?? PER_PAGE.buckets), tellsRegions ? pageSize : PER_PAGE.buckets);
  const { items, next } = pageOf(all, size, query.get('continuation-token') ?? undefined, badToken());
  const buckets = items.map(({ name, created, region: home }) => {
    const reported = tellsRegions ? `<BucketRegion>${home}</BucketRegion>` : '';
    return `<Bucket><Name>${name}</Name>${reported}<CreationDate>${created.toISOString()}</CreationDate></Bucket>`;
  });
  const more = next === undefined ? '' : `<ContinuationToken>${next}</ContinuationToken>`;
  const owner = `<Owner><ID>${principal.account}</ID></Owner>`;
  return xmlReply(`<ListAllMyBucketsResult ${XMLNS}>${owner}<Buckets>${buckets.join('')}</Buckets>${more}</ListAllMyBucketsResult>`);
}

function listObjects(call: Call, principal: Principal, bucket: Bucket, { pageSize }: S3Options): Reply {
  allow('list', call, principal, bucket);
  const { query } = call;
  const prefix = query.get('prefix') ?? '';
  const all = [...bucket.objects].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
  const maxKeys = Math.min(Number(query.get('max-keys') ?? PER_PAGE.objects), PER_PAGE.objects);
  const { items, next } = pageOf(all, Math.min(maxKeys, pageSize), query.get('continuation-token') ?? undefined, badToken());
  const contents = items.map(([key, content]) => {
    const about = `<LastModified>${bucket.created.toISOString()}</LastModified><ETag>${escaped(etagOf(content))}</ETag>`;
    return `<Contents><Key>${escaped(key)}</Key>${about}<Size>${content.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`;
  });
  const counts = `<KeyCount>${items.length}</KeyCount><MaxKeys>${maxKeys}</MaxKeys><IsTruncated>${next !== undefined}</IsTruncated>`;
  const more = next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`;
  const head = `<Name>${bucket.name}</Name><Prefix>${escaped(prefix)}</Prefix>${counts}${more}`;
  return xmlReply(`<ListBucketResult ${XMLNS}>${head}${contents.join('')}</ListBucketResult>`);
}

function badToken(): Refusal {
  return new Refusal('InvalidArgument', 400, 'The continuation token provided is incorrect');
}

function etagOf(content: Buffer): string {
  return `"${createHash('md5').update(content).digest('hex')}"`;
}
