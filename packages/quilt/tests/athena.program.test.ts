/** Athena, Glue and the tabulator: pagination and partial results. */
import { rm } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, RawClient } from '../../footbridge/tests/support/client.js';
import { useSources } from '../../footbridge/tests/support/start.js';
import { BAIT, seedWorld, type WorkGroup } from './support/aws/index.js';
import { afterAllTests, startEnvironment, type TestEnvironment } from './support/environment.js';
import { quiltFolderIn } from './support/quilt-home.js';
import { dataOf, failureOf } from './support/reads.js';
import { MEMBER_TOKEN } from './support/registry/index.js';

useSources();

const atEnd = afterAllTests();
let quilt: TestEnvironment;
let client: RawClient;
beforeAll(async () => {
  quilt = await startEnvironment({ person: 'plain user', aws: { pageSize: 2 }, atEnd });
  client = await quilt.start();
});

const HISTORY = seedWorld().queryExecutions.map(({ id }) => id);

function workGroup(name: string, differing: Partial<WorkGroup> = {}): WorkGroup {
  return { name, state: 'ENABLED', description: '', created: new Date('2024-03-05T06:07:08Z'), enforced: false, ...differing };
}

describe('workgroups', () => {
  test('are read over all pages, one without access with the reason', async () => {
    const data = await dataOf(client, 'athena://workgroups');
    expect(data).toMatchObject({ count: 3, failed: 1, complete: false });
    expect(data.workgroups).toMatchObject([
      { name: 'primary', output_location: null, enforces_configuration: false },
      {
        name: 'QuiltUserAthena-demo',
        output_location: 's3://demo-athena-results/users/',
        enforces_configuration: true,
        bytes_scanned_cutoff: 10_000_000_000,
        created_at: '2024-03-05T06:07:08.000Z',
      },
      { name: 'finance', state: 'DISABLED', problem: { error: 'Unauthorized', retryable: false } },
    ]);
    expect(data.workgroups[2].problem.message).toMatch(/athena:GetWorkGroup on resource: \S+:workgroup\/finance/);
  });

  test('report a malformed response', async () => {
    quilt.aws.misbehave('athena:GetWorkGroup', { kind: 'answer', body: {} });
    const data = await dataOf(client, 'athena://workgroups').finally(() => quilt.aws.behave());
    expect(data).toMatchObject({ count: 3, failed: 3, complete: false });
    for (const each of data.workgroups) {
      expect(each).not.toHaveProperty('enforces_configuration');
      expect(each.problem.message).toBe('The response to athena:GetWorkGroup is not from AWS.');
    }
  });

  test('may be empty', async () => {
    const kept = quilt.aws.world.workGroups;
    quilt.aws.world.workGroups = [];
    const data = await dataOf(client, 'athena://workgroups').finally(() => {
      quilt.aws.world.workGroups = kept;
    });
    expect(data).toEqual({ region: 'us-east-1', workgroups: [], count: 0, failed: 0, complete: true });
  });
});

describe('the query history', () => {
  test('has the 50 newest queries of all workgroups, and reports workgroups without access', async () => {
    const data = await dataOf(client, 'athena://query/history');
    expect(data.queries.map(({ id }: Json) => id)).toEqual(HISTORY.slice(0, 50));
    expect(data).toMatchObject({
      region: 'us-east-1',
      count: 50,
      workgroups: ['primary', 'QuiltUserAthena-demo', 'finance'],
      complete: false,
      problems: [{ part: 'the workgroup finance', error: 'Unauthorized', retryable: false }],
    });
    expect(data.queries[0]).toMatchObject({ state: 'QUEUED', completed_at: null, duration_ms: null, bytes_scanned: null });
    expect(data.queries[5]).toMatchObject({ state: 'FAILED', state_reason: expect.stringContaining('SYNTAX_ERROR') });
    expect(data.queries[6]).toMatchObject({
      state: 'SUCCEEDED',
      workgroup: 'primary',
      database: 'analytics',
      duration_ms: expect.any(Number),
      bytes_scanned: 7 * 1_048_576,
      submitted_at: expect.stringMatching(/Z$/),
    });
  });

  test('redacts signed URLs', async () => {
    const shown = JSON.stringify(await dataOf(client, 'athena://query/history'));
    expect(shown).toContain('read_csv');
    expect(shown).not.toContain(BAIT.accessKeyId);
    expect(shown).not.toContain(BAIT.signature);
  });

  test('truncates a long query', async () => {
    const [newest] = quilt.aws.world.queryExecutions;
    if (newest === undefined) throw new Error('there is no query');
    const long = { ...newest, id: 'long', query: `SELECT ${'x, '.repeat(60_000)} 1`, submitted: new Date('2026-03-01T00:00:00Z') };
    quilt.aws.world.queryExecutions.unshift(long);
    const data = await dataOf(client, 'athena://query/history').finally(() => quilt.aws.world.queryExecutions.shift());
    expect(data.queries[0]).toMatchObject({ id: 'long', query_length: long.query.length });
    // At a word boundary, so that no partial secret remains.
    expect(data.queries[0].query).toBe(long.query.slice(0, 9_999));
    expect(data.queries[1]).not.toHaveProperty('query_length');
  });

  test('is complete after a transient failure', async () => {
    quilt.aws.misbehave('athena:BatchGetQueryExecution', { kind: 'status', status: 500, times: 1 });
    expect(await dataOf(client, 'athena://query/history')).toMatchObject({ count: 50 });
  });

  describe('of accessible workgroups', () => {
    const { workGroups: all } = seedWorld();
    beforeAll(() => {
      quilt.aws.world.workGroups = all.filter(({ denied }) => denied === undefined);
      return () => {
        quilt.aws.world.workGroups = all;
      };
    });

    test('retries unprocessed queries', async () => {
      for (const each of quilt.aws.world.queryExecutions.slice(0, 7)) each.unprocessed = 1;
      const data = await dataOf(client, 'athena://query/history');
      expect(data.queries.map(({ id }: Json) => id)).toEqual(HISTORY.slice(0, 50));
      expect(data).toMatchObject({ complete: true, problems: [] });
    });

    test('reports how many queries Athena does not return', async () => {
      // Of these, 2 and 5 are in the other workgroup.
      const silent = quilt.aws.world.queryExecutions.slice(0, 7);
      for (const each of silent) each.unprocessed = Number.POSITIVE_INFINITY;
      const data = await dataOf(client, 'athena://query/history').finally(() => {
        for (const each of silent) each.unprocessed = 0;
      });
      expect(data.queries.map(({ id }: Json) => id)).toEqual(HISTORY.slice(7, 57));
      expect(data).toMatchObject({
        complete: false,
        problems: [
          { part: 'the workgroup primary', message: 'Athena did not return 5 of its last 40 queries.', retryable: true },
          { part: 'the workgroup QuiltUserAthena-demo', message: 'Athena did not return 2 of its last 20 queries.', retryable: true },
        ],
      });
    });

    test('continues after an empty page', async () => {
      const NextToken = Buffer.from('page-0').toString('base64url');
      quilt.aws.misbehave('athena:ListQueryExecutions', { kind: 'answer', body: { QueryExecutionIds: [], NextToken }, times: 2 });
      const data = await dataOf(client, 'athena://query/history').finally(() => quilt.aws.behave());
      expect(data.queries.map(({ id }: Json) => id)).toEqual(HISTORY.slice(0, 50));
      expect(data).toMatchObject({ complete: true, problems: [] });
    });

    test('stops after too many empty pages', async () => {
      const others = quilt.aws.world.workGroups.splice(1);
      quilt.aws.misbehave('athena:ListQueryExecutions', { kind: 'answer', body: { NextToken: 'more' } });
      const data = await dataOf(client, 'athena://query/history').finally(() => quilt.aws.behave());
      quilt.aws.world.workGroups.push(...others);
      expect(data).toMatchObject({ count: 0, complete: false, problems: [{ part: 'the workgroup primary' }] });
      expect(data.problems[0].message).toContain('more pages than are read');
    });

    test.each([
      ['denies it', { kind: 'denied' }, { error: 'Unauthorized', retryable: false }],
      ['fails', { kind: 'status', status: 500 }, { error: 'ResourceExecutionError', retryable: true }],
    ] as const)('fails if every workgroup %s', async (_, how, expected) => {
      quilt.aws.misbehave('athena:ListQueryExecutions', how);
      const failure = await failureOf(client, 'athena://query/history', 'concurrent').finally(() => quilt.aws.behave());
      expect(failure).toMatchObject({ ...expected, details: expect.stringContaining('athena:ListQueryExecutions') });
    });
  });

  test('returns an error without permission to list workgroups', async () => {
    quilt.aws.misbehave('athena:ListWorkGroups', { kind: 'denied' });
    const failure = await failureOf(client, 'athena://query/history').finally(() => quilt.aws.behave());
    expect(failure).toMatchObject({ error: 'Unauthorized', details: expect.stringContaining('athena:ListWorkGroups') });
  });
});

describe('databases', () => {
  test('are read from Glue over all pages', async () => {
    const data = await dataOf(client, 'athena://databases');
    expect(data).toMatchObject({ region: 'us-east-1', data_catalog: 'AwsDataCatalog', count: 4, complete: true, problems: [] });
    expect(data.databases).toContainEqual({
      name: 'analytics',
      description: 'Product analytics',
      location: 's3://demo-full/analytics/',
      created_at: '2024-03-05T06:07:08.000Z',
    });
  });

  test('are read from Athena if Glue denies access, without locations', async () => {
    quilt.aws.misbehave('glue:GetDatabases', { kind: 'denied' });
    const data = await dataOf(client, 'athena://databases').finally(() => quilt.aws.behave());
    expect(data.databases.map(({ name }: Json) => name)).toEqual(['default', 'analytics', 'genomics', 'quilt_demo']);
    expect(data).toMatchObject({
      count: 4,
      complete: false,
      problems: [{ part: 'locations and creation times', error: 'Unauthorized', message: expect.stringContaining('glue:GetDatabases') }],
    });
    expect(data.databases[1]).toEqual({ name: 'analytics', description: 'Product analytics', location: null, created_at: null });
  });

  test('fail if Athena denies access as well', async () => {
    quilt.aws.misbehave('glue:GetDatabases', { kind: 'denied' });
    quilt.aws.misbehave('athena:ListDatabases', { kind: 'denied' });
    const failure = await failureOf(client, 'athena://databases').finally(() => quilt.aws.behave());
    expect(failure).toMatchObject({ error: 'Unauthorized', retryable: false });
  });
});

describe('the tabulator', () => {
  const tabulator = () => {
    const found = quilt.aws.world.catalogs.find(({ name }) => name === 'quilt-demo-tabulator');
    if (found === undefined) throw new Error('there is no tabulator');
    return found;
  };

  test('shows only buckets with tables', async () => {
    expect(await dataOf(client, 'tabulator://buckets')).toEqual({
      region: 'us-east-1',
      data_catalog: 'quilt-demo-tabulator',
      buckets: [
        { name: 'demo-full', tables: ['assays', 'plates'] },
        { name: 'demo-read-only', tables: ['samples'] },
      ],
      count: 2,
      complete: true,
    });
  });

  test('shows a bucket without access to its tables with the reason', async () => {
    const [first] = tabulator().databases;
    if (first === undefined) throw new Error('there is no database');
    first.denied = true;
    const data = await dataOf(client, 'tabulator://buckets').finally(() => {
      first.denied = false;
    });
    expect(data).toMatchObject({
      buckets: [
        {
          name: 'demo-full',
          tables: null,
          problem: { error: 'Unauthorized', message: expect.stringContaining('athena:ListTableMetadata') },
        },
        { name: 'demo-read-only', tables: ['samples'] },
      ],
      complete: false,
    });
  });

  test('reports a bucket with too many tables', async () => {
    const [first] = tabulator().databases;
    const [table] = first?.tables ?? [];
    if (first === undefined || table === undefined) throw new Error('there is no table');
    const kept = first.tables.splice(0);
    for (let index = 0; index < 201; index++) first.tables.push({ ...table, name: `table-${index}` });
    const data = await dataOf(client, 'tabulator://buckets').finally(() => first.tables.splice(0, 201, ...kept));
    expect(data).toMatchObject({ count: 2, complete: false });
    expect(data.buckets[0].tables).toHaveLength(200);
    expect(data.buckets[0].problem).toMatchObject({ message: 'There are more tables than the 200 that were read.', retryable: false });
  });

  test('requires the URL of the catalog', async () => {
    const { registry, start, world } = await startEnvironment({ person: 'plain user' });
    await rm(quiltFolderIn(world.home), { recursive: true });
    const other = await start({ env: { QUILT_REGISTRY_URL: registry.url, QUILT_ACCESS_TOKEN: MEMBER_TOKEN } });
    const failure = await failureOf(other, 'tabulator://buckets');
    expect(failure).toMatchObject({
      error: 'ResourceExecutionError',
      details: expect.stringContaining('The URL of the catalog is unknown'),
      suggested_actions: expect.arrayContaining([expect.stringContaining('QUILT_CATALOG_URL')]),
      retryable: false,
    });
  });

  test('reports a missing data catalog', async () => {
    const kept = quilt.aws.world.catalogs;
    quilt.aws.world.catalogs = kept.filter((each) => each !== tabulator());
    const failure = await failureOf(client, 'tabulator://buckets').finally(() => {
      quilt.aws.world.catalogs = kept;
    });
    expect(failure).toMatchObject({ error: 'ResourceExecutionError', retryable: false });
    expect(failure.details).toContain('quilt-demo-tabulator was not found');
  });

  test.each([
    ['has no analyticsBucket', { analyticsBucket: undefined }, /config\.json of \S+ has no analyticsBucket/],
    ['is invalid', { analyticsBucket: 7 }, /is not that of a Quilt catalog/],
  ])('fails if the config.json of the catalog %s', async (_, config, details) => {
    const other = await startEnvironment({ person: 'plain user' });
    other.registry.state.config = config;
    const failure = await failureOf(await other.start(), 'tabulator://buckets');
    expect(failure).toMatchObject({ error: 'ResourceExecutionError', details: expect.stringMatching(details), retryable: false });
  });
});

test('a workgroup that hangs or is throttled does not affect the others', async () => {
  const bad = [workGroup('hangs', { hangs: true }), workGroup('busy', { throttled: true })];
  const workGroups = [workGroup('primary'), workGroup('QuiltUserAthena-demo'), ...bad];
  const { start } = await startEnvironment({ aws: { world: { ...seedWorld(), workGroups } } });
  const other = await start();
  const [details, history] = await Promise.all(['athena://workgroups', 'athena://query/history'].map((uri) => dataOf(other, uri)));
  expect(details).toMatchObject({ count: 4, failed: 2, complete: false });
  expect(details.workgroups).toMatchObject([
    { name: 'primary', enforces_configuration: false },
    { name: 'QuiltUserAthena-demo', enforces_configuration: false },
    { name: 'hangs', problem: { message: 'athena:GetWorkGroup timed out after 5 s.', retryable: true } },
    { name: 'busy', problem: { message: expect.stringContaining('ThrottlingException'), retryable: true } },
  ]);
  expect(history).toMatchObject({ count: 50, complete: false, workgroups: ['primary', 'QuiltUserAthena-demo', 'hangs', 'busy'] });
  expect(history.problems).toMatchObject([
    { part: 'the workgroup hangs', error: 'ResourceExecutionError', message: expect.stringContaining('after 5 s'), retryable: true },
    {
      part: 'the workgroup busy',
      error: 'ResourceExecutionError',
      message: expect.stringContaining('ThrottlingException'),
      retryable: true,
    },
  ]);
});
