/** The test registry and the files of quilt3. */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { quiltFolderIn, writeQuiltFolder } from './support/quilt-home.js';
import { ADMIN_TOKEN, MEMBER_TOKEN, type RegistryServer, startRegistry } from './support/registry/index.js';

describe('the registry on loopback', () => {
  let registry: RegistryServer;
  beforeEach(async () => {
    registry = await startRegistry();
  });
  afterEach(() => registry.close());

  const ask = async (query: string, token?: string): Promise<{ status: number; body: unknown }> => {
    const authorization: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const headers = { 'Content-Type': 'application/json', ...authorization };
    const response = await fetch(`${registry.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    return { status: response.status, body: await response.json() };
  };
  const ADMIN = `{ admin { user { list { name dateJoined role { __typename ... on ManagedRole { id name arn } } extraRoles { __typename } } }
    ssoConfig { text timestamp uploader { name } } tabulatorOpenQuery } roles { ... on UnmanagedRole { name } } }`;

  test('answers administrators and plain users', async () => {
    expect(await ask('{ me { name isAdmin } bucketConfigs { name title } }', MEMBER_TOKEN)).toMatchObject({
      body: { data: { me: { name: 'jane', isAdmin: false }, bucketConfigs: [{ name: 'demo-full' }, { name: 'demo-read-only' }] } },
    });
    expect(await ask(ADMIN, ADMIN_TOKEN)).toMatchObject({
      status: 200,
      body: {
        data: {
          admin: {
            user: {
              list: [{ name: 'ada', role: { __typename: 'ManagedRole', id: '1' }, extraRoles: [{}] }, { name: 'jane' }, { role: null }],
            },
            ssoConfig: { uploader: { name: 'ada' } },
            tabulatorOpenQuery: true,
          },
          roles: [{}, {}, { name: 'CustomerOwnRole' }],
        },
      },
    });
    const refused = await ask('{ admin { tabulatorOpenQuery } }', MEMBER_TOKEN);
    expect(refused).toMatchObject({ status: 200, body: { data: null, errors: [{ message: 'Unauthorized', path: ['admin'] }] } });
    expect(await ask('{ admin { user { list { role } } } }', ADMIN_TOKEN)).toMatchObject({ status: 400, body: { errors: [{}] } });
    expect(registry.requests.at(-1)?.query).toBe('{ admin { user { list { role } } } }');
  });

  test('rejects invalid tokens in the configured way', async () => {
    expect(await ask('{ me { name } }')).toMatchObject({ status: 401, body: { message: expect.any(String) } });
    expect(await ask('{ me { name } }', 'unknown')).toMatchObject({ status: 401 });
    await registry.close();
    registry = await startRegistry({ graphqlErrors401: true, uploaderIsText: true });
    expect(await ask('{ me { name } }')).toMatchObject({ status: 200, body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] } });
    expect(await ask('{ admin { ssoConfig { uploader } } }', ADMIN_TOKEN)).toMatchObject({
      body: { data: { admin: { ssoConfig: { uploader: 'ada' } } } },
    });
    await registry.close();
    registry = await startRegistry({ open: true });
    expect(await ask('{ me { name } }')).toMatchObject({ status: 200, body: { data: { me: null } } });
  });

  test('serves the catalog configuration and credentials', async () => {
    const config: unknown = await (await fetch(`${registry.url}/config.json`)).json();
    expect(config).toMatchObject({ registryUrl: registry.url, region: 'us-east-1', analyticsBucket: 'demo-analyticsbucket-abc123' });
    const headers = { Authorization: `Bearer ${MEMBER_TOKEN}` };
    const credentials = () => fetch(`${registry.url}/api/auth/get_credentials`, { headers });
    expect((await credentials()).status).toBe(404);
    registry.state.credentials = { AccessKeyId: 'ASIA', SecretAccessKey: 's', SessionToken: 't', Expiration: '2030-01-01T00:00:00+00:00' };
    expect(await (await credentials()).json()).toEqual(registry.state.credentials);
    expect((await fetch(`${registry.url}/api/auth/get_credentials`)).status).toBe(401);
  });

  test('misbehaves at one endpoint at a time', async () => {
    const config = (options: RequestInit = {}) => fetch(`${registry.url}/config.json`, { redirect: 'manual', ...options });
    registry.misbehave('config', { kind: 'html' });
    expect((await config()).headers.get('content-type')).toContain('text/html');
    expect(await ask('{ me { name } }', MEMBER_TOKEN)).toMatchObject({ status: 200 });
    registry.misbehave('config', { kind: 'redirect' });
    expect([(await config()).status, (await config({ redirect: 'follow' })).url]).toEqual([302, `${registry.url}/login`]);
    registry.misbehave('config', { kind: 'status', status: 429, retryAfter: 7, times: 1 });
    const busy = await config();
    expect([busy.status, busy.headers.get('retry-after'), (await config()).status]).toEqual([429, '7', 200]);
    for (const kind of ['hang', 'reset', 'not-json', 'huge'] as const) {
      registry.misbehave('config', { kind });
      await expect(
        config(kind === 'hang' || kind === 'huge' ? { signal: AbortSignal.timeout(200) } : {}).then((response) => response.json()),
        kind,
      ).rejects.toThrow();
    }
    registry.misbehave('graphql', { kind: 'echo-token' });
    expect(await ask('{ me { name } }', MEMBER_TOKEN)).toMatchObject({
      status: 401,
      body: { message: expect.stringContaining(MEMBER_TOKEN) },
    });
    registry.behave();
    expect((await config()).status).toBe(200);
  });
});

test('the folder of quilt3 contains a private login', async () => {
  const home = await mkdtemp(join(tmpdir(), 'quilt-home-'));
  const folder = quiltFolderIn(home);
  const credentials = { accessKey: 'ASIA', secretKey: 's', token: 't', expiryTime: '2030-01-01T00:00:00+00:00' };
  const expiresAt = new Date('2030-01-02T03:04:05Z');
  await writeQuiltFolder(folder, {
    catalogUrl: 'http://catalog',
    registryUrl: 'http://registry',
    token: 'a-token',
    expiresAt,
    credentials,
  });
  const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, name), 'utf8'));
  expect(await read('auth.json')).toEqual({
    'http://registry': { access_token: 'a-token', refresh_token: expect.any(String), expires_at: 1_893_553_445 },
  });
  expect(await read('credentials.json')).toEqual({ access_key: 'ASIA', secret_key: 's', token: 't', expiry_time: credentials.expiryTime });
  expect(await readFile(join(folder, 'config.yml'), 'utf8')).toMatch(/^navigator_url: http:\/\/catalog$/m);
  expect((await stat(join(folder, 'auth.json'))).mode & 0o777).toBe(0o600);
  await rm(home, { recursive: true });
});
