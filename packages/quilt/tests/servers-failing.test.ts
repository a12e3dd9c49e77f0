/** Errors of the test AWS server, as the real SDK sees them. */
import { GetWorkGroupCommand, ListTableMetadataCommand, ListWorkGroupsCommand } from '@aws-sdk/client-athena';
import { GetDatabasesCommand } from '@aws-sdk/client-glue';
import { ListBucketsCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bucketOf, clients, failure } from './support/aws/clients.js';
import { type AwsServer, MEMBER, OPERATOR, startAws } from './support/aws/index.js';

describe('the AWS on loopback', () => {
  let aws: AwsServer;
  beforeEach(async () => {
    aws = await startAws();
  });
  afterEach(() => aws.close());

  test.each([
    [
      'an unknown key',
      { ...OPERATOR, accessKeyId: 'AKIANOBODY0000000001' },
      'InvalidAccessKeyId',
      'InvalidClientTokenId',
      'UnrecognizedClientException',
    ],
    [
      'a wrong secret',
      { ...OPERATOR, secretAccessKey: 'wrong' },
      'SignatureDoesNotMatch',
      'SignatureDoesNotMatch',
      'InvalidSignatureException',
    ],
    [
      'a token of another session',
      { ...MEMBER, sessionToken: 'other' },
      'InvalidToken',
      'InvalidClientTokenId',
      'UnrecognizedClientException',
    ],
    ['an expired token', MEMBER, 'ExpiredToken', 'ExpiredToken', 'ExpiredTokenException'],
  ])('rejects %s', async (_, keys, ofS3, ofSts, ofJson) => {
    for (const principal of aws.world.principals) principal.expired = principal.accessKeyId === MEMBER.accessKeyId && keys === MEMBER;
    const { s3, sts, athena, glue } = clients(aws, keys);
    const s3Status = ofS3.endsWith('Token') ? 400 : 403;
    expect(await failure(s3.send(new ListBucketsCommand({})))).toMatchObject({ name: ofS3, status: s3Status });
    const asSts = await failure(sts.send(new GetCallerIdentityCommand({})));
    expect(asSts).toMatchObject({ name: expect.stringContaining(ofSts), status: 403 });
    expect(await failure(athena.send(new ListWorkGroupsCommand({})))).toMatchObject({ name: ofJson, status: 400 });
    expect(await failure(glue.send(new GetDatabasesCommand({})))).toMatchObject({ name: ofJson, status: 400 });
  });

  test('rejects unsigned requests and denied operations', async () => {
    expect((await fetch(aws.url)).status).toBe(403);
    const headers = { 'X-Amz-Target': 'AmazonAthena.ListWorkGroups' };
    const unsigned = await fetch(aws.url, { method: 'POST', headers, body: '{}' });
    expect([unsigned.status, unsigned.headers.get('x-amzn-errortype')]).toEqual([400, 'MissingAuthenticationTokenException']);
    for (const principal of aws.world.principals)
      principal.denied = principal.accessKeyId === OPERATOR.accessKeyId ? ['s3:ListBuckets'] : [];
    const denied = await failure(clients(aws).s3.send(new ListBucketsCommand({})));
    expect(denied).toMatchObject({ name: 'AccessDenied', message: expect.stringContaining('s3:ListAllMyBuckets') });
    await clients(aws, MEMBER).s3.send(new ListBucketsCommand({}));
  });

  test('throttles a given number of times, and the SDK retries', async () => {
    aws.misbehave('athena:ListWorkGroups', { kind: 'throttle', times: 1 });
    await clients(aws, OPERATOR, 2).athena.send(new ListWorkGroupsCommand({}));
    expect(aws.requests.map(({ status }) => status)).toEqual([400, 200]);
    aws.misbehave('athena:ListWorkGroups', { kind: 'throttle' });
    const throttled = await failure(clients(aws, OPERATOR, 2).athena.send(new ListWorkGroupsCommand({})));
    expect(throttled).toMatchObject({ name: 'ThrottlingException', status: 400 });
    aws.misbehave('s3:ListBuckets', { kind: 'throttle' });
    expect(await failure(clients(aws).s3.send(new ListBucketsCommand({})))).toMatchObject({ name: 'SlowDown', status: 503 });
    aws.behave();
    await clients(aws).s3.send(new ListBucketsCommand({}));
  });

  test('fails in various ways and can still be closed', async () => {
    const { s3, athena } = clients(aws);
    aws.misbehave('s3:ListBuckets', { kind: 'status', status: 500, times: 1 });
    expect(await failure(s3.send(new ListBucketsCommand({})))).toMatchObject({ status: 500 });
    for (const kind of ['html', 'garbage', 'reset'] as const) {
      aws.misbehave('athena:ListWorkGroups', { kind, times: 1 });
      expect((await failure(athena.send(new ListWorkGroupsCommand({})))).message, kind).not.toBe('no error');
    }
    bucketOf(aws, 'demo-full').failsWith = { status: 503, code: 'ServiceUnavailable' };
    const failing = await failure(s3.send(new ListObjectsV2Command({ Bucket: 'demo-full' })));
    expect(failing).toMatchObject({ name: 'ServiceUnavailable', status: 503 });
    bucketOf(aws, 'demo-empty').hangs = true;
    const abortSignal = AbortSignal.timeout(100);
    const hanging = await failure(s3.send(new ListObjectsV2Command({ Bucket: 'demo-empty' }), { abortSignal }));
    expect(hanging.name).toMatch(/Abort|Timeout/);
    aws.misbehave('athena:ListWorkGroups', { kind: 'hang' });
    const cut = failure(athena.send(new ListWorkGroupsCommand({})));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await aws.close();
    expect((await cut).message).not.toBe('no error');
  });

  test('rejects a large object before it is sent, and a modified one', async () => {
    const { s3 } = clients(aws);
    const large = new PutObjectCommand({ Bucket: 'demo-read-only', Key: 'large', Body: Buffer.alloc(8_000_000) });
    expect(await failure(s3.send(large))).toMatchObject({ name: 'AccessDenied', status: 403 });
    s3.middlewareStack.add(
      (next) => (args) => {
        // After it was signed.
        if (typeof args.request === 'object' && args.request !== null) Reflect.set(args.request, 'body', 'BODY');
        return next(args);
      },
      { step: 'deserialize', priority: 'low' },
    );
    const changed = new PutObjectCommand({ Bucket: 'demo-full', Key: 'changed', Body: 'body' });
    expect(await failure(s3.send(changed))).toMatchObject({ name: 'XAmzContentSHA256Mismatch', status: 400 });
    expect(aws.stored()).toEqual([]);
  });

  test('fails for single workgroups and databases', async () => {
    await aws.close();
    aws = await startAws({ pageSize: 1 });
    const { athena } = clients(aws);
    const [primary, users] = aws.world.workGroups;
    const [full, readOnly] = aws.world.catalogs[1]?.databases ?? [];
    if (!(primary && users && full && readOnly)) throw new Error('unexpected seed data');
    primary.throttled = true;
    users.hangs = true;
    full.denied = true;
    readOnly.hangs = true;
    const abortSoon = () => ({ abortSignal: AbortSignal.timeout(100) });
    const group = (WorkGroup: string, options = {}) => failure(athena.send(new GetWorkGroupCommand({ WorkGroup }), options));
    expect(await group('primary')).toMatchObject({ name: 'ThrottlingException' });
    expect((await group('QuiltUserAthena-demo', abortSoon())).name).toMatch(/Abort|Timeout/);
    const tables = (DatabaseName: string, options = {}) => {
      const command = new ListTableMetadataCommand({ CatalogName: 'quilt-demo-tabulator', DatabaseName });
      return failure(athena.send(command, options));
    };
    expect(await tables('demo-full')).toMatchObject({ name: 'AccessDeniedException', status: 400 });
    expect((await tables('demo-read-only', abortSoon())).name).toMatch(/Abort|Timeout/);
    expect(await tables('nowhere')).toMatchObject({ name: 'MetadataException' });
    const page = await athena.send(new ListWorkGroupsCommand({}));
    expect([page.WorkGroups?.length, typeof page.NextToken]).toEqual([1, 'string']);
  });

  test('counts concurrent requests', async () => {
    const { s3, sts } = clients(aws);
    for (const bucket of aws.world.buckets) Object.assign(bucket, { delayMs: 50, until: () => aws.mostAtOnce.overall === 4 });
    const lists = ['demo-full', 'demo-read-only', 'demo-list-only'].map((Bucket) => s3.send(new ListObjectsV2Command({ Bucket })));
    aws.misbehave('sts:GetCallerIdentity', { kind: 'delay', ms: 1000 });
    await Promise.all([...lists, sts.send(new GetCallerIdentityCommand({}))]);
    expect(aws.mostAtOnce).toEqual({ overall: 4, s3: 3 });
    expect(aws.requests.every(({ startedAt, endedAt = 0 }) => endedAt - startedAt > 40)).toBe(true);
  });
});
