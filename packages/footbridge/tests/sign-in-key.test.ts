/** A client that proves itself with a private key in place of a secret. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findConfig } from '../src/cli/config/index.js';
import { LoginStore, loginId } from '../src/sources/upstream/sign-in/login-store.js';
import { revoke } from '../src/sources/upstream/sign-in/revocation.js';
import { ioOf } from './support/command.js';
import { createWorld } from './support/folders.js';
import { startProtected } from './support/protected-server.js';
import { footbridge, loginFolder, REGISTERED, signIn } from './support/sign-in-bridge.js';

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const P256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ED25519 = generateKeyPairSync('ed25519');

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

const pem = (key: KeyObject, type: 'pkcs8' | 'pkcs1' | 'sec1' = 'pkcs8') => key.export({ type, format: 'pem' }).toString();

function keyFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'footbridge-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'client.pem');
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

const [, KEY_BODY = ''] = pem(P256.privateKey).split('\n');

const withKey = (key: KeyObject, alg: (typeof ALGORITHMS)[number]) => ({
  token_endpoint_auth_method: 'private_key_jwt' as const,
  token_endpoint_auth_signing_alg: alg,
  jwks: { keys: [{ ...key.export({ format: 'jwk' }) }] },
});

const MACHINE = { client_id: 'machine', grant_types: ['client_credentials'], redirect_uris: [], response_types: [] };

describe('a client with a private key', () => {
  it.each([
    ['an RSA key', 'RS256', RSA.publicKey, pem(RSA.privateKey)],
    ['an RSA key as PKCS #1', 'RS256', RSA.publicKey, pem(RSA.privateKey, 'pkcs1')],
    ['a P-256 key', 'ES256', P256.publicKey, pem(P256.privateKey, 'sec1')],
    ['a JSON Web Key', 'ES256', P256.publicKey, JSON.stringify(P256.privateKey.export({ format: 'jwk' }))],
    ['an Ed25519 key', 'EdDSA', ED25519.publicKey, pem(ED25519.privateKey)],
  ] as const)('signs in without a person: %s', async (_title, alg, publicKey, text) => {
    const clients = [{ ...MACHINE, ...withKey(publicKey, alg) }];
    for (const [key, environment] of [
      [{ clientKeyEnv: 'MACHINE_KEY' }, { MACHINE_KEY: text }],
      [{ clientKeyFile: keyFile(text) }, {}],
    ] as const) {
      const world = await startProtected({ registration: false, clients, clientAlgorithms: ALGORITHMS });
      const oauth = { clientId: 'machine', grant: 'client_credentials', scopes: ['read'], ...key } as const;
      const bridge = footbridge(world, loginFolder(), oauth, environment);
      expect(await bridge.listed()).toEqual(['whoami', 'write']);
      world.expire();
      expect(await bridge.text('whoami')).toContain('ada');
      expect(world.grants).toEqual(['client_credentials', 'client_credentials']);
    }
  });

  it('uses an algorithm that the authorization server supports', async () => {
    const clients = [{ ...MACHINE, ...withKey(RSA.publicKey, 'PS256') }];
    const world = await startProtected({ registration: false, clients, clientAlgorithms: ['PS256'] });
    const oauth = { clientId: 'machine', clientKeyEnv: 'MACHINE_KEY', grant: 'client_credentials', scopes: ['read'] } as const;
    expect(await footbridge(world, loginFolder(), oauth, { MACHINE_KEY: pem(RSA.privateKey) }).listed()).toEqual(['whoami', 'write']);
  });

  it('signs in a person, renews and revokes, and is stored without the key', async () => {
    const clients = [{ ...REGISTERED, ...withKey(P256.publicKey, 'ES256') }];
    const [world, folder] = [await startProtected({ registration: false, clients, clientAlgorithms: ALGORITHMS }), loginFolder()];
    const environment = { DOCS_KEY: pem(P256.privateKey) };
    const bridge = footbridge(world, folder, { clientId: 'footbridge', clientKeyEnv: 'DOCS_KEY' }, environment);
    await signIn(bridge, world);
    world.expire();
    expect(await bridge.text('whoami')).toContain('ada');
    expect(world.grants).toEqual(['authorization_code', 'refresh_token']);
    const record = new LoginStore(folder).read(loginId(world.url, { clientId: 'footbridge' }));
    if (record === undefined) throw new Error('no login is stored');
    expect(record.client).toEqual({ client_id: 'footbridge' });
    await revoke(record, environment);
    world.expire();
    await expect(bridge.call('whoami')).rejects.toThrow(/sign_in_to_docs/);
  });

  it.each([
    ['in an unset variable', { clientKeyEnv: 'MACHINE_KEY' }, {}, /MACHINE_KEY, which "clientKeyEnv" names, is not set/],
    [
      'that is damaged',
      { clientKeyEnv: 'MACHINE_KEY' },
      { MACHINE_KEY: pem(RSA.privateKey).slice(0, 400) },
      /has no private key that can be used/,
    ],
    [
      'that is public',
      { clientKeyEnv: 'MACHINE_KEY' },
      { MACHINE_KEY: RSA.publicKey.export({ type: 'spki', format: 'pem' }).toString() },
      /has no private key/,
    ],
    ['in a file that is missing', { clientKeyFile: '/nonexistent/key.pem' }, {}, /"clientKeyFile" names cannot be read \(ENOENT\)/],
  ])('%s is reported', async (_title, key, environment, problem) => {
    const clients = [{ ...MACHINE, ...withKey(RSA.publicKey, 'RS256') }];
    const world = await startProtected({ registration: false, clients, clientAlgorithms: ALGORITHMS });
    const bridge = footbridge(world, loginFolder(), { clientId: 'machine', grant: 'client_credentials', ...key }, environment);
    await bridge.listed();
    expect(bridge.failure?.message).toMatch(problem);
    expect(bridge.failure?.message).not.toContain('MII');
    expect(world.grants).toEqual([]);
  });
});

describe('footbridge.json', () => {
  const config = async (oauth: object) => {
    const world = createWorld();
    world.write('outside/shared.json', JSON.stringify({ mcpServers: { docs: { url: 'https://example.org/mcp', oauth } } }));
    const found = await findConfig('../outside/shared.json', ioOf(world));
    return { world, docs: found.mcpServers['docs'] };
  };

  it('names the file with the key relative to itself', async () => {
    const { docs, world } = await config({ clientId: 'x', clientKeyFile: './keys/client.pem' });
    expect(docs).toMatchObject({ oauth: { clientKeyFile: world.path('outside/keys/client.pem') } });
  });

  it.each([
    [{ clientId: 'x', clientKeyFile: pem(P256.privateKey) }, 'Expected the path of a file, not the key.'],
    [{ clientId: 'x', clientKeyFile: JSON.stringify(P256.privateKey.export({ format: 'jwk' })) }, 'Expected the path of a file'],
    [{ clientId: 'x', clientKeyEnv: pem(P256.privateKey) }, 'Expected the name of an environment variable, not the key.'],
    [{ clientId: 'x', clientKeyEnv: 'A', clientSecretEnv: 'B' }, 'Use one of "clientSecretEnv", "clientKeyEnv" and "clientKeyFile".'],
    [{ clientKeyEnv: 'A' }, 'This requires "clientId".'],
  ])('does not take %j', async (oauth, problem) => {
    const { message } = await config(oauth).then(
      () => expect.unreachable(),
      (cause: Error) => cause,
    );
    expect(message).toContain(problem);
    for (const secret of [KEY_BODY, P256.privateKey.export({ format: 'jwk' }).d ?? '']) expect(message).not.toContain(secret);
  });
});
