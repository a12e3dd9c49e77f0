/** Full runs with every login and failure: secrets appear only where they must be sent. */
import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allFileContents, occurrencesOf, tracesOf } from '../../engage/tests/support/secrets.js';
import type { Json } from '../../footbridge/tests/support/client.js';
import { postModern, startHttp } from '../../footbridge/tests/support/http-server.js';
import { useSources } from '../../footbridge/tests/support/start.js';
import { bearer, tokensOf } from '../../footbridge/tests/support/tokens.js';
import { type AwsMisbehaviour, BAIT, MEMBER, OPERATOR, type Operation } from './support/aws/index.js';
import { pack, startEnvironment, type TestEnvironment } from './support/environment.js';
import { listenOnLoopback } from './support/loopback.js';
import { quiltFolderIn, writeQuiltFolder } from './support/quilt-home.js';
import { ADMIN_TOKEN, MEMBER_TOKEN, type RegistryMisbehaviour } from './support/registry/index.js';

useSources();

const REFRESH_TOKEN = 'refresh-token-of-ada/5d1c+88e0=';
const WRONG_SECRET = 'wrong/secret+access-key-00000000000009';
const STORED = { ...MEMBER, secretAccessKey: 'kept/secret+access-key-000000000000003', sessionToken: 'kept/session+token/of-ada==' };

const OF_AWS = [
  OPERATOR.accessKeyId,
  OPERATOR.secretAccessKey,
  MEMBER.accessKeyId,
  MEMBER.secretAccessKey,
  MEMBER.sessionToken ?? '',
  WRONG_SECRET,
  STORED.secretAccessKey,
  STORED.sessionToken,
];
const OF_REGISTRY = [ADMIN_TOKEN, MEMBER_TOKEN, REFRESH_TOKEN];

/** Unknown secrets in texts of a catalog or account, recognizable by pattern or name. */
const PLANTED = {
  signature: 'ba5eba11'.repeat(8),
  accessKeyId: 'ASIAPLANTEDPLANTED01',
  sessionToken: 'PlantedSessionToken0000001',
  jwt: `eyJhbGciOiJIUzI1NiJ9.${Buffer.from('{"sub":"planted"}').toString('base64url')}.c2lnbmF0dXJlLXBsYW50ZWQ`,
  apiKey: 'qk_planted_0123456789abcdef',
  clientSecret: 'planted-client-secret-42',
  password: 'planted-Pa55word',
  privateKey: 'MIIEplantedPrivateKey0001',
  opaque: 'planted.opaque~token/0001',
} as const;
const SIGNED = `https://b.s3.amazonaws.com/k.csv?X-Amz-Credential=${PLANTED.accessKeyId}%2F20260203&X-Amz-Date=20260203T040506Z&X-Amz-Security-Token=${PLANTED.sessionToken}&X-Amz-Signature=${PLANTED.signature}`;
/** The words around each prove that the text was returned. */
const TEXTS = [
  `select-before read('${SIGNED}') select-after`,
  `nested-before https://x.example/?to=${encodeURIComponent(SIGNED)} nested-after`,
  `old-before https://b.s3.amazonaws.com/k?AWSAccessKeyId=${PLANTED.accessKeyId}&Expires=1&Signature=${PLANTED.signature} old-after`,
  `bearer-before Authorization: Bearer ${PLANTED.opaque} bearer-after`,
  `jwt-before ${PLANTED.jwt} jwt-after ${PLANTED.apiKey} key-after`,
  `url-before https://ada:${PLANTED.password}@host.example/path url-after`,
  `secret-before client_secret: ${PLANTED.clientSecret} secret-after "password": "${PLANTED.password}" password-after`,
  `pem-before\n-----BEGIN RSA PRIVATE KEY-----\n${PLANTED.privateKey}\n-----END RSA PRIVATE KEY-----\npem-after`,
];
const WORDS = TEXTS.flatMap((text) => text.match(/\w+-(?:before|after)/g) ?? []);

/** Looks like secrets, but is not. */
const ORDINARY = [
  'The Signature=of the deed, and a bearer of news; password: none, token: x.',
  "SELECT access_token_count FROM t WHERE api_key = '' AND day = 'AKIA'",
  's3://bucket/eyJ/x?versionId=abc&Signatures=2',
].join('\n');

function plant({ aws, registry }: TestEnvironment): void {
  const text = TEXTS.join('\n');
  const [query] = aws.world.queryExecutions;
  if (query === undefined) throw new Error('unexpected seed data');
  aws.world.queryExecutions[0] = { ...query, query: `${text}\n${ORDINARY}`, state: 'FAILED', reason: text };
  const created = new Date(0);
  aws.world.catalogs[0]?.databases.push({ name: 'planted', description: text, location: SIGNED, created, tables: [] });
  aws.world.workGroups.push({ name: 'planted', state: 'ENABLED', description: text, created, enforced: false, outputLocation: SIGNED });
  const { state } = registry;
  state.ssoConfig = { text: `${text}\n${ORDINARY}`, timestamp: '2025-06-07T08:09:10Z', uploader: 'ada' };
  state.buckets.push({ name: `planted-${PLANTED.accessKeyId}`, title: text });
  const [ada] = state.users;
  if (ada !== undefined)
    state.users.push({ ...ada, name: `mallory ${PLANTED.apiKey} ${text}`, email: `mallory+${PLANTED.accessKeyId}@example.com` });
  state.config = { region: 'us-east-1', analyticsBucket: `${PLANTED.apiKey}-analyticsbucket-x`, client_secret: PLANTED.clientSecret };
}

type Ask = (method: string, params: Record<string, unknown>) => Promise<Json>;

const URIS = [
  'auth://status',
  'auth://catalog/info',
  'auth://filesystem/status',
  'permissions://discover',
  'permissions://recommendations',
  'admin://users',
  'admin://roles',
  'admin://config/sso',
  'admin://config/tabulator',
  'athena://databases',
  'athena://workgroups',
  'athena://query/history',
  'metadata://templates',
  'metadata://examples',
  'metadata://troubleshooting',
  'metadata://templates/genomics',
  'workflow://workflows',
  'tabulator://buckets',
];
const REMOTE = URIS.filter((uri) => /^(?:auth:..[sc]|permissions:..d|admin|athena|tabulator)/.test(uri));

/** Those that depend on the registry or on AWS. */
const OF_CATALOG = REMOTE.filter((uri) => /^(?:auth|admin|tabulator|athena:..d)/.test(uri));
const OF_ACCOUNT = REMOTE.filter((uri) => /^(?:athena|tabulator|permissions)/.test(uri));

const tool = (ask: Ask, name: string, args: object) => ask('tools/call', { name, arguments: args });

/** Everything, from tools and resources/read. */
async function readAll(ask: Ask): Promise<void> {
  const created = await tool(ask, 'workflow_create', { name: 'Import genomes', steps: ['fetch', 'check'] });
  const id: string = created.result.structuredContent.workflow.id;
  const uris = [...URIS, `workflow://workflows/${id}/status`];
  expect(uris).toHaveLength(19);
  await tool(ask, 'get_resource', {});
  await Promise.all(uris.flatMap((uri) => [tool(ask, 'get_resource', { uri }), ask('resources/read', { uri })]));
  for (let at = 0; at < uris.length; at += 10) await tool(ask, 'get_resources', { uris: uris.slice(at, at + 10) });
  await tool(ask, 'workflow_update', { workflow_id: id, step: 'fetch', status: 'failed', note: `It said ${SIGNED} note-after` });
  await tool(ask, 'workflow_update', { workflow_id: id, step: `Bearer ${PLANTED.opaque}`, status: 'failed' });
  await tool(ask, 'workflow_update', { workflow_id: `x ${SIGNED}`, step: 'x', status: 'failed' });
  await tool(ask, 'get_resource', { uri: `workflow://workflows/${id}/status` });
}

const readRemote = (ask: Ask, uris: readonly string[] = REMOTE) => Promise.all(uris.map((uri) => tool(ask, 'get_resource', { uri })));

const REGISTRY_FAILS: readonly RegistryMisbehaviour[] = [
  { kind: 'html' },
  { kind: 'reset' },
  { kind: 'not-json' },
  { kind: 'status', status: 503 },
  { kind: 'status', status: 403 },
  ...[200, 400, 401, 403, 404, 429, 500].map((status) => ({ kind: 'echo-token' as const, status })),
];
const AWS_FAILS: readonly AwsMisbehaviour[] = [
  { kind: 'denied' },
  { kind: 'html' },
  { kind: 'garbage' },
  { kind: 'reset', times: 1 },
  { kind: 'throttle', times: 3 },
  { kind: 'status', status: 400 },
];
const OPERATIONS: readonly Operation[] = [
  's3:ListBuckets',
  'sts:GetCallerIdentity',
  'athena:ListWorkGroups',
  'athena:ListQueryExecutions',
  'athena:ListDatabases',
  'glue:GetDatabases',
];

async function tryFailures({ aws, registry }: TestEnvironment, ask: Ask, awsFails: readonly AwsMisbehaviour[] = AWS_FAILS): Promise<void> {
  for (const how of REGISTRY_FAILS) {
    for (const place of ['graphql', 'config', 'credentials'] as const) registry.misbehave(place, how);
    await readRemote(ask, OF_CATALOG);
  }
  registry.behave();
  for (const how of awsFails) {
    for (const operation of OPERATIONS) aws.misbehave(operation, how);
    await readRemote(ask, OF_ACCOUNT);
  }
  aws.behave();
  for (const principal of aws.world.principals) principal.expired = true;
  await readRemote(ask);
  for (const principal of aws.world.principals) principal.expired = false;
}

/** Redirects must not be followed. */
async function tryRedirects({ registry }: TestEnvironment, ask: Ask): Promise<void> {
  let asked = 0;
  const elsewhere = await listenOnLoopback(async (_, response) => {
    asked += 1;
    response.end('{}');
  });
  for (const place of ['graphql', 'config', 'credentials'] as const)
    registry.misbehave(place, { kind: 'redirect', to: `${elsewhere.url}/x` });
  await readRemote(ask);
  registry.behave();
  await elsewhere.close();
  expect(asked).toBe(0);
}

/** Each secret was sent to its server only, in the right header. */
function expectSentCorrectly({ aws, registry }: TestEnvironment): void {
  const toRegistry = registry.requests.map(({ headers: { authorization, ...headers }, ...rest }) => {
    expect(authorization === undefined || /^Bearer \S+$/.test(authorization)).toBe(true);
    return { authorization, rest: JSON.stringify([headers, rest]) };
  });
  const toAws = aws.requests.map(({ headers: { authorization, 'x-amz-security-token': token, ...headers }, ...rest }) => ({
    authorization: `${authorization} ${String(token)}`,
    rest: JSON.stringify([headers, rest]),
  }));
  const [registryHeaders, registryRest] = [
    toRegistry.map((each) => each.authorization).join('\n'),
    toRegistry.map((each) => each.rest).join('\n'),
  ];
  const [awsHeaders, awsRest] = [toAws.map((each) => each.authorization).join('\n'), toAws.map((each) => each.rest).join('\n')];
  for (const secret of OF_AWS) expect(occurrencesOf(secret, `${registryHeaders}\n${registryRest}\n${awsRest}`)).toEqual({});
  for (const secret of OF_REGISTRY) expect(occurrencesOf(secret, `${registryRest}\n${awsHeaders}\n${awsRest}`)).toEqual({});
  for (const secret of [REFRESH_TOKEN, OPERATOR.secretAccessKey, MEMBER.secretAccessKey])
    expect(occurrencesOf(secret, `${registryHeaders}\n${awsHeaders}`)).toEqual({});
  expect(tracesOf(ADMIN_TOKEN, registryHeaders)).toContain('raw');
  expect(tracesOf(MEMBER.sessionToken ?? '', awsHeaders)).toContain('raw');
  expect(tracesOf(OPERATOR.accessKeyId, awsHeaders)).toContain('raw');
}

async function expectNoTrace({ world }: TestEnvironment, reported: string): Promise<void> {
  rmSync(quiltFolderIn(world.home), { recursive: true });
  const files = await allFileContents(world.home);
  expect(files).toContain('Import genomes');
  for (const secret of [...OF_AWS, ...OF_REGISTRY, ...Object.values(PLANTED), BAIT.signature, BAIT.accessKeyId]) {
    expect(occurrencesOf(secret, reported)).toEqual({});
    expect(occurrencesOf(secret, files)).toEqual({});
  }
  for (const word of [...WORDS, 'note-after']) expect(reported).toContain(word);
  expect(reported).toContain(JSON.stringify(JSON.stringify(ORDINARY)).slice(3, -3));
}

const ISSUED = { AccessKeyId: MEMBER.accessKeyId, SecretAccessKey: MEMBER.secretAccessKey, SessionToken: MEMBER.sessionToken ?? '' };

async function logInWithFiles({ registry, world }: TestEnvironment): Promise<void> {
  await writeQuiltFolder(quiltFolderIn(world.home), {
    catalogUrl: registry.url,
    registryUrl: registry.url,
    token: ADMIN_TOKEN,
    refreshToken: REFRESH_TOKEN,
    credentials: {
      accessKey: STORED.accessKeyId,
      secretKey: STORED.secretAccessKey,
      token: STORED.sessionToken,
      expiryTime: new Date(Date.now() + 3_600_000).toISOString(),
    },
  });
}

describe('in full runs with every login and failure, no secret is returned, logged or stored', () => {
  it('over stdio', async () => {
    const around = await startEnvironment({ hasKeys: false });
    const { registry } = around;
    plant(around);
    const reported: string[] = [];
    const run = async (env: Record<string, string>, work: (ask: Ask) => Promise<unknown>) => {
      const client = await around.start({ args: ['--log-level', 'debug'], env });
      await work((method, params) => client.request(method, params));
      await client.close();
      expect(client.stderr).toContain('debug');
      reported.push(...client.lines, client.stderr);
    };
    const keys = { AWS_ACCESS_KEY_ID: OPERATOR.accessKeyId, AWS_SECRET_ACCESS_KEY: OPERATOR.secretAccessKey };
    // Issued by the registry, then stored by quilt3.
    registry.state.credentials = { ...ISSUED, Expiration: new Date(Date.now() + 3_600_000).toISOString() };
    await logInWithFiles(around);
    await run({}, async (ask) => {
      await readAll(ask);
      await tryFailures(around, ask);
      await tryRedirects(around, ask);
    });
    registry.state.credentials = undefined;
    await run({}, (ask) => readRemote(ask));
    await around.logIn('plain user');
    await run({ ...keys, AWS_SECRET_ACCESS_KEY: WRONG_SECRET }, (ask) => readRemote(ask));
    await run(keys, readAll);
    await around.logIn('nobody');
    await run({ QUILT_API_KEY: ADMIN_TOKEN, ...keys }, (ask) => readRemote(ask));
    await run({}, readAll);
    expectSentCorrectly(around);
    await expectNoTrace(around, reported.join('\n'));
  }, 120_000);

  it('over HTTP', async () => {
    const around = await startEnvironment();
    plant(around);
    await logInWithFiles(around);
    around.registry.state.credentials = { ...ISSUED, Expiration: new Date(Date.now() + 3_600_000).toISOString() };
    const reported: string[] = [];
    const limits = { callsPerMinute: 1_000_000, burst: 1_000_000, concurrent: 1000 };
    const { AWS_ENDPOINT_URL = '', AWS_EC2_METADATA_DISABLED = '' } = around.env;
    for (const env of [around.env, { AWS_ENDPOINT_URL, AWS_EC2_METADATA_DISABLED }]) {
      const config = { standardFolders: false, http: { tokens: tokensOf('admin', 'member'), limits } };
      const server = await startHttp(around.world, { args: [...pack(), '--log-level', 'debug', '--log-format', 'json'], config, env });
      const as =
        (name: string): Ask =>
        async (method, params) => {
          const { headers, message, text } = await postModern(server.endpoint, method, params, { headers: bearer(name) });
          reported.push(text, JSON.stringify([...headers]));
          return message;
        };
      await readAll(as(env === around.env ? 'admin' : 'member'));
      await readRemote(as('admin'));
      if (env === around.env) await tryFailures(around, as('admin'), [{ kind: 'denied' }, { kind: 'html' }]);
      await server.stop();
      reported.push(server.output(), server.stderr());
    }
    expect(reported.join('\n')).toContain('"level":"debug"');
    expectSentCorrectly(around);
    await expectNoTrace(around, reported.join('\n'));
  }, 120_000);
});
