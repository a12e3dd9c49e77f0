/** What reads share: one identity to AWS, which trouble does not change, found in little time, in a region that is one. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, RawClient } from '../../footbridge/tests/support/client.js';
import { MEMBER, OPERATOR, type Principal } from './support/aws/index.js';
import { dataOf, failureOf } from './support/outcomes.js';
import { quiltFolderIn, writeQuiltFolder } from './support/quilt-home.js';
import { afterAllTests, type Surroundings, surroundings } from './support/quilted.js';
import { type AwsCredentials, MEMBER_TOKEN, type RegistryServer, startRegistry } from './support/registry/index.js';

const later = (ms = 3_600_000) => new Date(Date.now() + ms).toISOString();

function lent({ accessKeyId, secretAccessKey, sessionToken = '' }: Principal, Expiration = later()): AwsCredentials {
  return { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken, Expiration };
}

const ownKeys = `[default]\naws_access_key_id = ${OPERATOR.accessKeyId}\naws_secret_access_key = ${OPERATOR.secretAccessKey}\n`;
const searches = ({ requests }: RegistryServer) => requests.filter(({ path }) => path === '/api/auth/get_credentials').length;

/** The limits are waited for while the other tests run. */
const atEnd = afterAllTests();
let patience: Promise<Json[]>;
let hanging: Surroundings;
beforeAll(async () => {
  hanging = await surroundings({ person: 'plain user', hasKeys: false, atEnd });
  hanging.registry.misbehave('credentials', { kind: 'hang' });
  const slow = await surroundings({ person: 'nobody', atEnd });
  slow.world.write('home/.aws/config', '[default]\ncredential_process = sleep 15\n');
  const clients = await Promise.all([hanging.start(), slow.start()]);
  // The program would wait for the other, which nothing ends before its time.
  atEnd(() => void clients[1].process.kill('SIGKILL'));
  patience = Promise.all(clients.map((client) => failureOf(client, 'athena://databases', 'at once')));
});

describe('the identity of somebody who is logged in, and has keys of AWS as well', () => {
  let quilt: Surroundings;
  let client: RawClient;
  const keepLent = () => {
    const { accessKeyId: accessKey, secretAccessKey: secretKey, sessionToken: token = '' } = MEMBER;
    const credentials = { accessKey, secretKey, token, expiryTime: later() };
    const { url } = quilt.registry;
    return writeQuiltFolder(quiltFolderIn(quilt.world.home), { catalogUrl: url, registryUrl: url, token: MEMBER_TOKEN, credentials });
  };
  const identity = async (of: RawClient) => {
    const { credentials_from: from, identity } = await dataOf(of, 'permissions://discover');
    return [from, identity.name];
  };
  const AS_LENT = ['quilt', 'ReadWriteQuiltBucket'];
  beforeAll(async () => {
    quilt = await surroundings({ person: 'plain user', hasKeys: false, atEnd });
    quilt.world.write('home/.aws/credentials', ownKeys);
    quilt.registry.state.credentials = lent(MEMBER);
    quilt.registry.state.buckets = [];
    quilt.aws.world.buckets.splice(1);
    client = await quilt.start();
  });

  test('is not changed by a registry in trouble, and is the same for all that is asked', async () => {
    for (const how of [{ kind: 'status', status: 503 }, { kind: 'reset' }] as const) {
      quilt.registry.misbehave('credentials', how);
      const failure = await failureOf(client, 'athena://databases').finally(() => quilt.registry.behave());
      expect(failure).toMatchObject({ error: 'ResourceExecutionError', retryable: true });
      expect(failure.details).toMatch(/^The registry /);
    }
    expect(quilt.aws.requests).toEqual([]);
    const before = searches(quilt.registry);
    expect(await identity(client)).toEqual(AS_LENT);
    quilt.registry.misbehave('credentials', { kind: 'status', status: 503 });
    await Promise.all(['athena://workgroups', 'tabulator://buckets', 'athena://query/history'].map((uri) => dataOf(client, uri)));
    expect(await identity(client).finally(() => quilt.registry.behave())).toEqual(AS_LENT);
    expect(searches(quilt.registry)).toBe(before + 1);
    const keys = quilt.aws.requests.map(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1]);
    expect(new Set(keys)).toEqual(new Set([MEMBER.accessKeyId]));
  });

  test('is found again when what was lent is over', async () => {
    quilt.registry.state.credentials = lent(MEMBER, later(-1000));
    const other = await quilt.start();
    expect(await identity(other)).toEqual(AS_LENT);
    quilt.registry.state.credentials = lent(OPERATOR);
    expect(await identity(other).finally(() => (quilt.registry.state.credentials = lent(MEMBER)))).toEqual(['quilt', 'operator']);
  });

  test('is not what anything else gives where the registry refuses the login', async () => {
    await keepLent();
    const other = await quilt.start();
    for (const [status, details, action] of [
      [401, 'The login to the Quilt catalog has expired.', /Log in again: `quilt3 login`/],
      [403, 'The registry does not allow that to whoever is logged in.', /Ask whoever runs/],
    ] as const) {
      quilt.registry.misbehave('credentials', { kind: 'status', status });
      const failure = await failureOf(other, 'athena://databases').finally(() => quilt.registry.behave());
      expect(failure).toMatchObject({ error: 'Unauthorized', details, retryable: false });
      expect(failure.suggested_actions.join(' ')).toMatch(action);
    }
    expect(await identity(other)).toEqual(AS_LENT);
  });

  test('is not that of an expired login, nor that of AWS instead', async () => {
    const { url } = quilt.registry;
    const login = { catalogUrl: url, registryUrl: url, token: MEMBER_TOKEN, expiresAt: new Date(0) };
    await writeQuiltFolder(quiltFolderIn(quilt.world.home), login);
    const failure = await failureOf(client, 'athena://databases').finally(() => quilt.logIn('plain user'));
    expect(failure).toMatchObject({ error: 'Unauthorized', details: 'The login to the Quilt catalog has expired.' });
  });

  test('is what quilt3 keeps while the registry is in trouble, but not at the registry of another catalog', async () => {
    const another = await startRegistry();
    atEnd(() => another.close());
    for (const { misbehave } of [quilt.registry, another]) misbehave('credentials', { kind: 'status', status: 503 });
    await keepLent();
    const login = { access_token: MEMBER_TOKEN, expires_at: Date.now() / 1000 + 3600 };
    const auth = { [quilt.registry.url]: login, [another.url]: login };
    quilt.world.write('home/.local/share/Quilt/auth.json', JSON.stringify(auth));
    const [same, elsewhere] = await Promise.all([quilt.start(), quilt.start({ env: { QUILT_CATALOG_URL: another.url } })]);
    expect(await identity(same)).toEqual(AS_LENT);
    const failure = await failureOf(elsewhere, 'athena://databases').finally(() => quilt.registry.behave());
    expect(failure).toMatchObject({ details: 'The registry lends no AWS credentials (status 503).', retryable: true });
    another.behave();
    // That one lends to nobody.
    expect(await identity(elsewhere)).toEqual(['aws configuration', 'operator']);
  });
});

test('a region that cannot be one is told with the place that names it', async () => {
  const { registry, start, world } = await surroundings({ person: 'nobody' });
  world.remove('home/.local');
  registry.state.config = { region: 'EU (Ireland)' };
  const [byEnvironment, byCatalog] = await Promise.all([
    start({ env: { AWS_REGION: 'us_east_1' } }),
    start({ env: { QUILT_CATALOG_URL: registry.url, QUILT_ACCESS_TOKEN: MEMBER_TOKEN } }),
  ]);
  const told = [
    [byEnvironment, 'AWS_REGION', '"us_east_1"'],
    [byCatalog, `${registry.url}/config.json`, '"EU (Ireland)"'],
  ] as const;
  for (const [client, from, name] of told)
    expect(await failureOf(client, 'athena://databases')).toMatchObject({
      error: 'ResourceExecutionError',
      details: `${from} names a region that cannot be one: ${name}.`,
      suggested_actions: expect.arrayContaining([expect.stringContaining(`Put the region right in ${from}`)]),
      retryable: false,
    });
});

test('who hands out credentials is waited for no longer than a limit, and named', async () => {
  const common = { error: 'ResourceExecutionError', retryable: true };
  const check = expect.arrayContaining([expect.stringContaining('credential_process')]);
  expect(await patience).toMatchObject([
    { ...common, details: `The registry at ${hanging.registry.url} did not lend AWS credentials within 3 s.` },
    { ...common, details: 'AWS credentials did not come within 5 s.', suggested_actions: check },
  ]);
});
