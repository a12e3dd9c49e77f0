/** Callers of several replicas sign in to upstream servers. */
import { expect, it, onTestFinished } from 'vitest';
import { call, KEY, signIn, team, toolsOf } from '../support/caller-sign-in.js';
import { startCollector } from '../support/collector.js';
import { until } from '../support/http-server.js';
import { startProtected } from '../support/protected-server.js';
import { startRedis } from '../support/redis.js';
import { describeWith } from '../support/requirements.js';
import { secretsIn } from '../support/secret-forms.js';
import { REGISTERED } from '../support/sign-in-bridge.js';
import { bearer } from '../support/tokens.js';

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

    await redis.stop();
    upstream.expire();
    const { error } = await call(one, 'alice', 'whoami');
    expect(error.message).toMatch(/could not be renewed\. The logins of callers cannot be reached/);
  });

  it('a login is renewed by one when the other was killed while renewing it', async () => {
    const redis = await startRedis(path);
    const upstream = await startProtected();
    const args = ['--redis', redis.url];
    const one = await team(upstream, { args });
    const other = await team(upstream, { args, publicPort: Number(new URL(one.origin).port) });
    expect((await signIn(one, 'alice', upstream)).status).toBe(200);
    for (const server of [one, other]) await until(async () => (await toolsOf(server, 'alice')).includes('whoami'));
    upstream.expire();
    const killed = new Promise<void>((resolve) => {
      upstream.beforeToken = async () => {
        upstream.beforeToken = async () => {};
        await one.stop('SIGKILL');
        resolve();
        throw new Error('nobody is waiting');
      };
    });
    void call(one, 'alice', 'whoami').catch(() => {});
    await killed;
    // Hosts cancel a call after a minute.
    expect((await call(other, 'alice', 'whoami')).result.content).toEqual([
      expect.objectContaining({ text: expect.stringContaining('ada') }),
    ]);
    expect(upstream.grants).toEqual(['authorization_code', 'refresh_token']);
  }, 45_000);

  it('leaves no secret outside the store: on the page, in its data, the metrics, traces, the log, or what Redis receives', async () => {
    const secret = 'of this team, and nobody else?';
    const client = { ...REGISTERED, redirect_uris: ['http://127.0.0.1/sign-in/callback'], client_secret: secret };
    const redis = await startRedis(path);
    const stored = await redis.monitor();
    const collector = await startCollector();
    const clients = [{ ...client, token_endpoint_auth_method: 'client_secret_basic' as const }];
    const upstream = await startProtected({ registration: false, clients });
    const server = await team(upstream, {
      args: ['--redis', redis.url, '--log-level', 'debug'],
      env: { DOCS_SECRET: secret, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' },
      oauth: { clientId: 'footbridge', clientSecretEnv: 'DOCS_SECRET' },
    });
    const answers: string[] = [];
    const look = async (at: string, name?: string) => {
      const response = await fetch(`${server.origin}${at}`, { headers: name === undefined ? {} : bearer(name) });
      answers.push(JSON.stringify([...response.headers]), await response.text());
      return response.status;
    };
    const lookAround = async () => {
      for (const at of ['/', '/page.js', '/metrics', '/healthz', '/readyz']) await look(at, 'admin');
      for (const at of ['/api/catalog', '/api/insight', '/api/search?words=whoami', '/api/skill?uri=skill://none/SKILL.md'])
        for (const name of ['alice', 'bob', 'admin', undefined]) await look(at, name);
    };
    const { back, cookie, status, text } = await signIn(server, 'alice', upstream);
    expect(status).toBe(200);
    answers.push(text);
    await until(async () => (await toolsOf(server, 'alice')).includes('whoami'));
    upstream.expire();
    answers.push(JSON.stringify(await call(server, 'alice', 'whoami')));
    await lookAround();
    upstream.beforeToken = async () => {
      throw new Error('down');
    };
    upstream.expire();
    answers.push(JSON.stringify(await call(server, 'alice', 'whoami')));
    await lookAround();
    await upstream.revokeAll();
    upstream.beforeToken = async () => {};
    answers.push(JSON.stringify(await call(server, 'alice', 'whoami')));
    expect(await look('/api/insight', 'admin')).toBe(200);
    expect(await look('/metrics', 'admin')).toBe(200);
    await until(() => collector.spans().length > 3);
    expect(await server.stop()).toBe(0);

    const secrets = [...upstream.secrets, secret, KEY, ...['alice', 'bob', 'admin'].map((name) => bearer(name).authorization.slice(7))];
    secrets.push(back.searchParams.get('state') ?? '', cookie.split('=')[1] ?? '');
    expect(secrets.length).toBeGreaterThan(10);
    expect(upstream.grants).toContain('refresh_token');
    expect([stored(), server.stderr(), answers.join('\n')]).toEqual([
      expect.stringMatching(/"(?:set|SET)"/),
      expect.stringMatching(/debug/i),
      expect.stringContaining('footbridge_'),
    ]);
    for (const [place, content] of Object.entries({
      answers: answers.join('\n'),
      log: server.output() + server.stderr(),
      traces: collector.everything(),
      redis: stored(),
    }))
      expect([place, secretsIn(content, secrets)]).toEqual([place, []]);
  });
});
