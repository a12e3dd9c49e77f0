/** Reads share one AWS identity, which failures do not change; timeouts and regions. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json, RawClient } from '../../footbridge/tests/support/client.js';
import { MEMBER, OPERATOR, type Principal } from './support/aws/index.js';
import { afterAllTests, startEnvironment, type TestEnvironment } from './support/environment.js';
import { quiltFolderIn, writeQuiltFolder } from './support/quilt-home.js';
import { dataOf, failureOf } from './support/reads.js';
import { type AwsCredentials, MEMBER_TOKEN, type RegistryServer, startRegistry } from './support/registry/index.js';

const later = (ms = 3_600_000) => new Date(Date.now() + ms).toISOString();

function issued({ accessKeyId, secretAccessKey, sessionToken = '' }: Principal, Expiration = later()): AwsCredentials {
  return { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken, Expiration };
}

const ownKeys = `[default]\naws_access_key_id = ${OPERATOR.accessKeyId}\naws_secret_access_key = ${OPERATOR.secretAccessKey}\n`;
const searches = ({ requests }: RegistryServer) => requests.filter(({ path }) => path === '/api/auth/get_credentials').length;

/** Started before the other tests, since it waits for timeouts. */
const atEnd = afterAllTests();
let timeouts: Promise<Json[]>;
let hanging: TestEnvironment;
beforeAll(async () => {
  hanging = await startEnvironment({ person: 'plain user', hasKeys: false, atEnd });
  hanging.registry.misbehave('credentials', { kind: 'hang' });
  const slow = await startEnvironment({ person: 'nobody', atEnd });
  slow.world.write('home/.aws/config', '[default]\ncredential_process = sleep 15\n');
  const clients = await Promise.all([hanging.start(), slow.start()]);
  // The program would wait for its credential_process.
  atEnd(() => void clients[1].process.kill('SIGKILL'));
  timeouts = Promise.all(clients.map((client) => failureOf(client, 'athena://databases', 'concurrent')));
});

describe('the AWS identity with a login and AWS keys', () => {
  let quilt: TestEnvironment;
  let client: RawClient;
  const storeIssued = () => {
    const { accessKeyId: accessKey, secretAccessKey: secretKey, sessionToken: token = '' } = MEMBER;
    const credentials = { accessKey, secretKey, token, expiryTime: later() };
    const { url } = quilt.registry;
    return writeQuiltFolder(quiltFolderIn(quilt.world.home), { catalogUrl: url, registryUrl: url, token: MEMBER_TOKEN, credentials });
  };
  const identity = async (of: RawClient) => {
    const { credentials_from: from, identity } = await dataOf(of, 'permissions://discover');
    return [from, identity.name];
  };
  const AS_ISSUED = ['quilt', 'ReadWriteQuiltBucket'];
  beforeAll(async () => {
    quilt = await startEnvironment({ person: 'plain user', hasKeys: false, atEnd });
    quilt.world.write('home/.aws/credentials', ownKeys);
    quilt.registry.state.credentials = issued(MEMBER);
    quilt.registry.state.buckets = [];
    quilt.aws.world.buckets.splice(1);
    client = await quilt.start();
  });

  test('is not changed by a failing registry, and is the same for all calls', async () => {
    for (const how of [{ kind: 'status', status: 503 }, { kind: 'reset' }] as const) {
      quilt.registry.misbehave('credentials', how);
      const failure = await failureOf(client, 'athena://databases').finally(() => quilt.registry.behave());
      expect(failure).toMatchObject({ error: 'ResourceExecutionError', retryable: true });
      expect(failure.details).toMatch(/^The registry /);
    }
    expect(quilt.aws.requests).toEqual([]);
    const before = searches(quilt.registry);
    expect(await identity(client)).toEqual(AS_ISSUED);
    quilt.registry.misbehave('credentials', { kind: 'status', status: 503 });
    await Promise.all(['athena://workgroups', 'tabulator://buckets', 'athena://query/history'].map((uri) => dataOf(client, uri)));
    expect(await identity(client).finally(() => quilt.registry.behave())).toEqual(AS_ISSUED);
    expect(searches(quilt.registry)).toBe(before + 1);
    const keys = quilt.aws.requests.map(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1]);
    expect(new Set(keys)).toEqual(new Set([MEMBER.accessKeyId]));
  });

  test('is renewed when the issued credentials expire', async () => {
    quilt.registry.state.credentials = issued(MEMBER, later(-1000));
    const other = await quilt.start();
    expect(await identity(other)).toEqual(AS_ISSUED);
    quilt.registry.state.credentials = issued(OPERATOR);
    expect(await identity(other).finally(() => (quilt.registry.state.credentials = issued(MEMBER)))).toEqual(['quilt', 'operator']);
  });

  test('does not fall back if the registry rejects the login', async () => {
    await storeIssued();
    const other = await quilt.start();
    for (const [status, details, action] of [
      [401, 'The login to the Quilt catalog has expired.', /Log in again: `quilt3 login`/],
      [403, 'The registry denies this operation to the logged-in user.', /Ask the administrator/],
    ] as const) {
      quilt.registry.misbehave('credentials', { kind: 'status', status });
      const failure = await failureOf(other, 'athena://databases').finally(() => quilt.registry.behave());
      expect(failure).toMatchObject({ error: 'Unauthorized', details, retryable: false });
      expect(failure.suggested_actions.join(' ')).toMatch(action);
    }
    expect(await identity(other)).toEqual(AS_ISSUED);
  });

  test('does not fall back with an expired login', async () => {
    const { url } = quilt.registry;
    const login = { catalogUrl: url, registryUrl: url, token: MEMBER_TOKEN, expiresAt: new Date(0) };
    await writeQuiltFolder(quiltFolderIn(quilt.world.home), login);
    const failure = await failureOf(client, 'athena://databases').finally(() => quilt.logIn('plain user'));
    expect(failure).toMatchObject({ error: 'Unauthorized', details: 'The login to the Quilt catalog has expired.' });
  });

  test('is stored by quilt3 while the registry fails, but not for another registry', async () => {
    const another = await startRegistry();
    atEnd(() => another.close());
    for (const { misbehave } of [quilt.registry, another]) misbehave('credentials', { kind: 'status', status: 503 });
    await storeIssued();
    const login = { access_token: MEMBER_TOKEN, expires_at: Date.now() / 1000 + 3600 };
    const auth = { [quilt.registry.url]: login, [another.url]: login };
    quilt.world.write('home/.local/share/Quilt/auth.json', JSON.stringify(auth));
    const [same, elsewhere] = await Promise.all([quilt.start(), quilt.start({ env: { QUILT_CATALOG_URL: another.url } })]);
    expect(await identity(same)).toEqual(AS_ISSUED);
    const failure = await failureOf(elsewhere, 'athena://databases').finally(() => quilt.registry.behave());
    expect(failure).toMatchObject({ details: 'The registry issues no AWS credentials (HTTP 503).', retryable: true });
    another.behave();
    // It issues no credentials.
    expect(await identity(elsewhere)).toEqual(['aws configuration', 'operator']);
  });
});

test('an invalid region is reported with its source', async () => {
  const { registry, start, world } = await startEnvironment({ person: 'nobody' });
  world.remove('home/.local');
  registry.state.config = { region: 'EU (Ireland)' };
  const [byEnvironment, byCatalog] = await Promise.all([
    start({ env: { AWS_REGION: 'us_east_1' } }),
    start({ env: { QUILT_CATALOG_URL: registry.url, QUILT_ACCESS_TOKEN: MEMBER_TOKEN } }),
  ]);
  const cases = [
    [byEnvironment, 'AWS_REGION', '"us_east_1"'],
    [byCatalog, `${registry.url}/config.json`, '"EU (Ireland)"'],
  ] as const;
  for (const [client, from, name] of cases)
    expect(await failureOf(client, 'athena://databases')).toMatchObject({
      error: 'ResourceExecutionError',
      details: `Invalid region in ${from}: ${name}.`,
      suggested_actions: expect.arrayContaining([expect.stringContaining(`Fix the region in ${from}`)]),
      retryable: false,
    });
});

test('a hanging source of credentials causes a timeout that names it', async () => {
  const common = { error: 'ResourceExecutionError', retryable: true };
  const check = expect.arrayContaining([expect.stringContaining('credential_process')]);
  expect(await timeouts).toMatchObject([
    { ...common, details: `The registry at ${hanging.registry.url} did not return AWS credentials within 3 s.` },
    { ...common, details: 'Getting AWS credentials timed out after 5 s.', suggested_actions: check },
  ]);
});
