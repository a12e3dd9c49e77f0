/** Logins whose key is in a real system keychain. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemKeychain } from '../src/cli/login/keychain.js';
import type { LoginRecord } from '../src/sources/upstream/sign-in/login-storage.js';
import { LoginStore, loginId } from '../src/sources/upstream/sign-in/login-store.js';
import { createWorld } from './support/folders.js';
import { describeWithKeyring, type Keyring } from './support/keyring.js';
import { wrappingHost } from './support/line-host.js';
import { runProgramWith } from './support/program.js';
import { startProtected } from './support/protected-server.js';
import { login } from './support/terminal.js';

const RECORD = {
  server: 'https://docs.example.org/mcp',
  settings: {},
  issuer: 'https://login.example.org',
  metadata: { token_endpoint: 'https://login.example.org/token' },
  client: { client_id: 'x' },
  tokens: { access_token: 'the access token', refresh_token: 'the refresh token', token_type: 'bearer' },
  signedInAt: 1,
} as unknown as LoginRecord;
const ID = loginId(RECORD.server, {});
const OTHER = loginId('https://other.example.org/mcp', {});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'footbridge-logins-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'logins');
}

/** As another process would see it. */
function storeIn(folder: string, keyring?: Keyring, sessionFolder?: string): LoginStore {
  const env = keyring === undefined ? { FOOTBRIDGE_KEYCHAIN: 'off' } : { PATH: process.env['PATH'], ...keyring.environment };
  return new LoginStore(folder, { keychain: systemKeychain(env), sessionFolder });
}

async function readBy(store: LoginStore, id = ID): Promise<LoginRecord | undefined> {
  await store.update(id);
  return store.read(id);
}

describeWithKeyring('a key in the keychain', (start) => {
  it('is created once by processes that sign in at the same time, and is not on disk', async () => {
    const [keyring, folder] = [await start(), newFolder()];
    const ids = Array.from({ length: 5 }, (_, at) => loginId(`https://${at}.example.org/mcp`, {}));
    await Promise.all(ids.map((id) => storeIn(folder, keyring).write(id, RECORD)));
    const reader = storeIn(folder, keyring);
    expect(reader.read(ID)).toBeUndefined();
    for (const id of ids) expect(await readBy(reader, id)).toEqual(RECORD);
    expect(reader.placeOf(ids[0] ?? '')).toBe('keychain');
    expect(readdirSync(folder)).not.toContain('key');
    expect((await storeIn(folder).all()).sealed).toBe(5);
  });

  it('is cached in a folder in memory for the session', async () => {
    const [keyring, folder] = [await start(), newFolder()];
    const session = join(keyring.environment.XDG_RUNTIME_DIR, 'session');
    await storeIn(folder, keyring, session).write(ID, RECORD);
    expect(storeIn(folder, keyring, session).read(ID)).toEqual(RECORD);
    rmSync(session, { recursive: true });
    expect(storeIn(folder, keyring, session).read(ID)).toBeUndefined();
    expect(await readBy(storeIn(folder, keyring, session))).toEqual(RECORD);
    expect(storeIn(folder, keyring, session).read(ID)).toEqual(RECORD);
  });

  it('replaces a key in a file, and is removed with all logins', async () => {
    const [keyring, folder] = [await start(), newFolder()];
    await storeIn(folder).write(ID, RECORD);
    expect(storeIn(folder, keyring).placeOf(ID)).toBe('file');
    await storeIn(folder, keyring).keys?.moveToKeychain();
    expect(existsSync(join(folder, 'key'))).toBe(false);
    const moved = storeIn(folder, keyring);
    expect(await readBy(moved)).toEqual(RECORD);
    expect(moved.placeOf(ID)).toBe('keychain');
    await moved.clear();
    expect(readdirSync(folder)).toEqual([]);
    await storeIn(folder, keyring).write(OTHER, RECORD);
    expect(await readBy(storeIn(folder, keyring), OTHER)).toEqual(RECORD);
  });

  it('is replaced by a file where the keychain is unavailable, and both kinds of logins are readable where it is', async () => {
    const [keyring, folder] = [await start(), newFolder()];
    await storeIn(folder, keyring).write(ID, RECORD);
    await keyring.restart({ unlocked: false });
    const locked = storeIn(folder, keyring);
    expect(await readBy(locked)).toBeUndefined();
    expect(locked.isSealed(ID)).toBe(true);
    await locked.write(OTHER, RECORD);
    expect(locked.placeOf(OTHER)).toBe('file');
    await keyring.restart();
    // It is left alone for a minute after it refused.
    rmSync(join(folder, 'keychain-refused'));
    const unlocked = storeIn(folder, keyring);
    expect([await readBy(unlocked), await readBy(unlocked, OTHER)]).toEqual([RECORD, RECORD]);
    // The process without a keychain can still read what is written now.
    await unlocked.keys?.moveToKeychain();
    await unlocked.write(ID, RECORD);
    expect(storeIn(folder).read(ID)).toEqual(RECORD);
  });

  it('does not block while the keychain asks for a password, and is used once it answers', async () => {
    const [keyring, folder] = [await start(), newFolder()];
    await storeIn(folder, keyring).write(ID, RECORD);
    keyring.freeze();
    const store = storeIn(folder, keyring);
    const changes: string[] = [];
    onTestFinished(store.watch(ID, () => changes.push(store.read(ID)?.server ?? 'nothing')));
    expect(await readBy(store)).toBeUndefined();
    keyring.thaw();
    await expect.poll(() => changes).toEqual([RECORD.server]);
  });

  it('is not requested from the keychain of another machine that shares the folder', async () => {
    const [keyring, other, folder] = [await start(), await start(), newFolder()];
    await storeIn(folder, keyring).write(ID, RECORD);
    const elsewhere = storeIn(folder, other);
    expect(await readBy(elsewhere)).toBeUndefined();
    await elsewhere.write(ID, RECORD);
    expect(storeIn(folder).read(ID)).toEqual(RECORD);
  });

  it('is used by hosts and reported by doctor; a host reports a missing key with a fix', async () => {
    const [keyring, world, server] = [await start(), createWorld(), await startProtected()];
    const env = { ...keyring.environment, FOOTBRIDGE_KEYCHAIN: 'on' };
    await login(world, server, env);
    expect(await (await wrappingHost(world, server.url, { env })).call('whoami')).toContain('ada');
    const listed = await runProgramWith(world, env, 'logins', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject([{ server: server.url, keyIn: 'keychain' }]);
    await keyring.stop();
    // Where the runtime folder is in memory, the key is held there until the session ends.
    rmSync(join(keyring.environment.XDG_RUNTIME_DIR, 'footbridge'), { recursive: true, force: true });
    const host = await wrappingHost(world, server.url, { env });
    expect(await host.call('whoami')).toMatch(/sign_in_to_127_0_0_1.*system keychain.*Unlock it, or sign in again/);
    expect((await runProgramWith(world, env, 'logins')).stdout).toContain('1 login cannot be read');
    await login(world, server, env);
    await expect.poll(() => host.call('whoami')).toContain('ada');
    expect(server.grants).toEqual(['authorization_code', 'authorization_code']);
  });
});
