/** The HTTP endpoints that the page and scripts use. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../footbridge/tests/support/client.js';
import { createWorld } from '../../footbridge/tests/support/folders.js';
import { freePort } from '../../footbridge/tests/support/programs.js';
import { useSources } from '../../footbridge/tests/support/start.js';
import { tokensOf } from '../../footbridge/tests/support/tokens.js';
import { expectFailure, expectFailureBody, expectNoInternals } from './support/expect-failure.js';
import { type JiraServer, startJira } from './support/jira-server.js';
import { type HttpTeam, startTeam } from './support/program.js';

useSources();

const PAT = 'a-personal-access-token-of-nobody';
const ACCOUNT = { email: 'nobody@example.org', token: 'an-api-token-of-nobody' };
const CONNECTIONS = '/api/jira/connections';
const CONSENT = '/api/engage/consent-tokens';
const VIEW = ['auth_mode', 'connection_id', 'expires_at', 'jira_account', 'jira_base_url', 'last_verified_at', 'status', 'text'];

const ends: (() => void | Promise<void>)[] = [];
let jira: JiraServer;
let team: HttpTeam;

beforeAll(async () => {
  const atEnd = (end: () => void | Promise<void>) => void ends.unshift(end);
  jira = await startJira({ pat: PAT, account: ACCOUNT });
  atEnd(() => jira.close());
  team = await startTeam(createWorld(atEnd), ['ada', 'grace', 'alan'], { atEnd });
});

afterAll(async () => {
  for (const end of ends) await end();
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
}

async function ask(person: string, method: string, path: string, body?: unknown, type = 'application/json'): Promise<Answer> {
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  const response = await team.fetch(person, path, { method, headers: { 'content-type': type }, ...sent });
  const text = await response.text();
  expectNoInternals(text, [PAT, ACCOUNT.token]);
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
}

const good = () => ({ jira_base_url: jira.baseUrl, pat: PAT });

it('the page for the workflow is announced at the start and on the catalog page', async () => {
  const { origin, output } = team.server;
  expect(output().split('\n')).toContain(`Engage Red Hat Support: ${origin}/engage`);
  const catalog = (await ask('ada', 'GET', '/api/catalog')).body;
  expect(catalog.pages).toEqual([{ path: 'engage', title: 'Engage Red Hat Support' }]);
});

describe('a connection', () => {
  it('is created from a valid token, and shown to and revoked by its owner only', async () => {
    const { status, headers, body } = await ask('ada', 'POST', CONNECTIONS, good());
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(Object.keys(body).toSorted()).toEqual(VIEW);
    expect(body).toMatchObject({ status: 'active', jira_base_url: `${jira.baseUrl}/`, auth_mode: 'bearer_pat', jira_account: 'Jane Doe' });
    const path = `${CONNECTIONS}/${body.connection_id}`;
    expect(await ask('ada', 'GET', path)).toMatchObject({ status: 200, body });
    for (const [person, method, place] of [
      ['grace', 'GET', path],
      ['grace', 'DELETE', path],
      ['ada', 'GET', `${CONNECTIONS}/jira_${randomBytes(16).toString('hex')}`],
      ['ada', 'DELETE', `${CONNECTIONS}/..vault`],
    ] as const) {
      const refused = await ask(person, method, place);
      expect(refused.status).toBe(404);
      expectFailureBody(refused.body, 'not_found');
    }
    expect(await ask('ada', 'DELETE', path)).toMatchObject({ status: 200, body: { status: 'revoked' } });
    expect(await ask('ada', 'GET', path)).toMatchObject({ status: 200, body: { status: 'revoked' } });
  });

  it('is created from a Jira Cloud account', async () => {
    const { email: account_email, token: api_token } = ACCOUNT;
    const { status, body } = await ask('ada', 'POST', CONNECTIONS, {
      jira_base_url: jira.baseUrl,
      auth_mode: 'basic_cloud',
      account_email,
      api_token,
    });
    expect({ status, ...body }).toMatchObject({ status: 'active', auth_mode: 'basic_cloud' });
    expect(status).toBe(201);
  });

  it('is rejected with 422 for an invalid body', async () => {
    const before = jira.requests.length;
    for (const body of [
      undefined,
      '',
      'no JSON',
      '[]',
      '"text"',
      'null',
      '['.repeat(5000),
      {},
      { jira_base_url: jira.baseUrl },
      { pat: PAT },
      { ...good(), pat: 'short' },
      { ...good(), pat: `${PAT}\n` },
      { ...good(), jira_base_url: 'http://jira.example.org' },
      { ...good(), jira_base_url: 'file:///etc/passwd' },
      { ...good(), jira_base_url: 7 },
      { ...good(), auth_mode: 'other' },
      { ...good(), auth_mode: 'basic_cloud' },
      { ...good(), owner: 'grace' },
    ]) {
      const refused = await ask('alan', 'POST', CONNECTIONS, body);
      expect(refused.status, JSON.stringify(body)).toBe(422);
      expectFailureBody(refused.body, 'validation_error', [PAT]);
    }
    const form = await ask('alan', 'POST', CONNECTIONS, `jira_base_url=${jira.baseUrl}&pat=${PAT}`, 'application/x-www-form-urlencoded');
    expect(form.status).toBe(422);
    expect(jira.requests).toHaveLength(before);
    expect((await team.host('alan').call('jira_connection_status')).structuredContent.connections).toEqual([]);
  });

  it('is not created when Jira rejects the token or is unreachable', async () => {
    const other = await ask('alan', 'POST', CONNECTIONS, { ...good(), pat: 'another-token-of-nobody' });
    expect(other.status).toBe(422);
    expectFailureBody(other.body, 'invalid_credentials', ['another-token-of-nobody']);
    for (const [how, status, code] of [
      ['redirect', 422, 'invalid_credentials'],
      ['404', 422, 'not_found'],
      ['echo errors', 422, 'invalid_credentials'],
      ['500', 502, 'upstream_unavailable'],
      ['reset', 502, 'upstream_unavailable'],
    ] as const) {
      jira.misbehave(how);
      const refused = await ask('alan', 'POST', CONNECTIONS, good());
      expect(refused.status, how).toBe(status);
      expectFailureBody(refused.body, code, [PAT]);
    }
    jira.behave();
    expect((await team.host('alan').call('jira_connection_status')).structuredContent.connections).toEqual([]);
  });
});

describe('the page of a connection', () => {
  it('accepts a token once', async () => {
    const { connect_url, connection_id } = (await team.host('alan').call('jira_connect', { jira_base_url: jira.baseUrl }))
      .structuredContent;
    const send = async (body: unknown) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(connect_url, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, body: JSON.parse(await response.text()) };
    };
    const refused = await send({ ...good(), jira_base_url: 'https://jira.example.org' });
    expect(refused.status).toBe(422);
    expectFailureBody(refused.body, 'validation_error', [PAT]);
    const shown = await fetch(connect_url);
    expect(shown.status).toBe(200);
    expect(await shown.text()).toContain('"asked_by":"alan"');
    const taken = await send(good());
    expect(taken).toMatchObject({ status: 201, body: { connection_id, status: 'active' } });
    expect(Object.keys(taken.body).toSorted()).toEqual(VIEW);
    const again = await send(good());
    expect(again.status).toBe(410);
    expectFailureBody(again.body, 'not_found', [PAT]);
    for (const link of [connect_url, connect_url.replace(/[^/]+$/, 'invented')]) {
      const gone = await fetch(link);
      expect(gone.status).toBe(410);
      expect(await gone.text()).toContain('id="invitation">null<');
    }
    expect((await ask('alan', 'DELETE', `${CONNECTIONS}/${connection_id}`)).status).toBe(200);
  });

  it('is not offered over an unencrypted network connection', async () => {
    const http = { tokens: tokensOf('ada'), publicUrl: 'http://team.example' };
    const open = await startTeam(createWorld(), ['ada'], { config: { http }, address: `127.0.0.1:${await freePort()}` });
    const ada = open.host('ada');
    expect(expectFailure(await ada.call('jira_connect'), 'validation_error').text).toContain('https');
    expect((await ada.call('jira_connection_status')).structuredContent.connections).toEqual([]);
  });
});

describe('a server reachable from other machines', () => {
  const connect = async (packs: Json) => {
    const http = { tokens: tokensOf('ada'), publicUrl: 'https://team.example' };
    const open = await startTeam(createWorld(), ['ada'], {
      args: [],
      config: { http, packs },
      address: `127.0.0.1:${await freePort()}`,
    });
    const headers = { 'content-type': 'application/json' };
    const response = await open.fetch('ada', CONNECTIONS, { method: 'POST', headers, body: JSON.stringify(good()) });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };

  it('does not connect to its own machine', async () => {
    const { status, body } = await connect([]);
    expect(status).toBe(422);
    expectFailureBody(body, 'validation_error', [PAT]);
  });

  it('connects to its own machine if the operator allows it', async () => {
    const { host } = new URL(jira.baseUrl);
    expect((await connect([['@footbridge/engage', { jiraHosts: [host] }]])).status).toBe(201);
  });
});

describe('a consent', () => {
  it('requires a product, then permission, and equals the tool’s', async () => {
    const tooEarly = await ask('grace', 'POST', CONSENT, { permission_granted: true });
    expect(tooEarly.status).toBe(409);
    expectFailureBody(tooEarly.body, 'product_selection_required');
    const grace = team.host('grace');
    const { workflow_session_id } = (await grace.call('select_engage_product', { product: 'linux' })).structuredContent;
    for (const body of [
      undefined,
      'no JSON',
      '[]',
      {},
      { permission_granted: false },
      { permission_granted: 'true' },
      { permission_granted: 1 },
    ]) {
      const refused = await ask('grace', 'POST', CONSENT, body);
      expect(refused.status, JSON.stringify(body)).toBe(400);
      const isJson = body !== undefined && body !== 'no JSON';
      expectFailureBody(refused.body, isJson ? 'explicit_permission_required' : 'validation_error');
    }
    for (const session of ['none', '', 7, null]) {
      const refused = await ask('grace', 'POST', CONSENT, { permission_granted: true, workflow_session_id: session });
      expect(refused.status, String(session)).toBe(400);
      expectFailureBody(refused.body, 'workflow_session_invalid');
    }
    expect(await ask('ada', 'POST', CONSENT, { permission_granted: true, workflow_session_id })).toMatchObject({
      status: 400,
      body: { code: 'workflow_session_invalid' },
    });
    const { status, headers, body } = await ask('grace', 'POST', CONSENT, { permission_granted: true, workflow_session_id });
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(Object.keys(body).toSorted()).toEqual(['consent_token', 'expires_at']);
    expect(Date.parse(body.expires_at)).toBeGreaterThan(Date.now());
    // It is bound to its session like a token of the tool.
    const other = (await grace.call('select_engage_product', { product: 'linux' })).structuredContent.workflow_session_id;
    expect(await grace.call('generate_sosreport', { consent_token: body.consent_token, workflow_session_id: other })).toMatchObject({
      isError: true,
      structuredContent: { code: 'consent_session_mismatch' },
    });
  });
});

describe('every endpoint', () => {
  const ROUTES = [
    ['POST', CONNECTIONS],
    ['GET', `${CONNECTIONS}/any`],
    ['DELETE', `${CONNECTIONS}/any`],
    ['POST', CONSENT],
  ] as const;

  it.each(ROUTES)('%s %s requires authentication', async (method, path) => {
    for (const headers of [{}, { authorization: 'Bearer fb_of-nobody' }] as Record<string, string>[]) {
      const response = await fetch(`${team.server.origin}${path}`, { method, headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });

  it.each(ROUTES)('%s %s rejects other origins', async (method, path) => {
    const response = await team.fetch('ada', path, { method, headers: { origin: 'https://elsewhere.example' } });
    expect(response.status).toBe(403);
  });

  it.each([CONNECTIONS, CONSENT])('POST %s limits the body size', async (path) => {
    expect((await ask('ada', 'POST', path, { pat: 'x'.repeat(70_000) })).status).toBe(413);
  });

  it.each([
    ['GET', CONNECTIONS],
    ['PUT', CONNECTIONS, 405],
    ['DELETE', CONNECTIONS],
    ['POST', `${CONNECTIONS}/any`],
    ['PATCH', `${CONNECTIONS}/any`, 405],
    ['GET', `${CONNECTIONS}/any/more`],
    ['GET', CONSENT],
    ['DELETE', CONSENT],
  ])('%s %s does not exist', async (method, path, status = 404) => {
    expect((await ask('ada', method, path)).status).toBe(status);
  });
});
