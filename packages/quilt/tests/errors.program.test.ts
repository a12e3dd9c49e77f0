/** Errors that the caller can fix, the same from the tool and resources/read. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { RawClient } from '../../footbridge/tests/support/client.js';
import { postModern, startHttp } from '../../footbridge/tests/support/http-server.js';
import { useSources } from '../../footbridge/tests/support/start.js';
import { bearer, tokensOf } from '../../footbridge/tests/support/tokens.js';
import { OPERATOR } from './support/aws/index.js';
import { afterAllTests, startEnvironment, type TestEnvironment } from './support/environment.js';
import { quiltFolderIn, writeQuiltFolder } from './support/quilt-home.js';
import { dataOf, failureOf } from './support/reads.js';
import { MEMBER_TOKEN, startRegistry } from './support/registry/index.js';

useSources();

const ADMIN_URIS = ['admin://users', 'admin://roles', 'admin://config/sso', 'admin://config/tabulator'];
const TEMPLATE_NAMES = ['standard', 'genomics', 'ml', 'research', 'analytics'];

describe('an invalid URI', () => {
  const atEnd = afterAllTests();
  let client: RawClient;
  beforeAll(async () => {
    client = await (await startEnvironment({ person: 'plain user', atEnd })).start();
  });

  test.each([
    'nope://x',
    'auth://statsu',
    'auth:status',
    'no address at all',
    'AUTH//status',
    'athena://databases/default',
    'auth://\u0007',
  ])('%j is rejected with all 19 valid URIs', async (uri) => {
    const failure = await failureOf(client, uri);
    expect(failure).toMatchObject({
      error: 'InvalidURI',
      message: expect.stringMatching(/^Resource URI '.+' not recognized\.$/),
      details: 'The URI must match one of the available resource patterns.',
      retryable: false,
    });
    expect(new Set(failure.valid_uris).size).toBe(19);
    expect(failure.suggested_actions.join(' ')).toContain('get_resource()');
  });

  test.each([
    ['auth://statsu', 'auth://status'],
    ['metadata://template', 'metadata://templates'],
    ['athena://workgroup', 'athena://workgroups'],
    ['admin://user', 'admin://users'],
  ])('%s suggests %s', async (uri, meant) => {
    expect((await failureOf(client, uri)).suggested_actions[0]).toMatch(new RegExp(`^Did you mean .*'${meant}'`));
  });

  test.each([
    ['metadata://templates/', 'metadata://templates/{template}', 'template'],
    ['metadata://templates/{template}', 'metadata://templates/{template}', 'template'],
    ['workflow://workflows/{workflow_id}/status', 'workflow://workflows/{workflow_id}/status', 'workflow_id'],
    ['workflow://workflows//status', 'workflow://workflows/{workflow_id}/status', 'workflow_id'],
  ])('%s lacks a template variable', async (uri, template, variable) => {
    const failure = await failureOf(client, uri);
    expect(failure).toMatchObject({
      error: 'MissingTemplateVariable',
      message: `Template URI '${template}' requires variable(s): ${variable}`,
      details: 'Template URIs must include values for all variables.',
      retryable: false,
    });
    const actions = failure.suggested_actions.join('\n');
    expect(actions).toContain(template);
    if (variable === 'template') for (const name of TEMPLATE_NAMES) expect(actions).toContain(name);
  });

  test.each(['{}', 'a%20b', 'a%2Fb', '%C3%BC', 'ü', '%00', '..%2F..', '%2E%2E'])('%j is an invalid template variable', async (value) => {
    for (const uri of [`metadata://templates/${value}`, `workflow://workflows/${value}/status`]) {
      const failure = await failureOf(client, uri);
      expect(failure, uri).toMatchObject({
        error: 'InvalidTemplateVariable',
        message: expect.stringContaining('is not a valid '),
        retryable: false,
      });
      expect(failure.details).toContain('letters, digits');
    }
  });

  test('an unknown template is NotFound with the valid names', async () => {
    const failure = await failureOf(client, 'metadata://templates/nope');
    expect(failure).toMatchObject({ error: 'NotFound', message: expect.stringContaining("'metadata://templates/nope'"), retryable: false });
    for (const name of TEMPLATE_NAMES) expect(failure.suggested_actions.join(' ')).toContain(name);
  });

  test.each(['invalid-id', 'import-genomes-x7k2p9', 'constructor', 'a'.repeat(300)])('the workflow %s is NotFound', async (id) => {
    const failure = await failureOf(client, `workflow://workflows/${id}/status`);
    expect(failure).toMatchObject({ error: 'NotFound', retryable: false });
  });
});

describe('missing permissions', () => {
  const atEnd = afterAllTests();
  let quilt: TestEnvironment;
  let client: RawClient;
  const keysInFile = (id: string, secret: string) =>
    quilt.world.write('home/.aws/credentials', `[default]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n`);
  const logInWith = (more: { token: string; expiresAt?: Date }, registryUrl = quilt.registry.url) =>
    writeQuiltFolder(quiltFolderIn(quilt.world.home), { catalogUrl: registryUrl, registryUrl, ...more });
  beforeAll(async () => {
    quilt = await startEnvironment({ person: 'plain user', hasKeys: false, atEnd });
    client = await quilt.start();
  });

  test.each(ADMIN_URIS)('the registry denies %s to a plain user', async (uri) => {
    await quilt.logIn('plain user');
    const failure = await failureOf(client, uri);
    expect(failure).toMatchObject({
      error: 'Unauthorized',
      message: `Resource '${uri}' requires admin privileges.`,
      details: 'This operation is restricted to Quilt administrators.',
      retryable: false,
    });
    expect(failure.suggested_actions.join(' ')).toMatch(/administrator.*auth:\/\/status.*get_resource\(\)/);
  });

  test('the registry denies admin://users with status 403', async () => {
    await quilt.logIn('plain user');
    quilt.registry.misbehave('graphql', { kind: 'status', status: 403 });
    const failure = await failureOf(client, 'admin://users').finally(() => quilt.registry.behave());
    expect(failure).toMatchObject({ error: 'Unauthorized', message: "Resource 'admin://users' requires admin privileges." });
  });

  test.each(ADMIN_URIS)('%s requires a login', async (uri) => {
    await quilt.logIn('nobody');
    const failure = await failureOf(client, uri);
    expect(failure).toMatchObject({ error: 'Unauthorized', message: `Resource '${uri}' requires a login.`, retryable: false });
    expect(failure.details).toBe('Not logged in to a Quilt catalog.');
    expect(failure.suggested_actions.join(' ')).toMatch(/quilt3 login.*auth:\/\/status/);
  });

  test('an expired login is not used', async () => {
    await logInWith({ token: MEMBER_TOKEN, expiresAt: new Date(Date.now() - 1000) });
    const before = quilt.registry.requests.length;
    expect(await failureOf(client, 'admin://users')).toMatchObject({
      error: 'Unauthorized',
      message: "Resource 'admin://users' requires a login.",
      details: 'The login to the Quilt catalog has expired.',
      suggested_actions: expect.arrayContaining([expect.stringContaining('again: `quilt3 login`')]),
    });
    expect(quilt.registry.requests).toHaveLength(before);
    expect(await dataOf(client, 'auth://status')).toMatchObject({ status: 'expired', logged_in: false, user: null });
  });

  test.each([
    ['status 401', false],
    ['a GraphQL error', true],
  ])('the registry rejects the login with %s', async (_, graphqlErrors401) => {
    const registry = await startRegistry({ graphqlErrors401 });
    atEnd(() => registry.close());
    const token = 'revoked-bearer-token-11aa22bb';
    await logInWith({ token }, registry.url);
    const failure = await failureOf(client, 'admin://roles');
    expect(failure).toMatchObject({ error: 'Unauthorized', message: "Resource 'admin://roles' requires a login.", retryable: false });
    expect(failure.suggested_actions.join(' ')).toContain('quilt3 login');
    expect(JSON.stringify(failure)).not.toContain(token);
    expect(await dataOf(client, 'auth://status')).toMatchObject({ status: 'expired', logged_in: false });
  });

  test.each([
    ['expired', OPERATOR, 'The AWS credentials have expired.'],
    ['with an unknown key', { ...OPERATOR, accessKeyId: 'AKIANOBODY0000000001' }, 'The credentials were rejected by AWS'],
    [
      'with a wrong secret',
      { ...OPERATOR, secretAccessKey: 'wrong/secret+access-key-00000000000000001' },
      'The credentials were rejected by AWS',
    ],
  ])('AWS credentials %s', async (kind, { accessKeyId, secretAccessKey }, details) => {
    await quilt.logIn('plain user');
    // Rejected credentials are looked up again.
    for (const principal of quilt.aws.world.principals) principal.expired = true;
    await failureOf(client, 'athena://databases');
    keysInFile(accessKeyId, secretAccessKey);
    for (const principal of quilt.aws.world.principals) principal.expired = kind === 'expired';
    for (const uri of [
      'athena://databases',
      'athena://workgroups',
      'permissions://discover',
      'permissions://recommendations',
      'tabulator://buckets',
    ]) {
      const failure = await failureOf(client, uri);
      expect(failure, uri).toMatchObject({ error: 'Unauthorized', message: `Resource '${uri}' requires a login.`, retryable: false });
      expect(failure.details).toContain(details);
      expect(failure.suggested_actions.join(' ')).toContain('quilt3 login');
      expect(JSON.stringify(failure)).not.toMatch(/wrong\/secret|AKIANOBODY/);
    }
    for (const principal of quilt.aws.world.principals) principal.expired = false;
    keysInFile(OPERATOR.accessKeyId, OPERATOR.secretAccessKey);
    expect(await dataOf(client, 'athena://databases')).toMatchObject({ complete: true });
  });

  test('a denial by AWS names the IAM action', async () => {
    await quilt.logIn('plain user');
    keysInFile(OPERATOR.accessKeyId, OPERATOR.secretAccessKey);
    quilt.aws.misbehave('athena:ListWorkGroups', { kind: 'denied' });
    const failure = await failureOf(client, 'athena://workgroups').finally(() => quilt.aws.behave());
    expect(failure).toMatchObject({
      error: 'Unauthorized',
      message: "Access to resource 'athena://workgroups' is denied for this login.",
      retryable: false,
    });
    expect(failure.details).toMatch(/operator is not authorized to perform: athena:ListWorkGroups/);
  });
});

describe('the role admin', () => {
  test('is required over HTTP, whatever the login of the server may do', async () => {
    const { env, world } = await startEnvironment();
    const { endpoint } = await startHttp(world, {
      env,
      config: { packs: ['@footbridge/quilt'], http: { tokens: tokensOf('admin', 'reader') } },
    });
    const ask = async (who: string, uri: string) => {
      const headers = bearer(who);
      const { message } = await postModern(endpoint, 'tools/call', { name: 'get_resource', arguments: { uri } }, { headers });
      const read = await postModern(endpoint, 'resources/read', { uri }, { headers });
      return { result: message.result.structuredContent, error: read.message.error };
    };
    for (const uri of ADMIN_URIS) {
      const { result, error } = await ask('reader', uri);
      expect(result, uri).toMatchObject({ error: 'Unauthorized', message: expect.stringMatching(/requires admin privileges\.$/) });
      expect(error.message).toContain(result.message);
      expect(result.suggested_actions).toContain("Check your current permissions with get_resource('auth://status').");
      const granted = await ask('admin', uri);
      expect(granted, uri).toMatchObject({ result: { success: true }, error: undefined });
    }
    expect((await ask('reader', 'auth://status')).result).toMatchObject({ success: true, data: { server_roles: ['reader'] } });
  });

  test('is required over stdio if roles are configured', async () => {
    const { registry, start, world } = await startEnvironment();
    world.write('project/footbridge.json', JSON.stringify({ identity: { name: 'guest', roles: ['reader'] } }));
    const client = await start();
    for (const uri of ADMIN_URIS)
      expect(await failureOf(client, uri)).toMatchObject({
        error: 'Unauthorized',
        message: expect.stringMatching(/requires admin privileges\.$/),
      });
    expect(registry.requests).toEqual([]);
  });
});
