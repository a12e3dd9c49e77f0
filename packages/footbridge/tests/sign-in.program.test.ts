/** Logins shared by processes: one refresh at a time, and none lost when a host kills Footbridge. */
import { readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createWorld } from './support/folders.js';
import { type LineHost, wrappingHost } from './support/line-host.js';
import { runProgram } from './support/program.js';
import { startProtected } from './support/protected-server.js';
import { login } from './support/terminal.js';

describe('a login', () => {
  it('is used by a running host, listed without its tokens, and revoked by logout', async () => {
    const [world, server] = [createWorld(), await startProtected()];
    const running = await wrappingHost(world, server.url);
    expect(await running.tools()).toContain('sign_in_to_127_0_0_1');
    expect(await login(world, server)).toContain('Signed in to');
    await expect.poll(running.tools, { timeout: 20_000 }).toContain('whoami');
    expect(await running.call('whoami')).toContain('ada');
    const listed = await runProgram(world, 'logins', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject([{ server: server.url, issuer: server.issuer, renews: true }]);
    const removed = await runProgram(world, 'logout', server.url);
    expect(removed).toMatchObject({ code: 0, stdout: 'Removed 1 login.\n' });
    expect(JSON.parse((await runProgram(world, 'logins', '--json')).stdout)).toEqual([]);
    const output = [running.output(), listed.stdout, removed.stdout, ...filesBelow(world.home)].join('\n');
    expect(server.secrets.size).toBeGreaterThan(2);
    for (const secret of server.secrets) for (const form of formsOf(secret)) expect(output).not.toContain(form);
  });

  it('is refreshed once when 50 processes meet an expired token, and survives that each is killed in the middle of a refresh', async () => {
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

  it('needs at most a new sign-in when the process that renews it is killed itself', async () => {
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
});

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'));
}

function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    encodeURIComponent(secret),
  ];
}
