/** The Jira client against a server that misbehaves in every way. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Failure } from '../src/failure.js';
import type { Credentials } from '../src/jira/credentials.js';
import { failureOf } from './support/failures.js';
import { ACCOUNT, BASIC, BEARER, clientOf, fileOf, PAT } from './support/jira-fixtures.js';
import type { Misbehaviour } from './support/jira-misbehaviour.js';
import { type JiraServer, startJira } from './support/jira-server.js';
import { inspectAll, tracesOf } from './support/secrets.js';
import { newFolder } from './support/state-folder.js';

let jira: JiraServer;

beforeAll(async () => {
  jira = await startJira({ pat: PAT, account: ACCOUNT, path: '/jira' });
});
afterEach(() => jira.behave());
afterAll(() => jira.close());

/** The failures of the three requests. */
async function failuresOf(how: Misbehaviour, limits = {}): Promise<Failure[]> {
  jira.misbehave(how);
  const { file } = await fileOf(randomBytes(300_000));
  const client = clientOf(jira, limits);
  return Promise.all([client.myself(), client.attachments('ABC-1'), client.attach('ABC-1', file)].map(failureOf));
}

describe.each([
  ['a token', BEARER],
  ['a Cloud account', BASIC],
])('with %s', (_name, credentials) => {
  it('attaches a file unchanged and lists it', async () => {
    const client = clientOf(jira, { credentials });
    const content = randomBytes(1_000_003);
    const { file } = await fileOf(content);
    const progress: number[] = [];
    await client.myself();
    const attached = await client.attach('ABC-2', file, (sent, total) => {
      progress.push(sent);
      expect(total).toBe(content.length);
    });
    expect(attached).toMatchObject({ issue_key: 'ABC-2', filename: 'sosreport.tar.xz', size_bytes: content.length });
    expect(attached.created_at).toBe('2025-02-03T04:05:06.789Z');
    expect(jira.attachments.at(-1)?.bytes.equals(content)).toBe(true);
    expect((await client.attachments('ABC-2')).attachments).toContainEqual(attached);
    expect(progress.at(-1)).toBe(content.length);
    expect(progress).toEqual([...progress].sort((one, other) => one - other));
    expect(jira.requests.at(-2)?.headers).toMatchObject({ 'x-atlassian-token': 'no-check', 'content-length': expect.any(String) });
  });

  it('rejects invalid credentials', async () => {
    const wrong: Credentials =
      credentials.mode === 'bearer_pat' ? { ...credentials, pat: 'another-token' } : { ...credentials, token: 'another' };
    expect((await failureOf(clientOf(jira, { credentials: wrong }).myself())).code).toBe('invalid_credentials');
    const { file } = await fileOf(randomBytes(5_000_000));
    expect((await failureOf(clientOf(jira, { credentials: wrong }).attach('ABC-1', file))).code).toBe('invalid_credentials');
  });

  it.each<Misbehaviour>(['echo texts', 'echo escaped', 'echo errors'])(
    'never returns a secret that a hostile Jira echoes (%s)',
    async (how) => {
      jira.misbehave(how);
      const { file } = await fileOf(Buffer.from('12345'));
      const client = clientOf(jira, { credentials });
      const answers = await Promise.allSettled([client.myself(), client.attachments('ABC-1'), client.attach('ABC-1', file)]);
      const said = answers.map((answer) => inspectAll(answer.status === 'fulfilled' ? answer.value : answer.reason)).join('\n');
      const secrets = [PAT, ACCOUNT.token, Buffer.from(`${ACCOUNT.email}:${ACCOUNT.token}`).toString('base64')];
      expect(secrets.flatMap((secret) => tracesOf(secret, said))).toEqual([]);
      // A control character inside a secret would defeat redaction.
      expect(said).not.toContain(String.raw`\x07`);
      expect(said).toContain(how === 'echo errors' ? 'invalid_credentials' : '[hidden]');
      expect(secrets.flatMap((secret) => tracesOf(secret, inspectAll(client)))).toEqual([]);
    },
  );
});

it('returns the 100 newest of many attachments, with bounded file names', async () => {
  jira.misbehave('flood');
  const client = clientOf(jira);
  const { attachments, total } = await client.attachments('ABC-1');
  expect(total).toBe(1000);
  expect(attachments.map(({ created_at }) => Date.parse(created_at))).toEqual(Array.from({ length: 100 }, (_, index) => 999 - index));
  const { file } = await fileOf(Buffer.from('12345'));
  for (const { filename } of [...attachments, await client.attach('ABC-1', file)]) {
    expect(filename).toHaveLength(255);
    expect(filename).toMatch(/^a\.txt"Now/);
  }
});

describe('failures', () => {
  it.each<[Misbehaviour, string, RegExp]>([
    ['400', 'validation_error', /rejected the request/],
    ['401', 'invalid_credentials', /connect again/],
    ['early 401', 'invalid_credentials', /connect again/],
    ['403', 'forbidden', /is not allowed/],
    ['403 captcha', 'forbidden', /Sign in to Jira in a browser/],
    ['404', 'not_found', /issue does not exist|No Jira was found/],
    ['405', 'upstream_unavailable', /HTTP 405/],
    ['413', 'artifact_invalid', /exceeds the attachment limit/],
    ['early 413', 'artifact_invalid', /exceeds the attachment limit/],
    ['429 seconds', 'upstream_unavailable', /rate limiting/],
    ['500', 'upstream_unavailable', /HTTP 500/],
    ['503', 'upstream_unavailable', /HTTP 503/],
    ['redirect', 'invalid_credentials', /single sign-on page/],
    ['html', 'invalid_credentials', /single sign-on page/],
    ['html as json', 'invalid_credentials', /single sign-on page/],
    ['reset', 'upstream_unavailable', /connection to Jira was lost/],
    ['reset in answer', 'upstream_unavailable', /connection to Jira was lost/],
    ['not HTTP', 'upstream_unavailable', /malformed response/],
    ['oversized', 'upstream_unavailable', /too large/],
    ['not JSON', 'upstream_unavailable', /malformed response/],
    ['other JSON', 'upstream_unavailable', /malformed response/],
    ['bare JSON', 'upstream_unavailable', /malformed response/],
  ])('maps %s to %s', async (how, code, words) => {
    const asked = jira.requests.length;
    for (const failure of await failuresOf(how)) {
      expect(failure).toMatchObject({ code, text: expect.stringMatching(words) });
      expect(tracesOf(PAT, inspectAll(failure))).toEqual([]);
      expect(failure.text).not.toContain('words of Jira');
    }
    expect(jira.requests.length - asked).toBe(3);
  });

  it.each<[Misbehaviour, object]>([
    ['silent', { timeoutMs: 300 }],
    ['stuck', { timeoutMs: 300 }],
    ['trickle', { timeoutMs: 300, uploadTimeoutMs: 600 }],
  ])('times out with upstream_unavailable (%s)', async (how, limits) => {
    for (const failure of await failuresOf(how, limits)) {
      expect(failure).toMatchObject({ code: 'upstream_unavailable', message: 'The request to Jira timed out.' });
    }
  });

  it.each<[Misbehaviour, object]>([
    ['429 seconds', { retry_after_seconds: 17 }],
    ['429 date', { retry_after_seconds: 0 }],
    ['429 far', { retry_after_seconds: 3600 }],
    ['429 odd', {}],
    ['503', { retry_after_seconds: 5 }],
  ])('returns the time to wait (%s)', async (how, details) => {
    for (const failure of await failuresOf(how)) expect(failure.details).toEqual(details);
  });

  it('reports an unreachable server', async () => {
    const gone = await startJira();
    await gone.close();
    const failure = await failureOf(clientOf(gone).myself());
    expect(failure).toMatchObject({ code: 'upstream_unavailable', message: 'Jira is not reachable.' });
  });

  it('rejects an untrusted certificate', async () => {
    const folder = await newFolder();
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const make = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
    execFileSync('openssl', [...make, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
    const secure = await startJira({ pat: PAT, certificate: { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') } });
    const failure = await failureOf(clientOf(secure).myself());
    const plain = await failureOf(clientOf({ baseUrl: jira.baseUrl.replace('http:', 'https:') }).myself());
    await secure.close();
    for (const { code, text } of [failure, plain])
      expect({ code, text }).toMatchObject({ code: 'upstream_unavailable', text: expect.stringContaining('TLS') });
    expect(secure.requests).toEqual([]);
    expect(tracesOf(PAT, inspectAll(failure))).toEqual([]);
  });
});
