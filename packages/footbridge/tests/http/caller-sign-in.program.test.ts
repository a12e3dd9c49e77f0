/** Callers of several replicas sign in to upstream servers. */
import { expect, it, onTestFinished } from 'vitest';
import { call, signIn, team, toolsOf } from '../support/caller-sign-in.js';
import { until } from '../support/http-server.js';
import { startProtected } from '../support/protected-server.js';
import { startRedis } from '../support/redis.js';
import { describeWith } from '../support/requirements.js';

describeWith('redis-server', 'on two replicas', (path) => {
  it('a sign-in started on one can finish on the other, and both use it for that caller only', async () => {
    const redis = await startRedis(path);
    const upstream = await startProtected();
    const args = ['--redis', redis.url];
    const one = await team(upstream, { args });
    const other = await team(upstream, { args, publicPort: Number(new URL(one.origin).port) });
    onTestFinished(() => redis.stop());
    expect((await signIn(one, 'alice', upstream, other)).status).toBe(200);
    for (const server of [one, other]) {
      await until(async () => (await toolsOf(server, 'alice')).includes('whoami'));
      expect(await toolsOf(server, 'bob')).toEqual(['sign_in_to_docs']);
    }
    await Promise.all([one, other].map((server) => call(server, 'alice', 'whoami')));
    expect(upstream.used.size).toBe(1);
    upstream.expire();
    await Promise.all([one, other, one, other].map((server) => call(server, 'alice', 'whoami')));
    expect(upstream.grants).toEqual(['authorization_code', 'refresh_token']);

    const ofAlice = new Set(upstream.used);
    expect((await signIn(other, 'bob', upstream, one)).status).toBe(200);
    upstream.used.clear();
    for (const server of [one, other]) {
      await until(async () => (await toolsOf(server, 'bob')).includes('whoami'));
      await call(server, 'bob', 'whoami');
    }
    expect(upstream.used.size).toBe(1);
    for (const token of upstream.used) expect(ofAlice.has(token)).toBe(false);
    upstream.used.clear();
    await Promise.all([one, other].map((server) => call(server, 'alice', 'whoami')));
    for (const token of upstream.used) expect(ofAlice.has(token)).toBe(true);
  });
});
