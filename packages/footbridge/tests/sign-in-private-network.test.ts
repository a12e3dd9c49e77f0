/** A server on the internet must not lead Footbridge into the network that it runs in. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchFor } from '../src/sources/upstream/sign-in/guarded-fetch.js';
import { type Certificates, createCertificates, PUBLIC_ADDRESS, startProxy, startTls } from './support/corporate-network.js';
import { type ProtectedOptions, startProtected } from './support/protected-server.js';
import { SDKS } from './support/resource-servers.js';
import { footbridge, loginFolder } from './support/sign-in-bridge.js';
import { sendJson, serveWeb } from './support/web-server.js';

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

/** A server on this machine, under an address of the internet. */
async function onInternet<T extends { readonly port: number }>(start: (origin: string) => Promise<T>): Promise<T & { origin: string }> {
  let port = 0;
  const origin = `https://${PUBLIC_ADDRESS}:${await startTls(certificates, () => port)}`;
  const started = await start(origin);
  port = started.port;
  return { ...started, origin };
}

/** An authorization server that does what it should not. */
function hostile(metadata: (origin: string) => Record<string, unknown> | string) {
  return onInternet(async (origin) => {
    const web = await serveWeb(({ response }) => {
      const answer = metadata(origin);
      if (typeof answer === 'string') return response.writeHead(302, { location: answer }).end();
      const usual = { issuer: origin, authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` };
      return sendJson(response, 200, {
        ...usual,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        ...answer,
      });
    });
    return { ...web, port: Number(new URL(web.url).port) };
  });
}

describe.each(SDKS)('a server on the internet, on SDK %s, is rejected if', (sdk) => {
  /** What the tool says, and the requests that a server on this machine received. */
  async function refusal(optionsFor: (inside: string) => Promise<ProtectedOptions>) {
    const inside = await serveWeb(({ response }) => sendJson(response, 200, {}));
    const options = await optionsFor(new URL(inside.url).origin);
    const bridge = footbridge(await onInternet((origin) => startProtected({ ...options, sdk, origin })), loginFolder());
    expect(await bridge.listed()).toEqual(['sign_in_to_docs']);
    const text = await bridge.text('sign_in_to_docs');
    expect(inside.calls).toHaveLength(0);
    return text;
  }

  it('its challenge names metadata on a private network', async () => {
    expect(await refusal(async (inside) => ({ metadataUrl: `${inside}/latest/meta-data` }))).toContain('on a private network');
  });

  it('its authorization server is on a private network', async () => {
    const named = (server: string) => async () => ({ resource: (others: object) => ({ ...others, authorization_servers: [server] }) });
    expect(await refusal(named('https://10.0.0.1'))).toContain('10.0.0.1, which is on a private network');
    expect(await refusal(async (inside) => named(inside)())).toContain('on a private network');
  });

  it('its authorization server registers clients on a private network', async () => {
    const text = await refusal(async (inside) => {
      const { origin } = await hostile(() => ({ registration_endpoint: `${inside}/register` }));
      return { resource: (others) => ({ ...others, authorization_servers: [origin] }) };
    });
    expect(text).toContain('on a private network');
  });

  it('its authorization server redirects to a private network', async () => {
    const text = await refusal(async (inside) => {
      const { origin } = await hostile(() => `${inside}/metadata`);
      return { resource: (others) => ({ ...others, authorization_servers: [origin] }) };
    });
    expect(text).toContain('publishes no metadata');
  });
});

it('requests of a sign-in to a server on the internet reach no private address', async () => {
  const fetch = fetchFor(false);
  for (const target of ['https://127.0.0.1/', 'https://[::1]/', 'https://169.254.169.254/latest', 'https://localhost:9/'])
    await expect(fetch(target), target).rejects.toThrow(/private network/);
});
