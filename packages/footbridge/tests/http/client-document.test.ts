/** A team server identifies itself with its client ID metadata document, which authorization servers fetch from its public URL. */
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call, link, press, team, toolsOf } from '../support/caller-sign-in.js';
import { type Certificates, createCertificates, startTls } from '../support/corporate-network.js';
import { type HttpProcess, until } from '../support/http-server.js';
import { freePort } from '../support/programs.js';
import { type ProtectedOptions, startProtected } from '../support/protected-server.js';
import { SDKS } from '../support/resource-servers.js';

let certificates: Certificates;
beforeAll(() => {
  certificates = createCertificates();
});
afterAll(() => certificates.remove());

/** As an authorization server does that can reach the team's server. */
const fetchDocument = (url: string) =>
  new Promise<Response>((resolve, reject) => {
    get(url, { ca: readFileSync(certificates.file('ca.pem')) }, async (answer) => {
      resolve(
        new Response(await text(answer), {
          status: answer.statusCode,
          headers: { 'cache-control': answer.headers['cache-control'] ?? '' },
        }),
      );
    }).on('error', reject);
  });
const unreachable = async () => {
  throw new Error('not on this network');
};

/** A team's server behind TLS, with a path. */
async function deployed(options: ProtectedOptions) {
  const upstream = await startProtected(options);
  const port = await freePort();
  const base = `https://localhost:${await startTls(certificates, () => port)}`;
  const server = await team(upstream, { port, publicUrl: base });
  /** Follows the link as a person would; TLS is only in front. */
  const follow = async (name: string) => {
    const address = await link(server, name);
    expect(address).toMatch(new RegExp(`^${base}/sign-in/`));
    return press(address.replace(base, server.origin));
  };
  const finish = async ({ cookie, page }: { readonly cookie: string; readonly page: string }) => {
    const back = await upstream.returned(page);
    expect(back.origin).toBe(base);
    return (await fetch(`${server.origin}${back.pathname}${back.search}`, { headers: { cookie } })).status;
  };
  return { upstream, server, base, follow, finish };
}

const clientIn = (page: string) => new URL(page).searchParams.get('client_id');

async function listsTools(server: HttpProcess, name: string): Promise<void> {
  await until(async () => (await toolsOf(server, name)).includes('whoami'));
}

it.each(SDKS)('callers sign in to a server on SDK %s, and their logins are renewed, without a registration', async (sdk) => {
  const { base, finish, follow, server, upstream } = await deployed({ sdk, registration: false, findDocument: fetchDocument });
  for (const name of ['alice', 'bob']) {
    const started = await follow(name);
    expect(clientIn(started.page)).toBe(`${base}/sign-in/client-metadata.json`);
    expect(await finish(started)).toBe(200);
    await listsTools(server, name);
  }
  upstream.expire();
  for (const name of ['alice', 'bob']) expect((await call(server, name, 'whoami')).result.isError).toBeUndefined();
  expect(upstream.grants).toEqual(['authorization_code', 'authorization_code', 'refresh_token', 'refresh_token']);
});

it('the document is preferred to a registration, and needs no token', async () => {
  const { base, finish, follow, upstream } = await deployed({ findDocument: fetchDocument });
  expect(await finish(await follow('alice'))).toBe(200);
  expect(await finish(await follow('bob'))).toBe(200);
  expect(upstream.registrations).toEqual([]);
  const document = await (await fetchDocument(`${base}/sign-in/client-metadata.json`)).json();
  expect(document).toEqual({
    client_id: `${base}/sign-in/client-metadata.json`,
    client_name: 'Footbridge',
    redirect_uris: [`${base}/sign-in/callback`],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'web',
  });
});

it('Footbridge registers itself after a sign-in where the authorization server could not fetch the document', async () => {
  const { finish, follow, server, upstream } = await deployed({ findDocument: unreachable });
  const first = await follow('alice');
  expect(clientIn(first.page)).toContain('client-metadata.json');
  expect((await fetch(first.page)).status).toBe(400);
  expect(upstream.registrations).toEqual([]);
  expect(await finish(await follow('bob'))).toBe(200);
  expect(upstream.registrations).toHaveLength(1);
  await listsTools(server, 'bob');
});

it('an authorization server without support for documents gets a registration', async () => {
  const { finish, follow, upstream } = await deployed({});
  const started = await follow('alice');
  expect(clientIn(started.page)).toBe(upstream.registrations[0]?.client_id);
  expect(await finish(started)).toBe(200);
});

it('no document is published without https, and the reason of a failure names the ways to register', async () => {
  const upstream = await startProtected({ registration: false, findDocument: fetchDocument });
  const server = await team(upstream);
  expect((await fetch(`${server.origin}/sign-in/client-metadata.json`)).status).toBe(410);
  await until(async () => (await toolsOf(server, 'alice')).includes('sign_in_to_docs'));
  expect(JSON.stringify(await call(server, 'alice', 'sign_in_to_docs'))).toContain('or publish a client ID metadata document for it');
});
