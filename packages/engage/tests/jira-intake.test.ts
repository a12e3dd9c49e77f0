import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CONNECTION } from '../src/jira/connection-store.js';
import { Connections } from '../src/jira/connections.js';
import { Vault } from '../src/vault/vault.js';
import { newWorld } from './support/connections.js';
import { failureOf } from './support/failures.js';
import { ACCOUNT, bodyFor, PAT } from './support/jira-fixtures.js';
import type { Misbehaviour } from './support/jira-misbehaviour.js';
import { inspectAll, tracesOf } from './support/secrets.js';
import { newFolder } from './support/state-folder.js';
import { useJira } from './support/use-jira.js';

const jira = useJira({ pat: PAT, account: ACCOUNT });

describe('connecting fails', () => {
  it('without an encryption key, before any secret is requested', async () => {
    const stateFolder = await newFolder();
    const connections = new Connections({ vault: new Vault({ stateFolder, key: undefined, schema: CONNECTION }), stateFolder });
    const asked = jira().requests.length;
    expect((await failureOf(connections.invite('me'))).code).toBe('vault_key_required');
    expect((await failureOf(connections.connect('me', { jira_base_url: jira().baseUrl, pat: PAT }))).code).toBe('vault_key_required');
    expect(await connections.list('me')).toEqual([]);
    expect(jira().requests.length).toBe(asked);
    expect(await readdir(stateFolder)).toEqual([]);
  });

  it.each<[Misbehaviour, string]>([
    ['401', 'invalid_credentials'],
    ['403 captcha', 'forbidden'],
    ['404', 'not_found'],
    ['redirect', 'invalid_credentials'],
    ['html', 'invalid_credentials'],
    ['429 seconds', 'upstream_unavailable'],
    ['503', 'upstream_unavailable'],
    ['echo errors', 'invalid_credentials'],
  ])('if Jira does not confirm the credentials (%s)', async (how, code) => {
    const { connections, stored } = await newWorld();
    jira().misbehave(how);
    const failure = await failureOf(connections.connect('me', bodyFor(jira())));
    expect(failure.code).toBe(code);
    expect(tracesOf(PAT, inspectAll(failure))).toEqual([]);
    expect(await stored()).toEqual([]);
  });

  const url = 'https://jira.example.com';
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', PAT],
    ['no token', { jira_base_url: url }],
    ['no URL', { pat: PAT }],
    ['another field', { jira_base_url: url, pat: PAT, [PAT]: PAT }],
    ['a line break', { jira_base_url: url, pat: `${PAT}\r\nX-Evil: 1` }],
    ['other letters', { jira_base_url: url, pat: `${PAT}ü` }],
    ['too long', { jira_base_url: url, pat: PAT.repeat(200) }],
    ['too short', { jira_base_url: url, pat: 'short' }],
    ['a number', { jira_base_url: url, pat: 12345678 }],
    ['an unknown mode', { jira_base_url: url, auth_mode: PAT, pat: PAT }],
    ['no e-mail', { jira_base_url: url, auth_mode: 'basic_cloud', api_token: PAT }],
    ['no Cloud token', { jira_base_url: url, auth_mode: 'basic_cloud', account_email: 'a@b.c' }],
    ['an e-mail with a colon', { jira_base_url: url, auth_mode: 'basic_cloud', account_email: 'a:b@b.c', api_token: PAT }],
    ['both kinds', { jira_base_url: url, auth_mode: 'basic_cloud', account_email: 'a@b.c', api_token: PAT, pat: PAT }],
    ['the other kind', { jira_base_url: url, account_email: 'a@b.c', api_token: PAT }],
    ['http', { jira_base_url: 'http://jira.example.com', pat: PAT }],
    ['the token as URL', { jira_base_url: PAT, pat: PAT }],
  ])('for an invalid body, without repeating it (%s)', async (_name, given) => {
    const { connections } = await newWorld();
    const failure = await failureOf(connections.connect('me', given));
    expect(failure.code).toBe('validation_error');
    expect(tracesOf(PAT, inspectAll(failure))).toEqual([]);
  });

  it('for an internal address and a remote caller, unless the host is allowed', async () => {
    const { process } = await newWorld();
    const asked = jira().requests.length;
    const open = process({ local: false });
    const { ticket } = await open.invite('me');
    for (const attempt of [
      () => open.connect('me', bodyFor(jira())),
      () => open.submit(ticket, bodyFor(jira())),
      () => open.invite('me', { baseUrl: jira().baseUrl }),
    ])
      expect((await failureOf(attempt())).code).toBe('validation_error');
    expect(jira().requests).toHaveLength(asked);
    const { host, hostname } = new URL(jira().baseUrl);
    expect((await failureOf(process({ local: false, allowedHosts: [hostname] }).connect('me', bodyFor(jira())))).code).toBe(
      'validation_error',
    );
    expect((await process({ local: false, allowedHosts: [host] }).connect('me', bodyFor(jira()))).status).toBe('active');
  });

  it('with more than 50 active connections of one owner', async () => {
    const { connections, clock, stored } = await newWorld();
    const views = await Promise.all(Array.from({ length: 50 }, () => connections.connect('me', bodyFor(jira()))));
    const asked = jira().requests.length;
    for (const refused of [() => connections.connect('me', bodyFor(jira())), () => connections.invite('me')]) {
      expect(await failureOf(refused())).toMatchObject({ code: 'validation_error', action: expect.stringContaining('Disconnect one') });
    }
    expect(jira().requests).toHaveLength(asked);
    expect((await connections.connect('you', bodyFor(jira()))).status).toBe('active');
    await connections.revoke('me', views[0]?.connection_id ?? '');
    expect((await connections.connect('me', bodyFor(jira()))).status).toBe('active');
    // Only the newest ended connections are kept.
    for (const { connection_id } of views) await connections.revoke('me', connection_id);
    clock.now += 1000;
    const { connection_id } = await connections.connect('me', bodyFor(jira()));
    await connections.revoke('me', connection_id);
    await connections.sweep();
    expect((await connections.list('me')).filter(({ status }) => status === 'revoked')).toHaveLength(50);
    expect((await connections.view('me', connection_id)).status).toBe('revoked');
    expect(await stored()).toHaveLength(52);
  });

  it('for a host that the operator does not allow', async () => {
    const { process } = await newWorld();
    const connections = process({ allowedHosts: ['jira.example.com'] });
    expect((await failureOf(connections.connect('me', bodyFor(jira())))).code).toBe('validation_error');
    expect((await failureOf(connections.invite('me', { baseUrl: jira().baseUrl }))).code).toBe('validation_error');
    expect(await connections.invite('me', { baseUrl: url })).toMatchObject({ jiraBaseUrl: `${url}/` });
  });
});
