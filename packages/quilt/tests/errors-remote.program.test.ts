/** Failures of the registry and AWS: retryable or permanent, the same from the tool and resources/read. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { RawClient } from '../../footbridge/tests/support/client.js';
import { useSources } from '../../footbridge/tests/support/start.js';
import type { AwsMisbehaviour } from './support/aws/index.js';
import { afterAllTests, startEnvironment, type TestEnvironment } from './support/environment.js';
import { quiltFolderIn, writeQuiltFolder } from './support/quilt-home.js';
import { dataOf, failureOf } from './support/reads.js';
import { MEMBER_TOKEN, type RegistryMisbehaviour, startRegistry } from './support/registry/index.js';

useSources();

const atEnd = afterAllTests();

describe('a failing registry', () => {
  let quilt: TestEnvironment;
  let client: RawClient;
  beforeAll(async () => {
    quilt = await startEnvironment({ atEnd });
    client = await quilt.start();
  });

  const failures: [string, RegistryMisbehaviour, RegExp, boolean][] = [
    ['an HTML page', { kind: 'html' }, /sent text\/html instead of JSON/, false],
    ['a redirect', { kind: 'redirect' }, /redirects \(HTTP 302\)/, false],
    ['invalid JSON', { kind: 'not-json' }, /sent invalid JSON/, false],
    ['a huge body', { kind: 'huge' }, /sent more than 8 MiB/, false],
    ['status 404', { kind: 'status', status: 404 }, /sent HTTP 404/, false],
    ['status 500', { kind: 'status', status: 500 }, /failing \(HTTP 500\)/, true],
    ['status 429', { kind: 'status', status: 429 }, /\(HTTP 429\)/, true],
    ['a connection reset', { kind: 'reset' }, /is unreachable/, true],
  ];
  test.each(failures)('that responds with %s', async (_, how, details, retryable) => {
    quilt.registry.misbehave('graphql', how);
    const failure = await failureOf(client, 'admin://users').finally(() => quilt.registry.behave());
    expect(failure).toMatchObject({ error: 'ResourceExecutionError', message: "Failed to retrieve resource 'admin://users'.", retryable });
    expect(failure.details).toMatch(details);
    expect(failure.details).toContain(quilt.registry.url);
    expect(failure.suggested_actions.join(' ')).toMatch(retryable ? /Retry in a moment/ : /Retrying will not help/);
    expect(JSON.stringify(failure)).not.toContain('<form');
  });

  test('that asks for timeouts is given it', async () => {
    quilt.registry.misbehave('graphql', { kind: 'status', status: 503, retryAfter: 7 });
    const failure = await failureOf(client, 'admin://users').finally(() => quilt.registry.behave());
    expect(failure).toMatchObject({ retryable: true, suggested_actions: expect.arrayContaining(['Retry in 7 s.']) });
  });

  test('that is unreachable', async () => {
    const gone = await startRegistry();
    await gone.close();
    await writeQuiltFolder(quiltFolderIn(quilt.world.home), { catalogUrl: gone.url, registryUrl: gone.url, token: MEMBER_TOKEN });
    const failure = await failureOf(client, 'admin://users').finally(() => quilt.logIn('administrator'));
    expect(failure).toMatchObject({
      error: 'ResourceExecutionError',
      details: `The registry at ${gone.url} is unreachable (ECONNREFUSED).`,
      retryable: true,
    });
  });
});

describe('a failing AWS', () => {
  let quilt: TestEnvironment;
  let client: RawClient;
  beforeAll(async () => {
    quilt = await startEnvironment({ atEnd });
    client = await quilt.start();
  });

  test('that throttles is retried three times', async () => {
    quilt.aws.misbehave('athena:ListWorkGroups', { kind: 'throttle' });
    const failure = await failureOf(client, 'athena://workgroups', 'concurrent').finally(() => quilt.aws.behave());
    expect(failure).toMatchObject({
      error: 'ResourceExecutionError',
      message: "Failed to retrieve resource 'athena://workgroups'.",
      retryable: true,
    });
    expect(failure.details).toContain('ThrottlingException');
    // Concurrent reads of the same resource share one execution.
    expect(quilt.aws.requests.filter(({ operation }) => operation === 'athena:ListWorkGroups')).toHaveLength(3);
  });

  test('that throttles once is retried silently', async () => {
    quilt.aws.misbehave('glue:GetDatabases', { kind: 'throttle', times: 1 });
    expect(await dataOf(client, 'athena://databases')).toMatchObject({ complete: true, count: 4 });
  });

  const failures: [string, AwsMisbehaviour, RegExp, boolean][] = [
    ['an HTML page', { kind: 'html' }, /is not from AWS/, false],
    ['garbage', { kind: 'garbage' }, /is not from AWS/, false],
    ['status 500', { kind: 'status', status: 500 }, /HTTP 500/, true],
    ['a connection reset', { kind: 'reset' }, /is unreachable for \S+ \(ECONNRESET\)/, true],
  ];
  test.each(failures)('that responds with %s', async (_, how, details, retryable) => {
    const operations = ['glue:GetDatabases', 'sts:GetCallerIdentity', 's3:ListBuckets', 'athena:ListDatabases'] as const;
    for (const operation of operations) quilt.aws.misbehave(operation, how);
    const uris = ['athena://databases', 'permissions://discover', 'permissions://recommendations', 'tabulator://buckets'];
    const failures = await Promise.all(uris.map((uri) => failureOf(client, uri))).finally(() => quilt.aws.behave());
    for (const [index, failure] of failures.entries()) {
      expect(failure).toMatchObject({
        error: 'ResourceExecutionError',
        message: `Failed to retrieve resource '${uris[index]}'.`,
        retryable,
      });
      expect(failure.details).toMatch(details);
      expect(JSON.stringify(failure)).not.toMatch(/<h1|not<closed/);
    }
  });

  test('that is unreachable', async () => {
    const { aws, start } = await startEnvironment();
    const other = await start();
    await aws.close();
    for (const uri of ['athena://query/history', 'permissions://discover'])
      expect(await failureOf(other, uri)).toMatchObject({
        error: 'ResourceExecutionError',
        details: expect.stringMatching(/^AWS is unreachable for \S+ \(ECONNREFUSED\)\.$/),
        retryable: true,
      });
  });
});

test('a hanging server causes a timeout', async () => {
  const { aws, registry, start } = await startEnvironment();
  registry.misbehave('graphql', { kind: 'hang' });
  aws.misbehave('athena:ListWorkGroups', { kind: 'hang' });
  const client = await start();
  const timeouts = ['admin://users', 'athena://workgroups'].map((uri) => failureOf(client, uri, 'concurrent'));
  const common = { error: 'ResourceExecutionError', retryable: true };
  expect(await Promise.all(timeouts)).toMatchObject([
    { ...common, details: expect.stringMatching(/^The registry at \S+ did not respond within 5 s\.$/) },
    { ...common, details: 'athena:ListWorkGroups timed out after 5 s.' },
  ]);
});
