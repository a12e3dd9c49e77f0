/** The lifetime of connections. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { programOf } from './support/bundled-program.js';
import { DAY, newWorld } from './support/connections.js';
import { failureOf } from './support/failures.js';
import { ACCOUNT, bodyFor, PAT } from './support/jira-fixtures.js';
import { allFileContents, inspectAll, tracesOf } from './support/secrets.js';
import { useJira } from './support/use-jira.js';

const jira = useJira({ pat: PAT, account: ACCOUNT });

describe('a connection', () => {
  it('can be created directly with either kind of credentials', async () => {
    const { connections, clock } = await newWorld();
    const first = await connections.connect('me', bodyFor(jira()));
    clock.now += 1000;
    const second = await connections.connect('me', {
      jira_base_url: jira().baseUrl,
      auth_mode: 'basic_cloud',
      account_email: ACCOUNT.email,
      api_token: ACCOUNT.token,
    });
    expect(second.auth_mode).toBe('basic_cloud');
    clock.now += 1000;
    const { connectionId } = await connections.invite('me');
    expect((await connections.list('me')).map(({ connection_id }) => connection_id)).toEqual([
      connectionId,
      second.connection_id,
      first.connection_id,
    ]);
    for (const { connection_id } of [first, second]) await (await connections.use('me', connection_id)).myself();
  });

  it('gives other owners the same error as an unknown id', async () => {
    const { connections } = await newWorld();
    const { connection_id } = await connections.connect('me', bodyFor(jira()));
    const { connectionId } = await connections.invite('me');
    expect(await connections.list('you')).toEqual([]);
    for (const act of ['view', 'use', 'revoke'] as const) {
      const { code, text: words } = await failureOf(connections[act]('you', 'jira_00000000000000000000000000000000'));
      expect(code).toBe('not_found');
      for (const id of [connection_id, connectionId, '../vault', '', '__proto__']) {
        expect(await failureOf(connections[act]('you', id))).toMatchObject({ code, text: words });
      }
    }
    expect((await connections.view('me', connection_id)).status).toBe('active');
  });

  it('loses its secret when revoked, and is kept for a week after its expiry', async () => {
    const { connections, clock, sealedIn } = await newWorld();
    const { connection_id } = await connections.connect('me', bodyFor(jira()));
    const client = await connections.use('me', connection_id);
    expect((await connections.revoke('me', connection_id)).status).toBe('revoked');
    expect(await sealedIn(connection_id)).toMatch(/^[0-9a-f]{32}$/);
    expect((await failureOf(connections.use('me', connection_id))).code).toBe('connection_revoked');
    expect(inspectAll(client)).not.toContain(PAT);
    clock.now += 8 * DAY - 1;
    await connections.sweep();
    expect((await connections.revoke('me', connection_id)).status).toBe('revoked');
    clock.now += 1;
    await connections.sweep();
    expect((await failureOf(connections.use('me', connection_id))).code).toBe('not_found');
  });

  it.each(['use', 'sweep'] as const)('loses its secret when it expires (%s)', async (act) => {
    const { connections, clock, sealedIn } = await newWorld();
    const { connection_id } = await connections.connect('me', bodyFor(jira()));
    clock.now += DAY - 1;
    await connections.sweep();
    await connections.use('me', connection_id);
    clock.now += 1;
    expect((await connections.view('me', connection_id)).status).toBe('expired');
    if (act === 'sweep') await connections.sweep();
    else expect((await failureOf(connections.use('me', connection_id))).code).toBe('connection_expired');
    expect(await sealedIn(connection_id)).toMatch(/^[0-9a-f]{32}$/);
    expect((await failureOf(connections.use('me', connection_id))).code).toBe('connection_expired');
  });

  it('stays active when Jira rejects its token later', async () => {
    const { connections } = await newWorld();
    const { connection_id } = await connections.connect('me', bodyFor(jira()));
    jira().misbehave('401');
    const client = await connections.use('me', connection_id);
    expect(await failureOf(client.attachments('ABC-1'))).toMatchObject({
      code: 'invalid_credentials',
      text: expect.stringContaining('connect again'),
    });
    expect((await connections.view('me', connection_id)).status).toBe('active');
  });

  it('is ignored if damaged, without affecting others', async () => {
    const { clock, stateFolder, sealedIn, process } = await newWorld();
    const damaged: string[] = [];
    const connections = process({ onDamaged: (id) => damaged.push(id) });
    const bad = await connections.connect('me', bodyFor(jira()));
    const good = await connections.connect('me', bodyFor(jira()));
    await connections.revoke('me', bad.connection_id);
    const file = join(stateFolder, 'connections', `${bad.connection_id}.sealed`);
    await writeFile(file, (await readFile(file, 'utf8')).replace('"revoked"', '"active"'));
    expect((await failureOf(connections.use('me', bad.connection_id))).code).toBe('vault_refused');
    expect((await connections.list('me')).map(({ connection_id }) => connection_id)).toEqual([good.connection_id]);
    clock.now += DAY;
    await connections.sweep();
    expect(await sealedIn(good.connection_id)).toMatch(/^[0-9a-f]{32}$/);
    // Reported once.
    expect(damaged).toEqual([bad.connection_id]);
  });

  it('emits one event when created and one when revoked', async () => {
    const { connections } = await newWorld();
    const events: string[] = [];
    connections.onSettled((...event) => events.push(event.join(' ')));
    const direct = (await connections.connect('me', bodyFor(jira()))).connection_id;
    await connections.revoke('me', direct);
    const { connectionId, ticket } = await connections.invite('me');
    await connections.submit(ticket, bodyFor(jira()));
    await connections.revoke('me', connectionId);
    expect(events).toEqual([direct, connectionId].flatMap((id) => [`${id} active`, `${id} revoked`]));
  });
});

it('logging all objects of a process reveals no secret', async () => {
  const { stateFolder } = await newWorld();
  const program = await programOf(`
    import { inspect } from 'node:util';
    import { CONNECTION } from '#dist/jira/connection-store.js';
    import { Connections } from '#dist/jira/connections.js';
    import { Vault } from '#dist/vault/vault.js';
    const [stateFolder, jira_base_url] = process.argv.slice(2);
    const pat = process.env.TEST_TOKEN;
    const vault = new Vault({ stateFolder, key: Buffer.alloc(32, 7), schema: CONNECTION });
    const connections = new Connections({ vault, stateFolder });
    const log = (value) => console.log(inspect(value, { depth: Infinity, showHidden: true }));
    const view = await connections.connect('me', { jira_base_url, pat });
    log([vault, connections, view, await connections.use('me', view.connection_id)]);
    for (const url of [jira_base_url + '/nowhere', 'http://127.0.0.1:1', jira_base_url.replace('http', 'https')]) {
      await connections.connect('me', { jira_base_url: url, pat }).catch(log);
    }
    await connections.connect('me', { jira_base_url, pat: pat + '!' }).catch(log);
    console.error('done');`);
  const child = spawn(process.execPath, [program, stateFolder, jira().baseUrl], {
    env: { ...process.env, TEST_TOKEN: PAT, NODE_DEBUG: '' },
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(errors).toContain('done');
  expect(output).toContain('upstream_unavailable');
  expect(tracesOf(PAT, output + errors)).toEqual([]);
  expect(tracesOf(PAT, await allFileContents(stateFolder))).toEqual([]);
});
