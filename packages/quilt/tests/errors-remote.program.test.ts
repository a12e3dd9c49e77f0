/** A registry and an AWS in trouble: told apart, what passes from what does not, the same by the tool and by the protocol's own road. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, RawClient } from '../../footbridge/tests/support/client.js';
import type { AwsMisbehaviour } from './support/aws/index.js';
import { dataOf, failureOf } from './support/outcomes.js';
import { quiltFolderIn, writeQuiltFolder } from './support/quilt-home.js';
import { afterAllTests, type Surroundings, surroundings } from './support/quilted.js';
import { MEMBER_TOKEN, type RegistryMisbehaviour, startRegistry } from './support/registry/index.js';

/** The limits are waited for while the other tests run. */
const atEnd = afterAllTests();
let patience: Promise<Json[]>;
beforeAll(async () => {
  const { aws, registry, start } = await surroundings({ atEnd });
  registry.misbehave('graphql', { kind: 'hang' });
  aws.misbehave('athena:ListWorkGroups', { kind: 'hang' });
  const client = await start();
  patience = Promise.all(['admin://users', 'athena://workgroups'].map((uri) => failureOf(client, uri, 'at once')));
});

describe('a registry in trouble', () => {
  let quilt: Surroundings;
  let client: RawClient;
  beforeAll(async () => {
    quilt = await surroundings({ atEnd });
    client = await quilt.start();
  });

  const troubles: [string, RegistryMisbehaviour, RegExp, boolean][] = [
    ['a page', { kind: 'html' }, /answered with text\/html instead of JSON/, false],
    ['a page elsewhere', { kind: 'redirect' }, /sends elsewhere \(status 302\)/, false],
    ['half an answer', { kind: 'not-json' }, /answered with what is no JSON/, false],
    ['an answer without end', { kind: 'huge' }, /answered with more than 8 MiB/, false],
    ['status 404', { kind: 'status', status: 404 }, /answered with status 404/, false],
    ['status 500', { kind: 'status', status: 500 }, /in trouble \(status 500\)/, true],
    ['status 429', { kind: 'status', status: 429 }, /\(status 429\)/, true],
    ['a cut connection', { kind: 'reset' }, /cannot be reached/, true],
  ];
  test.each(troubles)('that answers with %s', async (_, how, details, retryable) => {
    quilt.registry.misbehave('graphql', how);
    const failure = await failureOf(client, 'admin://users').finally(() => quilt.registry.behave());
    expect(failure).toMatchObject({ error: 'ResourceExecutionError', message: "Failed to retrieve resource 'admin://users'.", retryable });
    expect(failure.details).toMatch(details);
    expect(failure.details).toContain(quilt.registry.url);
    expect(failure.suggested_actions.join(' ')).toMatch(retryable ? /Retry in a moment/ : /Retrying will not help/);
    expect(JSON.stringify(failure)).not.toContain('<form');
  });

  test('that asks for patience is given it', async () => {
    quilt.registry.misbehave('graphql', { kind: 'status', status: 503, retryAfter: 7 });
    const failure = await failureOf(client, 'admin://users').finally(() => quilt.registry.behave());
    expect(failure).toMatchObject({ retryable: true, suggested_actions: expect.arrayContaining(['Retry in 7 s.']) });
  });

  test('that is not there', async () => {
    const gone = await startRegistry();
    await gone.close();
    await writeQuiltFolder(quiltFolderIn(quilt.world.home), { catalogUrl: gone.url, registryUrl: gone.url, token: MEMBER_TOKEN });
    const failure = await failureOf(client, 'admin://users').finally(() => quilt.logIn('administrator'));
    expect(failure).toMatchObject({
      error: 'ResourceExecutionError',
      details: `The registry at ${gone.url} cannot be reached (ECONNREFUSED).`,
      retryable: true,
    });
  });
});

describe('an AWS in trouble', () => {
  let quilt: Surroundings;
  let client: RawClient;
  beforeAll(async () => {
    quilt = await surroundings({ atEnd });
    client = await quilt.start();
  });

  test('that limits calls is asked again before it is given up', async () => {
    quilt.aws.misbehave('athena:ListWorkGroups', { kind: 'throttle' });
    const failure = await failureOf(client, 'athena://workgroups', 'at once').finally(() => quilt.aws.behave());
    expect(failure).toMatchObject({
      error: 'ResourceExecutionError',
      message: "Failed to retrieve resource 'athena://workgroups'.",
      retryable: true,
    });
    expect(failure.details).toContain('ThrottlingException');
    // Who asks for the same at the same time shares the answer.
    expect(quilt.aws.requests.filter(({ operation }) => operation === 'athena:ListWorkGroups')).toHaveLength(3);
  });

  test('that limits a call once is asked again, and nobody hears of it', async () => {
    quilt.aws.misbehave('glue:GetDatabases', { kind: 'throttle', times: 1 });
    expect(await dataOf(client, 'athena://databases')).toMatchObject({ complete: true, count: 4 });
  });

  const troubles: [string, AwsMisbehaviour, RegExp, boolean][] = [
    ['a page', { kind: 'html' }, /does not speak as AWS does/, false],
    ['garbage', { kind: 'garbage' }, /does not speak as AWS does/, false],
    ['status 500', { kind: 'status', status: 500 }, /status 500/, true],
    ['a cut connection', { kind: 'reset' }, /cannot be reached for \S+ \(ECONNRESET\)/, true],
  ];
  test.each(troubles)('that answers with %s', async (_, how, details, retryable) => {
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

  test('that is not there', async () => {
    const { aws, start } = await surroundings();
    const other = await start();
    await aws.close();
    for (const uri of ['athena://query/history', 'permissions://discover'])
      expect(await failureOf(other, uri)).toMatchObject({
        error: 'ResourceExecutionError',
        details: expect.stringMatching(/^AWS cannot be reached for \S+ \(ECONNREFUSED\)\.$/),
        retryable: true,
      });
  });
});

test('who does not answer at all is waited for no longer than a limit', async () => {
  const common = { error: 'ResourceExecutionError', retryable: true };
  expect(await patience).toMatchObject([
    { ...common, details: expect.stringMatching(/^The registry at \S+ did not answer within 5 s\.$/) },
    { ...common, details: 'AWS did not answer athena:ListWorkGroups within 5 s.' },
  ]);
});
