/** Connections while they live and after, with a real Jira behind them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { programOf } from './support/child.js';
import { DAY, newWorld } from './support/connections-world.js';
import { failureOf } from './support/failures.js';
import { ACCOUNT, bodyFor, PAT } from './support/jira-questions.js';
import { everythingIn, everythingOf, tracesOf } from './support/secrets.js';
import { useJira } from './support/use-jira.js';

const jira = useJira({ pat: PAT, account: ACCOUNT });

describe('a connection', () => {
  it('can be made directly, of either kind', async () => {
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

  it('is nobody else’s, in the same words as one that never was', async () => {
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

  it('loses its secret when it is revoked, and says so until a week after its end', async () => {
    const { connections, clock, sealedIn } = await newWorld();
    const { connection_id } = await connections.connect('me', bodyFor(jira()));
    const client = await connections.use('me', connection_id);
    expect((await connections.revoke('me', connection_id)).status).toBe('revoked');
    expect(await sealedIn(connection_id)).toMatch(/^[0-9a-f]{32}$/);
    expect((await failureOf(connections.use('me', connection_id))).code).toBe('connection_revoked');
    expect(everythingOf(client)).not.toContain(PAT);
    clock.now += 8 * DAY - 1;
    await connections.sweep();
    expect((await connections.revoke('me', connection_id)).status).toBe('revoked');
    clock.now += 1;
    await connections.sweep();
    expect((await failureOf(connections.use('me', connection_id))).code).toBe('not_found');
  });

  it.each(['use', 'sweep'] as const)('loses its secret when it has expired (%s)', async (act) => {
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

  it('stays when Jira refuses its token later, and says to connect anew', async () => {
    const { connections } = await newWorld();
    const { connection_id } = await connections.connect('me', bodyFor(jira()));
    jira().misbehave('401');
    const client = await connections.use('me', connection_id);
    expect(await failureOf(client.attachments('ABC-1'))).toMatchObject({
      code: 'invalid_credentials',
      text: expect.stringContaining('connect anew'),
    });
    expect((await connections.view('me', connection_id)).status).toBe('active');
  });

  it('that was tampered with is refused, and does not keep others from being listed or swept', async () => {
    const { clock, stateFolder, sealedIn, process } = await newWorld();
    const refused: string[] = [];
    const connections = process({ refused: (id) => refused.push(id) });
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
    // Whoever runs the server hears of it once.
    expect(refused).toEqual([bad.connection_id]);
  });

  it('tells when it is made and when it is ended, once each', async () => {
    const { connections } = await newWorld();
    const told: string[] = [];
    connections.onSettled((...settled) => told.push(settled.join(' ')));
    const direct = (await connections.connect('me', bodyFor(jira()))).connection_id;
    await connections.revoke('me', direct);
    const { connectionId, ticket } = await connections.invite('me');
    await connections.intake(ticket, bodyFor(jira()));
    await connections.revoke('me', connectionId);
    expect(told).toEqual([direct, connectionId].flatMap((id) => [`${id} me active`, `${id} me revoked`]));
  });
});

it('a process that logs everything it has logs no secret', async () => {
  const { stateFolder } = await newWorld();
  const program = await programOf(`
    import { inspect } from 'node:util';
    import { CONNECTION } from '#dist/jira/connection-record.js';
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
  expect(tracesOf(PAT, await everythingIn(stateFolder))).toEqual([]);
});
