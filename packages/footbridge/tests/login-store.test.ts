/** Logins on disk. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isInternalAddress } from '../src/outgoing/internal-addresses.js';
import type { LoginRecord } from '../src/sources/upstream/sign-in/login-storage.js';
import { LoginStore, loginId } from '../src/sources/upstream/sign-in/login-store.js';
import { sealText } from '../src/state/encryption.js';

const SERVER = 'https://docs.example.org/mcp';
const ID = loginId(SERVER, {});
const RECORD = {
  server: SERVER,
  settings: {},
  issuer: 'https://login.example.org',
  metadata: { token_endpoint: 'https://login.example.org/token' },
  client: { client_id: 'x' },
  tokens: { access_token: 'the access token', refresh_token: 'the refresh token', token_type: 'bearer' },
  signedInAt: 1,
} as unknown as LoginRecord;

function newStore(): LoginStore {
  const folder = join(mkdtempSync(join(tmpdir(), 'footbridge-logins-')), 'logins');
  onTestFinished(() => rmSync(join(folder, '..'), { recursive: true, force: true }));
  return new LoginStore(folder);
}

it('are encrypted, and readable by their owner alone', async () => {
  const store = newStore();
  await store.write(ID, RECORD);
  expect(store.read(ID)).toEqual(RECORD);
  for (const name of readdirSync(store.folder)) {
    const file = join(store.folder, name);
    expect(statSync(file).mode & 0o077, name).toBe(0);
    expect(readFileSync(file, 'latin1')).not.toMatch(/the (?:access|refresh) token/);
  }
  expect(statSync(store.folder).mode & 0o077).toBe(0);
});

it('cannot be exchanged for each other, and a damaged one counts as missing', async () => {
  const store = newStore();
  await store.write(ID, RECORD);
  const other = loginId('https://other.example.org/mcp', {});
  const file = (id: string) => join(store.folder, `${id}.login`);
  writeFileSync(file(other), readFileSync(file(ID)));
  expect(store.read(other)).toBeUndefined();
  writeFileSync(file(ID), readFileSync(file(ID), 'utf8').replace(/"sealed":"../, '"sealed":"00'));
  expect(store.read(ID)).toBeUndefined();
  expect(await store.all()).toEqual({ found: new Map(), sealed: 0 });
});

it.each<[string, (file: string, key: string) => void]>([
  ['that is empty', (file) => writeFileSync(file, '')],
  ['that is cut off', (file) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, 100))],
  ['that is no JSON', (file) => writeFileSync(file, '\0\0\0')],
  ['that is a folder', (file) => [rmSync(file), mkdirSync(file)]],
  ['whose key is lost', (_file, key) => rmSync(key)],
  ['whose key is damaged', (_file, key) => writeFileSync(key, 'half a k')],
])('one %s counts as missing, and the next login replaces it', async (_title, damage) => {
  const store = newStore();
  await store.write(ID, RECORD);
  const file = join(store.folder, `${ID}.login`);
  damage(file, join(store.folder, 'key'));
  const next = new LoginStore(store.folder);
  expect(next.read(ID)).toBeUndefined();
  expect(await next.all()).toEqual({ found: new Map(), sealed: 0 });
  if (statSync(file).isDirectory()) await expect(next.write(ID, RECORD)).rejects.toThrow(/cannot be stored \(E[A-Z]+\)/);
  else {
    await next.claim(ID);
    await next.write(ID, RECORD);
    expect(new LoginStore(store.folder).read(ID)).toEqual(RECORD);
  }
});

it.each([{}, { metadata: {} }, { client: 'x' }, { issuer: 'none' }, { tokens: 'x' }, { settings: undefined }, { signedInAt: '1' }])(
  'of another version count as missing: %j',
  async (others) => {
    const folder = join(mkdtempSync(join(tmpdir(), 'footbridge-logins-')), 'logins');
    onTestFinished(() => rmSync(join(folder, '..'), { recursive: true, force: true }));
    const key = Buffer.alloc(32, 1);
    const sealed = new LoginStore(folder, key);
    await sealed.write(ID, RECORD);
    expect(sealed.read(ID)).toEqual(RECORD);
    const value = Object.keys(others).length === 0 ? 'a text' : { ...RECORD, ...others };
    writeFileSync(join(folder, `${ID}.login`), sealText(key, value, ID));
    expect(sealed.read(ID)).toBeUndefined();
  },
);

it('are not stored in a folder that others can write to', async () => {
  const store = newStore();
  await store.write(ID, RECORD);
  rmSync(join(store.folder, 'key'));
  chmodSync(store.folder, 0o777);
  for (const attempt of [() => store.write(ID, RECORD), () => store.claim(ID)])
    await expect(attempt()).rejects.toThrow('writable by other users');
});

it('are shared by spellings of a URL, and not by servers, clients or scopes', () => {
  expect(loginId('HTTPS://DOCS.example.org:443/mcp#x', {})).toBe(ID);
  const others = [loginId('https://docs.example.org/other', {}), loginId(SERVER, { clientId: 'x' }), loginId(SERVER, { scopes: ['x'] })];
  expect(new Set([ID, ...others]).size).toBe(4);
});

it.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '::1',
  '::',
  'fd00::1',
  'fe80::1',
  '::ffff:10.0.0.1',
  '::ffff:7f00:1',
  '64:ff9b::a00:1',
  '2002:a00:1::',
  '::7f00:1',
  '2001::1',
])('a server on the internet cannot lead to %s', (address) => expect(isInternalAddress(address)).toBe(true));

it.each(['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])('a server on the internet can lead to %s', (address) =>
  expect(isInternalAddress(address)).toBe(false),
);
