/** Logins shared by processes: one refresh at a time, and none lost when a host kills Footbridge. */
import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LoginStore, loginId } from '../src/sources/upstream/sign-in/login-store.js';
import { ask, call, toolsOf } from './support/caller-sign-in.js';
import { createWorld } from './support/folders.js';
import { startHttp, until } from './support/http-server.js';
import { type LineHost, wrappingHost } from './support/line-host.js';
import { runProgram, runProgramWith } from './support/program.js';
import { freePort } from './support/programs.js';
import { startProtected } from './support/protected-server.js';
import { secretsIn } from './support/secret-forms.js';
import { footbridge, REGISTERED, signIn } from './support/sign-in-bridge.js';
import { start } from './support/start.js';
import { login } from './support/terminal.js';
import { tokensOf } from './support/tokens.js';

describe('a login', () => {
  it('is used by running hosts and by those that start later, listed without its tokens, and revoked by logout', async () => {
    const [world, server] = [createWorld(), await startProtected()];
    const running = await wrappingHost(world, server.url);
    expect(await running.tools()).toContain('sign_in_to_127_0_0_1');
    expect(await login(world, server)).toContain('Signed in to');
    await expect.poll(() => running.notifications, { timeout: 20_000 }).toContain('notifications/tools/list_changed');
    await expect.poll(running.tools, { timeout: 20_000 }).toContain('whoami');
    expect(await running.call('whoami')).toContain('ada');
    running.started.stop();
    await running.started.exited;
    for (const host of await Promise.all([wrappingHost(world, server.url), wrappingHost(world, server.url)]))
      expect(await host.call('whoami')).toContain('ada');
    expect(server.grants).toEqual(['authorization_code']);
    const listed = await runProgram(world, 'logins', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject([{ server: server.url, issuer: server.issuer, renews: true }]);
    expect(await runProgram(world, 'logout', server.url)).toMatchObject({ code: 0, stdout: 'Removed 1 login.\n' });
    expect(JSON.parse((await runProgram(world, 'logins', '--json')).stdout)).toEqual([]);
    expect(server.secrets.size).toBeGreaterThan(2);
  });

  it('is possible at a terminal while a host holds the port that the browser has to return to', async () => {
    const [world, server] = [createWorld(), await startProtected({ registration: false, clients: [REGISTERED] })];
    const port = await freePort();
    const oauth = { clientId: 'footbridge', redirectPort: port };
    const mcpServers = { docs: { url: server.url, oauth }, other: { url: server.otherUrl, oauth } };
    world.write('project/footbridge.json', JSON.stringify({ mcpServers, standardFolders: false }));
    const host = await wrappingHost(world, '', { args: ['--config', 'footbridge.json'] });
    await expect.poll(host.tools).toContain('sign_in_to_docs');
    const [page = ''] = /http:[^\s\\"]+/.exec(await host.call('sign_in_to_docs')) ?? [];
    expect(await login(world, server, {}, ['--config', 'footbridge.json'], 'other')).toContain('Signed in to other');
    expect((await server.browse(page)).status).toBe(200);
    await expect.poll(host.tools).toContain('docs__whoami');
    expect(page).toContain(encodeURIComponent(`http://127.0.0.1:${port}/callback`));
  });

  it('leaves no secret outside the store: in the log, errors, reports, files, or the environment of a command', async () => {
    const secret = 'of Footbridge, and nobody else?';
    const clients = [{ ...REGISTERED, client_secret: secret, token_endpoint_auth_method: 'client_secret_basic' as const }];
    const [world, server] = [createWorld(), await startProtected({ registration: false, clients })];
    const script = world.write('outside/command.mjs', `import { writeFileSync } from 'node:fs';${WRITES_ENVIRONMENT}`);
    const seen = world.path('outside/environment.json');
    const mcpServers = {
      docs: { url: server.url, oauth: { clientId: 'footbridge', clientSecretEnv: 'DOCS_SECRET' } },
      tool: { command: process.execPath, args: [script, seen], idle: false },
    };
    world.write('project/footbridge.json', JSON.stringify({ mcpServers, standardFolders: false }));
    const env = { DOCS_SECRET: secret };
    const args = ['--config', 'footbridge.json', '--log-level', 'debug'];
    const host = await wrappingHost(world, '', { args, env });
    await expect.poll(host.tools).toContain('sign_in_to_docs');
    const [page = ''] = /http:[^\s\\"]+/.exec(await host.call('sign_in_to_docs')) ?? [];
    const state = new URL(page).searchParams.get('state') ?? '';
    expect((await server.browse(page)).status).toBe(200);
    await expect.poll(host.tools).toContain('docs__whoami');
    server.expire();
    expect(await host.call('docs__whoami')).toContain('ada');
    server.beforeToken = async () => {
      throw new Error('down');
    };
    server.expire();
    const failed = await host.call('docs__whoami');
    expect(failed).toContain('could not be renewed');
    server.beforeToken = async () => {};
    const reports = [
      await runProgramWith(world, env, 'doctor', '--json', '--config', 'footbridge.json'),
      await runProgramWith(world, env, 'logins', '--json'),
    ];
    await server.revokeAll();
    reports.push(await runProgramWith(world, env, 'doctor', '--config', 'footbridge.json'));
    reports.push(await runProgramWith(world, env, 'logout', 'docs', '--config', 'footbridge.json'));
    const environmentOfCommand = readFileSync(seen, 'utf8');
    expect(JSON.parse(environmentOfCommand)).toHaveProperty('PATH');
    // The link is for the user, and what it holds is of no use after the sign-in.
    const written = host.output().replaceAll(JSON.stringify(page).slice(1, -1), '');
    const output = [written, environmentOfCommand, ...reports.flatMap(({ stderr, stdout }) => [stdout, stderr]), ...filesBelow(world.home)];
    expect(server.secrets.size).toBeGreaterThan(6);
    expect(server.grants).toContain('refresh_token');
    expect(written).toMatch(/debug/i);
    expect(secretsIn(output.join('\n'), [...server.secrets, secret, state])).toEqual([]);
  });

  it.each(['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const)(
    'without a person leaves no secret outside the store, either: %s',
    async (method) => {
      const secret = 'of the machine, and nobody else?';
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      const isSecret = method !== 'private_key_jwt';
      const own = isSecret ? { client_secret: secret } : { jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }) }] } };
      const machine = { client_id: 'machine', grant_types: ['client_credentials'], redirect_uris: [], response_types: [] };
      const clients = [{ ...machine, token_endpoint_auth_method: method, ...(isSecret ? {} : SIGNED), ...own }];
      const metadata = (others: Record<string, unknown>) => ({ ...others, token_endpoint_auth_methods_supported: [method] });
      const [world, server] = [
        createWorld(),
        await startProtected({ registration: false, clients, metadata, clientAlgorithms: ['ES256'] }),
      ];
      const script = world.write('outside/command.mjs', `import { writeFileSync } from 'node:fs';${WRITES_ENVIRONMENT}`);
      const seen = world.path('outside/environment.json');
      const oauth = { clientId: 'machine', grant: 'client_credentials', scopes: ['read'] };
      const mcpServers = {
        docs: { url: server.url, oauth: { ...oauth, ...(isSecret ? { clientSecretEnv: 'MACHINE' } : { clientKeyEnv: 'MACHINE' }) } },
        tool: { command: process.execPath, args: [script, seen], idle: false },
      };
      world.write('project/footbridge.json', JSON.stringify({ mcpServers, standardFolders: false }));
      const env = { MACHINE: isSecret ? secret : key };
      const host = await wrappingHost(world, '', { args: ['--config', 'footbridge.json', '--log-level', 'debug'], env });
      await expect.poll(host.tools).toContain('docs__whoami');
      server.expire();
      expect(await host.call('docs__whoami')).toContain('ada');
      server.beforeToken = async () => {
        throw new Error('down');
      };
      server.expire();
      await host.call('docs__whoami');
      const reports = [
        await runProgramWith(world, env, 'doctor', '--json', '--config', 'footbridge.json'),
        await runProgramWith(world, env, 'logins', '--json'),
        await runProgramWith(world, env, 'logout', 'docs', '--config', 'footbridge.json'),
      ];
      const environmentOfCommand = readFileSync(seen, 'utf8');
      const output = [
        host.output(),
        environmentOfCommand,
        ...reports.flatMap(({ stderr, stdout }) => [stdout, stderr]),
        ...filesBelow(world.home),
      ];
      const { d = '' } = privateKey.export({ format: 'jwk' });
      const [, firstLine = ''] = key.split('\n');
      expect(server.grants.length).toBeGreaterThan(1);
      expect(server.secrets.size).toBeGreaterThan(isSecret ? 1 : 3);
      expect(host.output()).toMatch(/debug/i);
      expect(secretsIn(output.join('\n'), [...server.secrets, secret, key, firstLine, d])).toEqual([]);
    },
  );

  it('that is shared is used for all callers of a team', async () => {
    const [world, server] = [createWorld(), await startProtected()];
    const config = {
      mcpServers: { docs: { url: server.url, signIn: 'shared' } },
      standardFolders: false,
      http: { tokens: tokensOf('alice', 'bob') },
    };
    world.write('project/footbridge.json', JSON.stringify(config));
    const team = await startHttp(world);
    await until(async () => JSON.stringify(await ask(team, 'alice', 'tools/list')).includes('server_unavailable'));
    expect(await login(world, server, {}, ['--config', 'footbridge.json'], 'docs')).toContain('Signed in to docs');
    for (const name of ['alice', 'bob']) {
      await until(async () => (await toolsOf(team, name)).includes('whoami'));
      expect(JSON.stringify(await call(team, name, 'whoami'))).toContain('ada');
    }
    expect(server.used.size).toBe(1);
    server.expire();
    const answers = await Promise.all(['alice', 'bob'].map((name) => call(team, name, 'whoami')));
    expect(answers.map((answer) => JSON.stringify(answer))).toEqual([expect.stringContaining('ada'), expect.stringContaining('ada')]);
    expect(server.grants).toEqual(['authorization_code', 'refresh_token']);
  });

  it.each([
    ['that cannot be renewed is reported by doctor before it ends', false, ['login-ends']],
    ['that is renewed is not', true, []],
  ] as const)('%s', async (_title, refresh, codes) => {
    const [world, server] = [createWorld(), await startProtected({ refresh })];
    world.write('project/servers.json', JSON.stringify({ mcpServers: { docs: { url: server.url } } }));
    await login(world, server);
    const { stdout } = await runProgramWith(world, {}, 'doctor', '--json', '--config', 'servers.json');
    const { findings }: { findings: { code: string }[] } = JSON.parse(stdout);
    expect(findings.map(({ code }) => code).filter((code) => code.startsWith('login'))).toEqual(codes);
  });

  it('is refreshed once by 50 processes with an expired token, and survives each process being killed during a refresh', async () => {
    const [world, server] = [createWorld(), await startProtected()];
    await login(world, server);
    const hosts: LineHost[] = [];
    while (hosts.length < 50) hosts.push(...(await Promise.all(Array.from({ length: 5 }, () => wrappingHost(world, server.url)))));
    server.expire();
    const answers = await Promise.all(hosts.map(({ call }) => call('whoami')));
    expect(answers.filter((answer) => answer.includes('ada'))).toHaveLength(50);
    expect(server.grants).toEqual(['authorization_code', 'refresh_token']);

    for (const [at, { call, started }] of hosts.entries()) {
      const asking = new Promise<void>((resolve) => {
        server.beforeToken = async () => {
          resolve();
          await started.exited;
          // To every second one, a new token is issued after its death. The old one cannot be used again.
          if (at % 2 === 0) throw new Error('nobody is waiting');
        };
      });
      // A process whose own renewal failed before does not ask again for a few seconds.
      let isAsking = false;
      void asking.then(() => {
        isAsking = true;
      });
      while (!isAsking) {
        // Also what was issued after the death of the one before, and stored by the process that outlives it.
        server.expire();
        await Promise.race([asking, call('whoami').then(() => setTimeout(20))]);
      }
      started.stop('SIGKILL');
      await started.exited;
    }
    server.beforeToken = async () => {};
    expect(await (await wrappingHost(world, server.url)).call('whoami')).toContain('ada');
    expect(server.grants.filter((grant) => grant === 'authorization_code')).toHaveLength(1);
    expect(server.grants.filter((grant) => grant === 'refresh_token').length).toBeGreaterThan(25);
  }, 180_000);

  it('requires at most a new sign-in after the renewing process was killed', async () => {
    const [world, server] = [createWorld(), await startProtected()];
    const folder = join(world.home, '.local', 'state', 'footbridge', 'logins');
    /** The process that holds the lock. */
    const kill = () => {
      const [lock = ''] = readdirSync(folder).filter((name) => name.endsWith('.lock') && name !== 'key.lock');
      // It may have ended already.
      if (lock !== '') process.kill(JSON.parse(readFileSync(join(folder, lock), 'utf8')).pid, 'SIGKILL');
    };
    /** What a new host says after the renewal by another one was killed. */
    const outcome = async () => {
      server.expire();
      await (await wrappingHost(world, server.url)).call('whoami');
      server.beforeToken = async () => {};
      return (await wrappingHost(world, server.url)).call('whoami');
    };
    await login(world, server);

    // Before the token is issued, nothing is lost.
    server.beforeToken = async () => {
      kill();
      throw new Error('nobody is waiting');
    };
    expect(await outcome()).toContain('ada');

    // While it is stored, the old login or the new one is there.
    const watching = watch(folder, (_event, name) => {
      if (!/\.login\..*draft$/.test(name ?? '')) return;
      watching.close();
      kill();
    });
    const stored = await outcome();
    expect(stored).toMatch(/ada|sign_in_to/);
    if (stored.includes('sign_in_to')) await login(world, server);

    // After it is issued, the old one is not accepted again.
    server.beforeToken = async () => kill();
    expect(await outcome()).toContain('sign_in_to');
    await login(world, server);
    expect(await (await wrappingHost(world, server.url)).call('whoami')).toContain('ada');
  });

  it('is not lost when the renewing process is killed at any of 50 moments', async () => {
    const lost = await Promise.all(Array.from({ length: 5 }, () => killRenewals(10)));
    // Only what was issued to a process that could not store it any more is lost.
    expect(lost.flat().filter(({ isLost, wasIssued }) => isLost && !wasIssued)).toEqual([]);
    expect(lost.flat()).toHaveLength(50);
  }, 120_000);

  it('never locks out a host after another one and the process that renews were killed together, at any of 10 moments', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => killHosts(2)));
    expect(answers.flat().filter((answer) => !/ada|sign_in_to/.test(answer))).toEqual([]);
    expect(answers.flat()).toHaveLength(10);
    expect(answers.flat().join()).toContain('ada');
  }, 120_000);
});

/** Kills a host together with the process that renews its login, so many times; returns what the next host answers each time. */
async function killHosts(times: number): Promise<readonly string[]> {
  const [world, server] = [createWorld(), await startProtected()];
  await login(world, server);
  const id = loginId(server.url, {});
  const answers: string[] = [];
  let host = await wrappingHost(world, server.url);
  for (let count = 0; count < times; count++) {
    server.expire();
    const asked = new Promise<void>((resolve) => {
      server.beforeToken = async () => resolve();
    });
    const calling = host.call('whoami').catch(() => {});
    // In a third of the rounds while the other process starts, in the others from its request on.
    await Promise.race([count % 3 === 0 ? setTimeout(Math.random() * 300) : asked, calling]);
    await setTimeout(Math.random() * 15);
    host.started.stop('SIGKILL');
    for (const pid of renewing(id)) process.kill(pid, 'SIGKILL');
    await host.started.exited;
    server.beforeToken = async () => {};
    host = await wrappingHost(world, server.url);
    const answer = await host.call('whoami');
    answers.push(answer);
    if (answer.includes('ada')) continue;
    // What was issued to a process that could not store it any more is lost.
    expect(await host.tools()).toContain('sign_in_to_127_0_0_1');
    const [page = ''] = /http:[^\s\\"]+/.exec(await host.call('sign_in_to_127_0_0_1')) ?? [];
    expect((await server.browse(page)).status).toBe(200);
    await expect.poll(host.tools, { timeout: 20_000 }).toContain('whoami');
  }
  return answers;
}

/** The processes that renew a login. */
function renewing(id: string): readonly number[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(`renew-login ${id}`)).map((line) => Number.parseInt(line, 10));
}

/** Kills the process that renews a login so many times; each time, the next one renews it, or a new sign-in does. */
async function killRenewals(times: number) {
  const [world, server] = [createWorld(), await startProtected()];
  const folder = join(world.home, '.local', 'state', 'footbridge', 'logins');
  await login(world, server);
  const store = new LoginStore(folder);
  const id = loginId(server.url, {});
  const outcomes: { readonly isLost: boolean; readonly wasIssued: boolean }[] = [];
  for (let count = 0; count < times; count++) {
    const used = store.read(id)?.tokens?.access_token ?? '';
    const before = server.grants.length;
    const digest = createHash('sha256').update(used).digest('hex');
    const renewing = await start({ args: ['renew-login', id, digest], cwd: world.project, home: world.home });
    let isOver = false;
    void renewing.exited.then(() => {
      isOver = true;
    });
    // In a third of the rounds while it starts, in the others from its request on.
    const asked = new Promise<void>((resolve) => {
      server.beforeToken = async () => resolve();
    });
    await Promise.race([count % 3 === 0 ? setTimeout(Math.random() * 300) : asked, renewing.exited]);
    await setTimeout(Math.random() * 15);
    if (!isOver) renewing.stop('SIGKILL');
    await renewing.exited;
    server.beforeToken = async () => {};
    const wasIssued = server.grants.length > before;
    server.expire();
    const next = footbridge(server, folder);
    await next.listed();
    const isLost = await next.call('whoami').then(
      () => false,
      () => true,
    );
    if (isLost) await signIn(next, server);
    expect(await next.text('whoami')).toContain('ada');
    outcomes.push({ isLost, wasIssued });
  }
  return outcomes;
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'));
}

const SIGNED = { token_endpoint_auth_signing_alg: 'ES256' } as const;

const WRITES_ENVIRONMENT = ' writeFileSync(process.argv[2], JSON.stringify(process.env));';
