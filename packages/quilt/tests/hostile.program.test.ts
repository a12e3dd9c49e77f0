/** Malicious registries, AWS endpoints, files and callers: the program returns its own errors and keeps running. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allFileContents } from '../../engage/tests/support/secrets.js';
import type { Json, RawClient } from '../../footbridge/tests/support/client.js';
import { useSources } from '../../footbridge/tests/support/start.js';
import { Secrets } from '../src/secrets.js';
import { startEnvironment } from './support/environment.js';
import { listenOnLoopback } from './support/loopback.js';
import { quiltFolderIn, writeQuiltFolder } from './support/quilt-home.js';
import { ADMIN_TOKEN } from './support/registry/index.js';

useSources();

const ADMIN = ['admin://users', 'admin://roles', 'admin://config/sso', 'admin://config/tabulator', 'auth://status'];
const AWS = ['athena://databases', 'athena://workgroups', 'athena://query/history', 'tabulator://buckets', 'permissions://discover'];
const CODES = ['Unauthorized', 'ResourceExecutionError', 'NotFound', 'InvalidTemplateVariable', 'InvalidURI', 'MissingTemplateVariable'];
/** Messages of JavaScript errors that indicate a bug. */
const BUG = /Cannot read|is not a function|is not iterable|undefined|call stack|Invalid time/i;

/** Data, or one of our errors. */
async function read(client: RawClient, uri: string): Promise<Json> {
  const { isError, structuredContent } = await client.call('get_resource', { uri });
  // Large results are text only.
  if (structuredContent === undefined) return { success: isError !== true };
  if (structuredContent.success !== true) {
    expect(CODES, uri).toContain(structuredContent.error);
    expect(JSON.stringify(structuredContent), uri).not.toMatch(BUG);
  }
  return structuredContent;
}

/** Responds to every request with the same body. */
async function respondWith(body: () => string, type = 'application/json') {
  const server = await listenOnLoopback(async (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': type });
    response.end(body());
  });
  onTestFinished(() => server.close());
  return server;
}

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('a hostile registry', () => {
  it('causes only our errors', async () => {
    let body = '';
    const server = await respondWith(() => body);
    const around = await startEnvironment();
    const client = await around.start({
      env: { QUILT_CATALOG_URL: server.url, QUILT_REGISTRY_URL: server.url, QUILT_ACCESS_TOKEN: ADMIN_TOKEN },
    });
    for (const each of [
      nested(100_000),
      `{"data":${nested(100_000)}}`,
      `{"errors":[{"message":"x","extensions":{"code":${nested(100_000)}}}]}`,
      '{"errors":[{"message":"x","extensions":{"code":{"toString":1,"valueOf":1}}}]}',
      '{"errors":"x"}',
      '{"__proto__":{"data":1},"data":{"__proto__":{"me":{}},"me":{"name":1}}}',
      '{"data":{"admin":{"user":{"list":null},"ssoConfig":[],"tabulatorOpenQuery":"yes"},"roles":{},"me":[]}}',
      `{"data":{"me":{"name":"eyJ-${'eyJ-'.repeat(5_000)}","isAdmin":true},"admin":{"ssoConfig":{"text":"${'eyJ-'.repeat(5_000)}","timestamp":""}}}}`,
      `{"registryUrl":{},"region":[],"analyticsBucket":1}`,
    ]) {
      body = each;
      await Promise.all([...ADMIN, 'auth://catalog/info', 'tabulator://buckets'].map((uri) => read(client, uri)));
    }
    expect((await client.request('ping')).result).toEqual({});
  });

  it('is not taken from a catalog without https', async () => {
    const around = await startEnvironment();
    const catalogUrl = around.registry.url.replace('127.0.0.1', '0.0.0.0');
    const client = await around.start({ env: { QUILT_CATALOG_URL: catalogUrl, QUILT_ACCESS_TOKEN: ADMIN_TOKEN } });
    expect((await read(client, 'admin://users')).details).toContain('is not https');
    expect(around.registry.requests.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });

  it('does not leave part of a token in a truncated message', async () => {
    const around = await startEnvironment();
    const server = await respondWith(() => JSON.stringify({ errors: [{ message: `${'word '.repeat(57)} ${ADMIN_TOKEN}` }] }));
    const client = await around.start({ env: { QUILT_REGISTRY_URL: server.url, QUILT_ACCESS_TOKEN: ADMIN_TOKEN } });
    const answer = await read(client, 'admin://users');
    expect(answer.details).toContain('word');
    expect(answer.details).not.toContain(ADMIN_TOKEN.slice(0, 6));
  });
});

describe('a hostile AWS', () => {
  it('causes only our errors or partial data', async () => {
    let body = '';
    const server = await respondWith(() => body, 'application/x-amz-json-1.1');
    const around = await startEnvironment();
    const client = await around.start({ env: { AWS_ENDPOINT_URL: server.url } });
    const lists = ['DatabaseList', 'WorkGroups', 'QueryExecutionIds', 'QueryExecutions', 'TableMetadataList'];
    const all = (value: string) => `{${lists.map((name) => `"${name}":${value}`).join()}}`;
    for (const each of [
      nested(20_000),
      all('null'),
      all('"x"'),
      all('{}'),
      all('[null]'),
      all('[1, "x", []]'),
      all(nested(5_000)),
      all('[{"Name":{},"CreateTime":"never","Description":[]}]'),
      `{"DatabaseList":[{"Name":"a","CreateTime":1e300}],"WorkGroup":{"Name":"a","CreationTime":1e300},"WorkGroups":[{"Name":"a"}]}`,
      `{"__proto__":{"polluted":1},"constructor":1}`,
      `{"DatabaseList":[${'{"Name":"a"},'.repeat(130_000)}{}]}`,
      '<a>'.repeat(10_000),
    ]) {
      body = each;
      await Promise.all(AWS.filter((uri) => !(each.length > 1e6) || uri.startsWith('athena://d')).map((uri) => read(client, uri)));
    }
    body = '{"DatabaseList":[{"Name":"a"}],"NextToken":"again"}';
    expect(await read(client, 'athena://databases')).toMatchObject({ success: true, data: { complete: false, count: 100 } });
    expect((await client.request('ping')).result).toEqual({});
  });
});

describe('hostile files', () => {
  it('are rejected', async () => {
    const around = await startEnvironment({ hasKeys: false });
    const client = await around.start();
    for (const [name, content] of [
      ['config.yml', `a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]`],
      ['config.yml', '"'.repeat(1_000_000)],
      ['config.yml', '['.repeat(16_000)],
      ['config.yml', 'navigator_url: javascript:alert(1)\nregistryUrl: file:///etc/passwd\n'],
      ['config.yml', '__proto__:\n  navigator_url: https://x.example\n'],
      ['auth.json', '{"__proto__":{"access_token":"xxxxxxxxxxxx"}}'],
      ['auth.json', '[[[]]]'],
      ['auth.json', '"text"'],
      ['auth.json', nested(100_000)],
    ] as const) {
      await around.logIn('administrator');
      expect(await read(client, 'auth://status')).toMatchObject({ data: { logged_in: true } });
      writeFileSync(join(quiltFolderIn(around.world.home), name), content);
      expect(await read(client, 'auth://status'), content.slice(0, 80)).toMatchObject({ success: true, data: { logged_in: false } });
    }
  });

  it('that are pipes do not block, and tokens with line breaks are not sent', async () => {
    const around = await startEnvironment({ hasKeys: false });
    const folder = quiltFolderIn(around.world.home);
    const { url } = around.registry;
    await writeQuiltFolder(folder, {
      catalogUrl: url.replace('//', '//ada:secret-of-ada@'),
      registryUrl: url,
      token: 'a-token\r\nx-injected: 1\r\n\r\nGET /evil',
    });
    const client = await around.start();
    const answers = await Promise.all(ADMIN.map((uri) => read(client, uri)));
    expect(JSON.stringify(answers)).not.toMatch(/secret-of-ada|a-token/);
    expect(JSON.stringify(around.registry.requests)).not.toMatch(/injected|evil|secret-of-ada/);
    for (const name of ['auth.json', 'config.yml']) {
      execFileSync('rm', [join(folder, name)]);
      execFileSync('mkfifo', [join(folder, name)]);
    }
    expect(await read(client, 'auth://status')).toMatchObject({ data: { logged_in: false } });
  });
});

it('callers cannot escape the workflow folder, and many concurrent and cancelled calls are served', async () => {
  const around = await startEnvironment();
  around.world.write('home/.local/state/footbridge/quilt/outside/1.json', '{"revisions":[],"workflow":{"name":"stolen"}}');
  const client = await around.start();
  for (const id of [
    '..%2foutside',
    '%2e%2e%2foutside',
    '..%252foutside',
    '../outside',
    '..\\outside',
    '%00',
    'a%0d%0ab',
    '__proto__',
    'x'.repeat(100_000),
  ])
    expect((await read(client, `workflow://workflows/${id}/status`)).success, id).toBe(false);
  for (const name of ['a\u0000b', 'a\nb', '\u001b[31m', 'x'.repeat(1_000_000), '', 7, ['x'], { __proto__: null }])
    expect((await client.call('workflow_create', { name, steps: ['x'] })).isError).toBe(true);
  expect((await client.call('workflow_create', { name: '../../../etc/passwd', steps: ['__proto__', '../x'] })).isError).not.toBe(true);
  const uris = [...ADMIN, ...AWS, 'workflow://workflows', 'metadata://templates'];
  const many = Array.from({ length: 200 }, (_, index) => read(client, uris[index % uris.length] ?? ''));
  for (let id = 90_000; id < 90_020; id += 1) {
    client.write(JSON.stringify({ jsonrpc: '2.0', id, method: 'resources/read', params: { uri: 'permissions://discover' } }));
    client.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }));
  }
  expect((await Promise.all(many)).every(({ success }) => success)).toBe(true);
  expect(await read(client, 'auth://status')).toMatchObject({ data: { logged_in: true } });
  expect(await allFileContents(around.world.project)).toBe('');
  expect(client.lines.join('\n')).not.toContain('stolen');
});

it('redaction runs in linear time', () => {
  const secrets = new Secrets();
  const pieces = [
    'eyJ-',
    'eyJaaaaaaaa.',
    'Bearer ',
    'qk_',
    'AKIA',
    '://a:',
    'password="',
    "password: '",
    '?sig=',
    '-----BEGIN PRIVATE KEY-----',
    'X-Amz-Signature',
    ' \n',
    '%3D',
  ];
  for (const piece of pieces) expect(secrets.redact(piece.repeat(2_000_000 / piece.length)).length, piece).toBeGreaterThan(0);
});
