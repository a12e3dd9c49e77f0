/** A public server cannot direct a download into the private network, or obtain a login for another server. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { environmentOf, runIn } from '../support/command.js';
import { type Certificates, createCertificates, PUBLIC_ADDRESS, startProxy, startTls } from '../support/corporate-network.js';
import { createWorld } from '../support/folders.js';
import { zip } from './archive-writers.js';
import { get, newMachine, serveOver, skillText, writeFiles } from './support.js';

const ARCHIVE = zip([{ name: 'pdf/SKILL.md', content: skillText('pdf') }]);

let certificates: Certificates;
beforeAll(() => {
  certificates = createCertificates();
});
afterAll(() => certificates.remove());
// Public addresses are reached through a proxy, which connects to this machine.
beforeEach(async () => {
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${(await startProxy()).port}`);
  vi.stubEnv('NO_PROXY', undefined);
  vi.stubEnv('SSL_CERT_FILE', certificates.file('ca.pem'));
});
afterEach(() => vi.unstubAllEnvs());

async function recording() {
  const requests: string[] = [];
  const url = await serveOver((request, response) => {
    requests.push(`${request.url} ${request.headers.authorization ?? ''}`);
    response.end(ARCHIVE);
  });
  return { url, requests };
}

/** A server on this machine, under an address of the internet. */
async function onInternet(answer: (path: string) => { readonly location: string } | { readonly body: string | Uint8Array }) {
  const inside = await serveOver((request, response) => {
    const answered = answer(request.url ?? '');
    if ('location' in answered) response.writeHead(302, answered).end();
    else response.end(answered.body);
  });
  return `https://${PUBLIC_ADDRESS}:${await startTls(certificates, () => Number(new URL(inside).port))}`;
}

describe('a server on the internet', () => {
  it('is contacted, also for an untrusted file', async () => {
    const address = await onInternet(() => ({ body: ARCHIVE }));
    expect((await get(`${address}/pdf.skill`, newMachine())).skills).toHaveLength(1);
    const world = createWorld();
    world.write('project/footbridge.json', JSON.stringify({ update: 'daily', sources: [`${address}/pdf.skill`] }));
    expect((await runIn(world, {}, 'outdated')).stdout).toContain('not locked →');
  });

  it.each(['https://10.0.0.1', 'https://[::1]:9', 'https://169.254.169.254', 'https://localhost:9'])(
    'does not redirect to %s',
    async (target) => {
      const address = await onInternet(() => ({ location: `${target}/pdf.skill` }));
      await expect(get(`${address}/pdf.skill`, newMachine())).rejects.toThrow('on a private network');
    },
  );

  it('cannot redirect to this machine, or to files there', async () => {
    const { requests, url } = await recording();
    const redirecting = await onInternet(() => ({ location: `${url}/pdf.skill` }));
    await expect(get(`${redirecting}/pdf.skill`, newMachine())).rejects.toThrow('is not encrypted');
    const skill = { name: 'pdf', type: 'archive', description: 'x', digest: `sha256:${'0'.repeat(64)}` };
    for (const place of [url, 'https://192.168.0.1']) {
      const site = await onInternet(() => ({ body: JSON.stringify({ skills: [{ ...skill, url: `${place}/pdf.zip` }] }) }));
      await expect(get(site, newMachine())).rejects.toThrow(/is not encrypted|on a private network/);
    }
    expect(requests).toEqual([]);
  });
});

it('an untrusted file cannot name a server on a private network', async () => {
  const world = createWorld();
  const repositories = ['https://10.0.0.1/x.git', 'ssh://git@[fd00::1]/x.git', 'git@10.0.0.1:x.git'];
  const sources = ['https://10.0.0.1/pdf.skill', 'https://10.0.0.1', ...repositories];
  world.write('project/footbridge.json', JSON.stringify({ update: 'daily', sources }));
  const { stdout } = await runIn(world, { env: environmentOf(world) }, 'outdated');
  expect(stdout.match(/is on a private network/g)).toHaveLength(sources.length);
});

it('the login of docker is sent only to the servers of its registry', async () => {
  const realm = await recording();
  const address = await serveOver((_request, response) => {
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm.url}/token",service="x"` }).end();
  });
  const { host } = new URL(address);
  const machine = newMachine();
  writeFiles(machine.home, { '.docker/config.json': JSON.stringify({ auths: { [host]: { auth: 'YWRhOnNlY3JldA==' } } }) });
  await expect(get(`oci://${host}/skills`, machine)).rejects.toThrow('denies access');
  expect(realm.requests.length).toBeGreaterThan(0);
  expect(realm.requests.join()).not.toContain('YWRhOnNlY3JldA');
});
