/** Bucket permissions: probed concurrently, without side effects, with partial results. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, RawClient } from '../../footbridge/tests/support/client.js';
import { type Bucket, MEMBER, OPERATOR, seedWorld } from './support/aws/index.js';
import { afterAllTests, startEnvironment, type TestEnvironment } from './support/environment.js';
import { dataOf, failureOf } from './support/reads.js';

const byName = ({ buckets }: Json): Record<string, Json> => Object.fromEntries(buckets.map((bucket: Json) => [bucket.name, bucket]));

function bucket(name: string, differing: Partial<Bucket> = {}): Bucket {
  const objects = new Map([['a.csv', Buffer.from('a\n')]]);
  return { name, region: 'us-east-1', created: new Date('2024-03-05T06:07:08Z'), objects, ...differing };
}

const atEnd = afterAllTests();

async function withBuckets(count: number, differing: (index: number) => Partial<Bucket> = () => ({})): Promise<TestEnvironment> {
  const name = (index: number) => `bucket-${String(index).padStart(3, '0')}`;
  const buckets = Array.from({ length: count }, (_, index) => bucket(name(index), { delayMs: 20, ...differing(index) }));
  const quilt = await startEnvironment({ aws: { world: { ...seedWorld(), buckets }, pageSize: 30 }, atEnd });
  quilt.registry.state.buckets = [];
  return quilt;
}

/** Whether a bucket is writable is checked only if that is enabled. */
const CHECKED = { options: { writeCheck: true } };

const BAD: readonly Partial<Bucket>[] = [
  { failsWith: { status: 500, code: 'InternalError' } },
  { failsWith: { status: 503, code: 'SlowDown' } },
  { hangs: true },
];
/** Started before the other tests, since it waits for a timeout. */
let partial: Promise<Json>;
beforeAll(async () => {
  const { start } = await withBuckets(20, (index) => BAD[index] ?? {});
  partial = dataOf(await start(CHECKED), 'permissions://discover');
});

describe('the buckets of an account', () => {
  let quilt: TestEnvironment;
  let client: RawClient;
  beforeAll(async () => {
    quilt = await startEnvironment({ person: 'plain user', aws: { checksRegions: true }, atEnd });
    client = await quilt.start(CHECKED);
  });

  test('are probed in every region, and nothing is stored', async () => {
    const data = await dataOf(client, 'permissions://discover');
    expect(data).toMatchObject({
      identity: { account: '123456789012', arn: 'arn:aws:iam::123456789012:user/operator', type: 'user', name: 'operator' },
      credentials_from: 'environment',
      region: 'us-east-1',
      summary: { total: 6, readable: 4, writable: 3, failed: 0 },
      complete: true,
      problems: [],
    });
    const rights = Object.values(byName(data)).map((each) => [each.name, each.access, each.can_list, each.can_read, each.can_write]);
    expect(rights).toEqual([
      ['demo-empty', 'read_write', true, true, true],
      ['demo-full', 'read_write', true, true, true],
      ['demo-list-only', 'list_only', true, false, false],
      ['demo-no-access', 'none', false, null, false],
      ['demo-other-region', 'read_write', true, true, true],
      ['demo-read-only', 'read_only', true, true, false],
    ]);
    expect(byName(data)).toMatchObject({
      'demo-full': { region: 'us-east-1', seen_in: ['account', 'catalog'] },
      'demo-other-region': { region: 'eu-central-1', seen_in: ['account'] },
    });
    expect(quilt.aws.stored()).toEqual([]);
  });

  test('are found in another region', async () => {
    quilt.registry.state.buckets.push({ name: 'demo-other-region', title: 'Far away' });
    quilt.aws.misbehave('s3:ListBuckets', { kind: 'denied' });
    const data = await dataOf(client, 'permissions://discover').finally(() => quilt.aws.behave());
    quilt.registry.state.buckets.pop();
    expect(byName(data)['demo-other-region']).toMatchObject({ access: 'read_write', seen_in: ['catalog'], region: null });
  });

  test('are taken from the catalog if the account cannot be listed', async () => {
    quilt.aws.misbehave('s3:ListBuckets', { kind: 'denied' });
    const data = await dataOf(client, 'permissions://discover').finally(() => quilt.aws.behave());
    expect(Object.keys(byName(data))).toEqual(['demo-full', 'demo-read-only']);
    expect(data).toMatchObject({
      complete: false,
      problems: [{ part: 'the list of buckets of the account', error: 'Unauthorized', retryable: false }],
    });
    expect(data.problems[0].message).toContain('s3:ListAllMyBuckets');
  });

  test('are taken from the account if the registry fails', async () => {
    quilt.registry.misbehave('graphql', { kind: 'status', status: 503 });
    const data = await dataOf(client, 'permissions://discover').finally(() => quilt.registry.behave());
    expect(data).toMatchObject({
      complete: false,
      summary: { total: 6 },
      problems: [{ part: 'the list of buckets of the catalog', error: 'ResourceExecutionError', retryable: true }],
    });
  });

  test('are probed without an identity', async () => {
    quilt.aws.misbehave('sts:GetCallerIdentity', { kind: 'denied' });
    const data = await dataOf(client, 'permissions://discover').finally(() => quilt.aws.behave());
    expect(data).toMatchObject({ identity: null, complete: false, problems: [{ part: 'the identity' }], summary: { total: 6, failed: 0 } });
  });

  test('are taken from the catalog without an account list and identity', async () => {
    quilt.aws.misbehave('s3:ListBuckets', { kind: 'denied' });
    quilt.aws.misbehave('sts:GetCallerIdentity', { kind: 'html' });
    const data = await dataOf(client, 'permissions://discover').finally(() => quilt.aws.behave());
    expect(Object.keys(byName(data))).toEqual(['demo-full', 'demo-read-only']);
    expect(data).toMatchObject({
      identity: null,
      complete: false,
      summary: { total: 2, readable: 2, writable: 1, failed: 0 },
      problems: [
        { part: 'the identity', error: 'ResourceExecutionError' },
        { part: 'the list of buckets of the account', error: 'Unauthorized' },
      ],
    });
  });

  test.each([
    [OPERATOR.arn.replace('operator', 'division/team/alice'), { type: 'user', name: 'alice' }],
    [MEMBER.arn, { type: 'assumed-role', name: 'ReadWriteQuiltBucket' }],
    ['arn:aws:iam::123456789012:root', { type: 'root', name: null }],
  ])('have the identity %s', async (arn, identity) => {
    const kept = quilt.aws.world.principals;
    quilt.aws.world.principals = [{ ...OPERATOR, arn }];
    const data = await dataOf(client, 'permissions://discover').finally(() => {
      quilt.aws.world.principals = kept;
    });
    expect(data.identity).toMatchObject({ arn, ...identity });
  });

  test('cannot be listed if both fail', async () => {
    quilt.registry.misbehave('graphql', { kind: 'status', status: 503 });
    quilt.aws.misbehave('s3:ListBuckets', { kind: 'denied' });
    for (const uri of ['permissions://discover', 'permissions://recommendations'])
      expect(await failureOf(client, uri)).toMatchObject({
        error: 'Unauthorized',
        details: expect.stringContaining('s3:ListAllMyBuckets'),
      });
    quilt.registry.behave();
    quilt.aws.behave();
  });

  test('are not read from a captive portal', async () => {
    quilt.aws.misbehave('s3:ListBuckets', { kind: 'html' });
    quilt.aws.misbehave('s3:ListObjectsV2', { kind: 'html' });
    quilt.aws.misbehave('s3:HeadObject', { kind: 'html' });
    const data = await dataOf(client, 'permissions://discover').finally(() => quilt.aws.behave());
    expect(data).toMatchObject({ complete: false, summary: { readable: 0, failed: 2 } });
    for (const each of [...data.buckets.map(({ problem }: Json) => problem), ...data.problems])
      expect(each.message).toContain('is not from AWS');
  });

  test('with invalid names in the catalog are ignored', async () => {
    const names = [
      '..',
      '../demo-full',
      'demo-full/../demo-empty',
      'a?b',
      'a#b',
      'a b',
      'a\u0000b',
      'a\r\nHost: evil.example',
      '',
      'x'.repeat(5000),
      'arn:aws:s3:us-east-1:999999999999:accesspoint/evil',
      'evil.example@demo-full',
      '__proto__',
    ];
    const kept = quilt.registry.state.buckets;
    quilt.registry.state.buckets = [...kept, ...names.map((name) => ({ name, title: name })), { name: 'not-there', title: '' }];
    const before = quilt.aws.requests.length;
    const data = await dataOf(client, 'permissions://discover');
    quilt.registry.state.buckets = kept;
    expect(Object.keys(byName(data))).toHaveLength(7);
    expect(byName(data)).toMatchObject({
      'demo-full': { access: 'read_write' },
      'not-there': { access: 'unknown', problem: { message: expect.stringContaining('NoSuchBucket') } },
    });
    expect(data).toMatchObject({ complete: false, problems: [{ part: 'the list of buckets of the catalog' }] });
    expect(data.problems[0].message).toContain(`${names.length} `);
    const asked = new Set(quilt.aws.requests.slice(before).map(({ path }) => path.split(/[/?]/)[1]));
    for (const each of asked) expect(['', 'not-there', ...quilt.aws.world.buckets.map(({ name }) => name)]).toContain(each);
    expect(quilt.aws.stored()).toEqual([]);
  });

  test('are recommended with reasons, deterministically', async () => {
    const kept = [...quilt.aws.world.buckets];
    quilt.aws.world.buckets.push(
      bucket('team-logs'),
      bucket('raw-landing'),
      bucket('team-sandbox'),
      bucket('team-archive'),
      bucket('team-read', { denied: ['write'] }),
      ...Array.from({ length: 4 }, (_, index) => bucket(`team-${index}`)),
      bucket('broken', { failsWith: { status: 404, code: 'Odd' } }),
    );
    quilt.registry.state.buckets.push({ name: 'team-archive', title: 'What is kept' });
    const first = await dataOf(client, 'permissions://recommendations');
    const second = await dataOf(client, 'permissions://recommendations');
    quilt.registry.state.buckets.pop();
    quilt.aws.world.buckets = kept;
    expect(second).toEqual(first);
    const names = (list: Json[]) => list.map((each) => each.bucket);
    expect(names(first.for_reading).slice(0, 2)).toEqual(['demo-full', 'demo-read-only']);
    expect(names(first.for_writing)[0]).toBe('demo-full');
    expect(names(first.for_writing)).toContain('team-sandbox');
    for (const name of ['demo-read-only', 'demo-no-access', 'team-logs']) expect(names(first.for_writing)).not.toContain(name);
    const ranks = names(first.for_writing);
    expect(ranks.indexOf('team-sandbox')).toBeLessThan(ranks.indexOf('raw-landing'));
    for (const each of [...first.for_reading, ...first.for_writing]) expect(each.reasons.length, each.bucket).toBeGreaterThan(0);
    const reasons: Record<string, string> = Object.fromEntries(first.not_recommended.map((each: Json) => [each.bucket, each.reason]));
    expect(Object.keys(reasons).sort()).toEqual(['broken', 'demo-list-only', 'demo-no-access', 'team-logs']);
    expect(reasons).toMatchObject({
      'team-logs': expect.stringContaining('belongs to a service'),
      broken: expect.stringContaining('unknown'),
    });
    // The catalog shows it, which outweighs its name.
    expect(names(first.for_writing)).toContain('team-archive');
    expect(first.for_writing[0].reasons).toContain('It is in the region in use, us-east-1.');
    expect([first.for_reading.length, first.for_writing.length, first.left_out]).toEqual([10, 10, { for_reading: 1, for_writing: 0 }]);
    expect(first).toMatchObject({ complete: false, based_on: { buckets: 16, region: 'us-east-1' } });
  });

  test('get no write by default, and are reported as not checked', async () => {
    const careful = await quilt.start({ options: {} });
    const before = quilt.aws.requests.length;
    const data = await dataOf(careful, 'permissions://discover');
    expect(data).toMatchObject({
      complete: true,
      summary: { readable: 4, writable: null },
      method: { write: expect.stringMatching(/^not checked: .*"writeCheck": true/) },
    });
    for (const each of data.buckets) expect(each.can_write, each.name).toBeNull();
    expect(await dataOf(careful, 'permissions://recommendations')).toMatchObject({
      for_writing: [],
      based_on: { write: expect.stringMatching(/^not checked/) },
    });
    expect(new Set(quilt.aws.requests.slice(before).map(({ method, service }) => `${service} ${method}`))).toEqual(
      new Set(['s3 GET', 's3 HEAD', 'sts POST']),
    );
    expect(quilt.aws.stored()).toEqual([]);
  });

  test('of other stores are cleaned up after the write check, or reported', async () => {
    const kept = [...quilt.aws.world.buckets];
    const tidy = bucket('tidy', { ignoresMd5: true });
    const littered = bucket('littered', { ignoresMd5: true, denied: ['delete'] });
    const unreadable = bucket('unreadable', { ignoresMd5: true, denied: ['list', 'read', 'delete'] });
    quilt.aws.world.buckets.push(tidy, littered, unreadable);
    const data = await dataOf(client, 'permissions://discover');
    const advice = await dataOf(client, 'permissions://recommendations');
    quilt.aws.misbehave('s3:HeadObject', { kind: 'status', status: 400 });
    const unread = await dataOf(client, 'permissions://discover').finally(() => quilt.aws.behave());
    quilt.aws.world.buckets = kept;
    const key = '.footbridge/is-this-allowed';
    const problem = {
      message: expect.stringMatching(`left the object ${key} in the bucket: AWS denies s3:DeleteObject`),
      retryable: false,
    };
    expect(byName(data)).toMatchObject({
      tidy: { access: 'read_write' },
      littered: { access: 'read_write', can_write: true, problem },
      unreadable: { access: 'write_only', can_write: true, problem },
    });
    expect(byName(unread)['littered']).toMatchObject({ can_list: true, can_read: null, can_write: true, problem });
    expect(byName(data)['tidy']).not.toHaveProperty('problem');
    expect(data).toMatchObject({ complete: false, summary: { total: 9, writable: 6, failed: 0 } });
    expect([tidy, littered].map(({ objects }) => objects.has(key))).toEqual([false, true]);
    expect(advice.for_writing.map((each: Json) => each.bucket)).toContain('littered');
    expect(advice.not_recommended.map((each: Json) => each.bucket)).not.toContain('littered');
  });
});

describe('many buckets', () => {
  let quilt: TestEnvironment;
  let client: RawClient;
  beforeAll(async () => {
    // Whoever probes them one after the other gets no answer.
    quilt = await withBuckets(100, () => ({ until: () => quilt.aws.mostAtOnce.s3 > 16 }));
    client = await quilt.start(CHECKED);
  });

  test('are probed concurrently within the limit', async () => {
    const data = await dataOf(client, 'permissions://discover');
    expect(data).toMatchObject({ complete: true, summary: { total: 100, readable: 100, writable: 100, failed: 0 } });
    expect(quilt.aws.mostAtOnce.s3).toBeLessThanOrEqual(data.method.requests_at_once);
    expect(quilt.aws.mostAtOnce.s3).toBeGreaterThan(16);
    expect(quilt.aws.stored()).toEqual([]);
  });

  test('are returned except for failing, throttled and hanging ones', async () => {
    const data = await partial;
    expect(data).toMatchObject({ complete: false, summary: { total: 20, readable: 17, writable: 17, failed: 3 }, problems: [] });
    const nothing = { access: 'unknown', can_list: null, can_read: null, can_write: null };
    expect(byName(data)).toMatchObject({
      'bucket-000': {
        ...nothing,
        problem: { error: 'ResourceExecutionError', message: expect.stringContaining('HTTP 500'), retryable: true },
      },
      'bucket-001': { ...nothing, problem: { message: expect.stringContaining('SlowDown'), retryable: true } },
      'bucket-002': {
        ...nothing,
        problem: { message: expect.stringMatching(/(?:did not respond within|timed out after) 5 s/), retryable: true },
      },
    });
  });
});
