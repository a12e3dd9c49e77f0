/** Sources of the login, changes of it, and broken files. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RawClient } from '../../footbridge/tests/support/client.js';
import { useSources } from '../../footbridge/tests/support/start.js';
import { afterAllTests, startEnvironment, type TestEnvironment } from './support/environment.js';
import { quiltFolderIn, writeQuiltFolder } from './support/quilt-home.js';
import { dataOf, failureOf } from './support/reads.js';
import { ADMIN_TOKEN, MEMBER_TOKEN, startRegistry } from './support/registry/index.js';

useSources();

const ADA = { name: 'ada', email: 'ada@example.com', is_admin: true };
const JANE = { name: 'jane', email: 'jane@example.com', is_admin: false };

describe('a login to the catalog', () => {
  test.each(['QUILT_ACCESS_TOKEN', 'QUILT_API_KEY'])('is read from the environment (%s)', async (name) => {
    const { registry, start } = await startEnvironment({ person: 'nobody' });
    const client = await start({ env: { QUILT_CATALOG_URL: `${registry.url}/`, [name]: MEMBER_TOKEN } });
    expect(await dataOf(client, 'auth://status')).toMatchObject({
      status: 'logged_in',
      logged_in: true,
      login_from: 'environment',
      catalog_url: registry.url,
      user: JANE,
    });
    expect(await dataOf(client, 'auth://catalog/info')).toMatchObject({ registry_url: registry.url, is_logged_in: true, next_steps: [] });
  });

  test('is read from the environment before quilt3', async () => {
    const { start } = await startEnvironment({ person: 'administrator' });
    const client = await start({ env: { QUILT_ACCESS_TOKEN: MEMBER_TOKEN } });
    expect(await dataOf(client, 'auth://status')).toMatchObject({ login_from: 'environment', user: JANE });
  });

  test('is the one that quilt3 stored for the configured catalog', async () => {
    const quilt = await startEnvironment({ person: 'plain user' });
    const other = await startRegistry();
    quilt.atEnd(() => other.close());
    const folder = quiltFolderIn(quilt.world.home);
    const kept = (token: string) => ({ access_token: token, refresh_token: 'refresh-token-5d1c', expires_at: Date.now() / 1000 + 3600 });
    const auth = { [quilt.registry.url]: kept(MEMBER_TOKEN), [other.url]: kept(ADMIN_TOKEN) };
    await writeFile(join(folder, 'auth.json'), JSON.stringify(auth));
    const client = await quilt.start({ options: { catalog: other.url } });
    expect(await dataOf(client, 'auth://status')).toMatchObject({ catalog_url: other.url, login_from: 'quilt3', user: ADA });
    expect(quilt.registry.requests).toEqual([]);
    expect(JSON.stringify(other.requests)).not.toContain(MEMBER_TOKEN);
  });

  test('is not sent to another catalog', async () => {
    const quilt = await startEnvironment({ person: 'administrator' });
    const other = await startRegistry();
    quilt.atEnd(() => other.close());
    const client = await quilt.start({ options: { catalog: other.url } });
    expect(await dataOf(client, 'auth://status')).toMatchObject({ status: 'not_logged_in', catalog_url: other.url });
    expect(await failureOf(client, 'admin://users')).toMatchObject({ error: 'Unauthorized' });
    expect(JSON.stringify([other.requests, quilt.registry.requests])).not.toContain(ADMIN_TOKEN);
  });

  test('is not sent to a remote registry without https', async () => {
    const { start, world } = await startEnvironment();
    const registryUrl = 'http://registry.example.invalid';
    await writeQuiltFolder(quiltFolderIn(world.home), { catalogUrl: registryUrl, registryUrl, token: ADMIN_TOKEN });
    const client = await start();
    const failure = await failureOf(client, 'admin://users');
    expect(failure).toMatchObject({ error: 'ResourceExecutionError', retryable: false });
    expect(failure.details).toBe(`The URL of the registry, ${registryUrl}, is not https, so the token is not sent.`);
    expect(failure.suggested_actions.join(' ')).toContain('https');
    expect((await dataOf(client, 'auth://status')).problem.message).toContain('is not https');
  });
});

describe('the files of quilt3', () => {
  const atEnd = afterAllTests();
  let quilt: TestEnvironment;
  let client: RawClient;
  let folder: string;
  beforeAll(async () => {
    quilt = await startEnvironment({ person: 'nobody', hasKeys: true, atEnd });
    folder = quiltFolderIn(quilt.world.home);
    client = await quilt.start();
  });

  test('are read each time, so that login changes take effect at once', async () => {
    for (let round = 0; round < 2; round++) {
      await quilt.logIn('plain user');
      expect(await dataOf(client, 'auth://status')).toMatchObject({ status: 'logged_in', login_from: 'quilt3', user: JANE });
      expect(await failureOf(client, 'admin://users')).toMatchObject({ error: 'Unauthorized' });
      await quilt.logIn('administrator');
      expect(await dataOf(client, 'auth://status')).toMatchObject({ status: 'logged_in', user: ADA });
      expect(await dataOf(client, 'admin://users')).toMatchObject({ count: 3 });
      await quilt.logIn('nobody');
      expect(await dataOf(client, 'auth://status')).toMatchObject({ status: 'not_logged_in', user: null });
      expect(await failureOf(client, 'admin://users')).toMatchObject({ error: 'Unauthorized' });
    }
  });

  describe.each(['auth.json', 'config.yml'])('%s', (name) => {
    beforeEach(async () => {
      quilt.world.remove('home/.local/share/Quilt');
      await quilt.logIn('administrator');
    });

    const secret = 'leaked-token-aa11bb22cc33';
    const broken: [string, string, RegExp][] = [
      ['truncated content', `{"https://a.example": {"access_token": "${secret}`, /cannot be parsed/],
      ['indented with tabs', `a:\n\t- ${secret}: [`, /cannot be parsed/],
      ['a list', `["${secret}"]`, /has unexpected content/],
      ['a string', `"${secret}"`, /has unexpected content/],
      ['a number', '7', /has unexpected content/],
      ['values of other types', `{"navigator_url": ["${secret}"], "registryUrl": 7}`, /has unexpected content/],
      ['too much content', `# ${secret} ${'x'.repeat(1_200_000)}`, /is too large/],
    ];
    test.each(broken)('with %s is reported without its content', async (_, content, problem) => {
      await writeFile(join(folder, name), content);
      const status = await dataOf(client, 'auth://status');
      expect(status.problems, name).toHaveLength(1);
      expect(status.problems[0]).toContain(name);
      expect(status.problems[0]).toMatch(problem);
      const info = await dataOf(client, 'auth://catalog/info');
      const failure = await failureOf(client, 'admin://users');
      expect(failure).toMatchObject({ error: 'Unauthorized', details: expect.stringContaining(name) });
      expect(JSON.stringify([status, info, failure]) + client.stderr).not.toContain(secret);
    });

    test('may be empty', async () => {
      await writeFile(join(folder, name), '{}');
      const status = await dataOf(client, 'auth://status');
      expect(status).toMatchObject({ logged_in: false });
      expect(status).not.toHaveProperty('problems');
    });

    test('may not be a folder', async () => {
      quilt.world.remove(`home/.local/share/Quilt/${name}`);
      await mkdir(join(folder, name));
      const status = await dataOf(client, 'auth://status');
      expect(status).toMatchObject({ logged_in: false, problems: [expect.stringContaining(`${name} is not a regular file`)] });
    });
  });
});
