/** The test AWS server against the real SDK. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  BatchGetQueryExecutionCommand,
  GetWorkGroupCommand,
  ListDatabasesCommand,
  ListDataCatalogsCommand,
  ListQueryExecutionsCommand,
  ListTableMetadataCommand,
  ListWorkGroupsCommand,
} from '@aws-sdk/client-athena';
import { GetDatabasesCommand } from '@aws-sdk/client-glue';
import {
  DeleteObjectCommand,
  GetBucketLocationCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bucketOf, clients, failure } from './support/aws/clients.js';
import { type AwsServer, BAIT, MEMBER, OPERATOR, seedWorld, startAws } from './support/aws/index.js';

const md5 = (text: string): string => createHash('md5').update(text).digest('base64');

describe('the AWS on loopback', () => {
  let aws: AwsServer;
  beforeEach(async () => {
    aws = await startAws();
  });
  afterEach(() => aws.close());

  test('lists buckets with pagination and regions', async () => {
    const { s3 } = clients(aws);
    const all = await s3.send(new ListBucketsCommand({}));
    expect(all.Buckets?.map(({ Name }) => Name)).toEqual(
      seedWorld()
        .buckets.map(({ name }) => name)
        .sort(),
    );
    expect(all.Buckets?.[0]?.BucketRegion).toBeUndefined();
    const first = await s3.send(new ListBucketsCommand({ MaxBuckets: 4 }));
    const second = await s3.send(new ListBucketsCommand({ MaxBuckets: 4, ContinuationToken: first.ContinuationToken }));
    expect([first.Buckets?.length, second.Buckets?.length, second.ContinuationToken]).toEqual([4, 2, undefined]);
    expect(second.Buckets?.map(({ BucketRegion }) => BucketRegion)).toEqual(['eu-central-1', 'us-east-1']);
    expect(all.Buckets?.[0]?.CreationDate).toEqual(new Date('2024-03-05T06:07:08.000Z'));
  });

  test('lists and heads objects with permissions', async () => {
    const { s3 } = clients(aws);
    const listed = await s3.send(new ListObjectsV2Command({ Bucket: 'demo-full', Prefix: 'data/' }));
    expect(listed.Contents?.map(({ Key }) => Key)).toEqual(['data/one.csv', 'data/two & <three>.csv']);
    const one = await s3.send(new ListObjectsV2Command({ Bucket: 'demo-full', MaxKeys: 1 }));
    expect([one.KeyCount, one.IsTruncated]).toEqual([1, true]);
    expect((await s3.send(new ListObjectsV2Command({ Bucket: 'demo-empty' }))).Contents).toBeUndefined();
    expect((await s3.send(new HeadObjectCommand({ Bucket: 'demo-full', Key: 'data/two & <three>.csv' }))).ContentLength).toBe(4);
    const head = (Bucket: string, Key: string) => failure(s3.send(new HeadObjectCommand({ Bucket, Key })));
    expect(await head('demo-full', 'missing')).toMatchObject({ name: 'NotFound', status: 404 });
    expect(await head('demo-list-only', 'README.md')).toMatchObject({ status: 403 });
    expect(await head('demo-no-access', 'missing')).toMatchObject({ status: 403 });
    bucketOf(aws, 'demo-full').denied = ['list'];
    expect(await head('demo-full', 'missing')).toMatchObject({ status: 403 });
    expect((await s3.send(new HeadObjectCommand({ Bucket: 'demo-full', Key: 'README.md' }))).$metadata.httpStatusCode).toBe(200);
    const denied = await failure(s3.send(new ListObjectsV2Command({ Bucket: 'demo-no-access' })));
    expect(denied).toMatchObject({ name: 'AccessDenied', status: 403 });
    expect(denied.message).toContain(`User: ${OPERATOR.arn} is not authorized to perform: s3:ListBucket on resource`);
  });

  test('returns bucket locations', async () => {
    const { s3 } = clients(aws);
    expect((await s3.send(new HeadBucketCommand({ Bucket: 'demo-other-region' }))).BucketRegion).toBe('eu-central-1');
    const location = async (Bucket: string) => (await s3.send(new GetBucketLocationCommand({ Bucket }))).LocationConstraint;
    expect([await location('demo-full'), await location('demo-other-region')]).toEqual([undefined, 'eu-central-1']);
    const missing = await failure(s3.send(new ListObjectsV2Command({ Bucket: 'nowhere' })));
    expect(missing).toMatchObject({ name: 'NoSuchBucket', status: 404 });
  });

  test('stores and deletes objects, including streams', async () => {
    const { s3 } = clients(aws);
    const Bucket = 'demo-full';
    await s3.send(new PutObjectCommand({ Bucket, Key: 'a b/ü(1)+.txt', Body: 'hello', ContentMD5: md5('hello') }));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'stream', Body: Readable.from(['he', 'llo']), ContentLength: 5 }));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'large', Body: Buffer.alloc(3_000_000) }));
    expect(aws.stored().map(({ key, bytes }) => [key, bytes.length])).toEqual([
      ['a b/ü(1)+.txt', 5],
      ['stream', 5],
      ['large', 3_000_000],
    ]);
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'stream' }));
    expect(bucketOf(aws, Bucket).objects.has('stream')).toBe(false);
  });

  test('checks permissions before the digest, and stores nothing with a wrong one', async () => {
    const { s3 } = clients(aws);
    const put = (Bucket: string, ContentMD5: string) => {
      return failure(s3.send(new PutObjectCommand({ Bucket, Key: 'probe', Body: 'body', ContentMD5 })));
    };
    expect(await put('demo-full', md5('other'))).toMatchObject({ name: 'BadDigest', status: 400 });
    expect(await put('demo-full', 'AAAA')).toMatchObject({ name: 'InvalidDigest', status: 400 });
    expect(await put('demo-read-only', md5('other'))).toMatchObject({ name: 'AccessDenied', status: 403 });
    expect(aws.stored()).toEqual([]);
    expect(bucketOf(aws, 'demo-full').objects.has('probe')).toBe(false);
    expect(aws.requests.map(({ body }) => body)).toEqual(['body', 'body', '']);
  });

  test('redirects to another region', async () => {
    await aws.close();
    aws = await startAws({ checksRegions: true });
    const { s3 } = clients(aws);
    expect((await s3.send(new ListObjectsV2Command({ Bucket: 'demo-other-region' }))).KeyCount).toBe(3);
    expect(aws.requests.map(({ status }) => status)).toEqual([301, 200]);
  });

  test('returns the caller identity', async () => {
    const identity = await clients(aws, MEMBER).sts.send(new GetCallerIdentityCommand({}));
    expect(identity).toMatchObject({ Arn: MEMBER.arn, UserId: MEMBER.userId, Account: MEMBER.account });
  });

  test('returns workgroups with pagination and denials', async () => {
    const { athena } = clients(aws);
    const first = await athena.send(new ListWorkGroupsCommand({ MaxResults: 2 }));
    const second = await athena.send(new ListWorkGroupsCommand({ MaxResults: 2, NextToken: first.NextToken }));
    expect([...(first.WorkGroups ?? []), ...(second.WorkGroups ?? [])].map(({ Name }) => Name)).toEqual([
      'primary',
      'QuiltUserAthena-demo',
      'finance',
    ]);
    expect(second.NextToken).toBeUndefined();
    const { WorkGroup } = await athena.send(new GetWorkGroupCommand({ WorkGroup: 'QuiltUserAthena-demo' }));
    expect(WorkGroup?.Configuration?.ResultConfiguration?.OutputLocation).toBe('s3://demo-athena-results/users/');
    expect(WorkGroup?.CreationTime).toEqual(new Date('2024-03-05T06:07:08.000Z'));
    const denied = await failure(athena.send(new GetWorkGroupCommand({ WorkGroup: 'finance' })));
    expect(denied).toMatchObject({ name: 'AccessDeniedException', status: 400 });
    const where = 'arn:aws:athena:us-east-1:123456789012:workgroup/finance';
    expect(denied.message).toContain(`User: ${OPERATOR.arn} is not authorized to perform: athena:GetWorkGroup on resource: ${where}`);
    const unknown = await failure(athena.send(new GetWorkGroupCommand({ WorkGroup: 'none' })));
    expect(unknown).toMatchObject({ name: 'InvalidRequestException' });
    const badToken = await failure(athena.send(new ListWorkGroupsCommand({ NextToken: 'made up' })));
    expect(badToken).toMatchObject({ name: 'InvalidRequestException' });
  });

  test('returns queries, newest first, and unknown ids', async () => {
    const { athena } = clients(aws);
    const { QueryExecutionIds: ids = [] } = await athena.send(new ListQueryExecutionsCommand({ WorkGroup: 'primary', MaxResults: 50 }));
    expect(ids.length).toBe(40);
    const batch = new BatchGetQueryExecutionCommand({ QueryExecutionIds: [...ids, 'unknown'] });
    const { QueryExecutions: executions = [], UnprocessedQueryExecutionIds: unknown } = await athena.send(batch);
    const times = executions.map(({ Status }) => Status?.SubmissionDateTime?.getTime() ?? 0);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(new Set(executions.map(({ Status }) => Status?.State)).size).toBe(5);
    expect(unknown?.map(({ QueryExecutionId }) => QueryExecutionId)).toEqual(['unknown']);
    expect(executions.filter(({ Query }) => Query?.includes(BAIT.signature) && Query.includes(BAIT.accessKeyId))).toHaveLength(1);
    const tooMany = new BatchGetQueryExecutionCommand({ QueryExecutionIds: Array.from({ length: 51 }, String) });
    expect(await failure(athena.send(tooMany))).toMatchObject({ name: 'InvalidRequestException' });
  });

  test('returns catalogs, databases and tables', async () => {
    const { athena, glue } = clients(aws);
    const { DataCatalogsSummary: catalogs } = await athena.send(new ListDataCatalogsCommand({}));
    expect(catalogs?.map(({ CatalogName }) => CatalogName)).toEqual(['AwsDataCatalog', 'quilt-demo-tabulator']);
    const { DatabaseList: databases = [] } = await athena.send(new ListDatabasesCommand({ CatalogName: 'quilt-demo-tabulator' }));
    const tables = databases.map(async ({ Name }) => {
      const command = new ListTableMetadataCommand({ CatalogName: 'quilt-demo-tabulator', DatabaseName: Name });
      return (await athena.send(command)).TableMetadataList?.length;
    });
    expect(await Promise.all(tables)).toEqual([2, 1, 0]);
    const unknown = await failure(athena.send(new ListDatabasesCommand({ CatalogName: 'none' })));
    expect(unknown).toMatchObject({ name: 'InvalidRequestException', status: 400 });
    const first = await glue.send(new GetDatabasesCommand({ MaxResults: 3 }));
    const second = await glue.send(new GetDatabasesCommand({ MaxResults: 3, NextToken: first.NextToken }));
    expect([...(first.DatabaseList ?? []), ...(second.DatabaseList ?? [])]).toHaveLength(4);
    expect(first.DatabaseList?.[1]).toMatchObject({
      LocationUri: 's3://demo-full/analytics/',
      CreateTime: new Date('2024-03-05T06:07:08Z'),
    });
    aws.misbehave('glue:GetDatabases', { kind: 'denied' });
    expect(await failure(glue.send(new GetDatabasesCommand({})))).toMatchObject({ name: 'AccessDeniedException', status: 400 });
  });
});
