import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/v4';
import { GENERATE_KEY } from '../src/vault/encryption.js';
import { Vault } from '../src/vault/vault.js';
import { programOf } from './support/bundled-program.js';
import { failureOf } from './support/failures.js';
import { allFileContents, inspectAll, tracesOf } from './support/secrets.js';
import { newFolder } from './support/state-folder.js';

const SECRET = 'NjQ+secret/of=the%person';
const CLEAR = { owner: 'someone', status: 'active', count: 7 };
const schema = z.strictObject({ owner: z.string(), status: z.string(), count: z.number() });

async function newVault(key: Buffer | undefined = randomBytes(32)) {
  const stateFolder = await newFolder();
  const vault = new Vault({ stateFolder, key, schema });
  return { stateFolder, key, vault, file: (id: string) => join(stateFolder, 'connections', `${id}.sealed`) };
}

describe('the vault', () => {
  it('returns stored entries in every process, and undefined for unknown ids', async () => {
    const { vault, stateFolder, key } = await newVault();
    expect(await vault.all()).toEqual(new Map());
    await vault.put('one', CLEAR, SECRET);
    await vault.put('two', { ...CLEAR, count: 8 }, '');
    const later = new Vault({ stateFolder, key, schema });
    expect(await later.get('one')).toEqual({ clear: CLEAR, secret: SECRET });
    expect([...(await later.all()).keys()].sort()).toEqual(['one', 'two']);
    await later.remove('one');
    expect(await vault.get('one')).toBeUndefined();
    expect(await vault.get('../vault')).toBeUndefined();
  });

  it('stores the secret encrypted in private files', async () => {
    const { vault, stateFolder, file } = await newVault();
    await vault.put('one', CLEAR, SECRET);
    expect(tracesOf(SECRET, await allFileContents(stateFolder))).toEqual([]);
    expect((await stat(file('one'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(stateFolder, 'connections'))).mode & 0o777).toBe(0o700);
  });

  it('never reuses a nonce', async () => {
    const { vault, file } = await newVault();
    const seen = new Set<string>();
    for (let count = 0; count < 20; count++) {
      await vault.put('one', CLEAR, SECRET);
      const { nonce, sealed } = JSON.parse(await readFile(file('one'), 'utf8'));
      seen.add(nonce).add(sealed);
    }
    expect(seen.size).toBe(40);
  });

  it('stores nothing without a key, and says how to generate one', async () => {
    const { vault, stateFolder } = await newVault();
    const keyless = new Vault({ stateFolder, key: undefined, schema });
    const failure = await failureOf(keyless.put('one', CLEAR, SECRET));
    expect(failure).toMatchObject({ code: 'vault_key_required', action: GENERATE_KEY });
    expect(await readdir(stateFolder)).toEqual([]);
    expect(await keyless.get('one')).toBeUndefined();
    await vault.put('one', CLEAR, SECRET);
    expect((await failureOf(keyless.get('one'))).code).toBe('vault_key_required');
    expect((await failureOf(keyless.all())).code).toBe('vault_key_required');
  });

  it('reports another key without revealing the folder', async () => {
    const { vault, stateFolder } = await newVault();
    await vault.put('one', CLEAR, SECRET);
    const other = new Vault({ stateFolder, key: randomBytes(32), schema });
    const attempts = [() => other.assertReady(), () => other.get('one'), () => other.all(() => {}), () => other.put('two', CLEAR, SECRET)];
    for (const attempt of attempts) {
      const failure = await failureOf(attempt());
      expect(failure).toMatchObject({ code: 'vault_refused', message: expect.stringContaining('another key') });
      expect(failure.action).toContain('`connections`');
      expect(inspectAll(failure.text)).not.toContain(stateFolder);
    }
    expect(await vault.get('one')).toEqual({ clear: CLEAR, secret: SECRET });
  });

  it.each(['one.sealed', 'vault.json'])('rejects %s after any byte was changed', async (name) => {
    const { vault, stateFolder } = await newVault();
    await vault.put('one', CLEAR, SECRET);
    const file = join(stateFolder, 'connections', name);
    const whole = await readFile(file);
    for (let at = 0; at < whole.length; at++) {
      for (const change of [1 << (at % 8), 0x20]) {
        const changed = Buffer.from(whole);
        changed.writeUInt8(changed.readUInt8(at) ^ change, at);
        await writeFile(file, changed);
        const failure = await failureOf(vault.get('one'));
        expect(failure.code, `byte ${at}`).toBe('vault_refused');
        expect(tracesOf(SECRET, inspectAll(failure))).toEqual([]);
      }
    }
    for (const changed of [whole.subarray(0, -1), Buffer.concat([whole, Buffer.from('\n')]), Buffer.alloc(0)]) {
      await writeFile(file, changed);
      expect((await failureOf(vault.get('one'))).code).toBe('vault_refused');
    }
    await writeFile(file, whole);
    expect(await vault.get('one')).toEqual({ clear: CLEAR, secret: SECRET });
  });

  it('rejects changed, added and removed fields, and a renamed file', async () => {
    const { vault, file } = await newVault();
    await vault.put('one', { ...CLEAR, status: 'revoked' }, SECRET);
    await vault.put('two', CLEAR, SECRET);
    const text = await readFile(file('one'), 'utf8');
    const { status: _, ...less } = CLEAR;
    for (const clear of [CLEAR, { ...CLEAR, status: 'revoked', more: 1 }, less]) {
      await writeFile(file('one'), JSON.stringify({ ...JSON.parse(text), clear }));
      expect((await failureOf(vault.get('one'))).code).toBe('vault_refused');
    }
    await copyFile(file('two'), file('one'));
    expect((await failureOf(vault.get('one'))).code).toBe('vault_refused');
    expect((await failureOf(vault.all())).code).toBe('vault_refused');
    const damaged: string[] = [];
    expect([...(await vault.all((id) => damaged.push(id))).keys()]).toEqual(['two']);
    expect(damaged).toEqual(['one']);
  });

  it('accepts another key while it is empty', async () => {
    const { vault, stateFolder } = await newVault();
    await vault.put('one', CLEAR, SECRET);
    await vault.remove('one');
    const other = new Vault({ stateFolder, key: randomBytes(32), schema });
    await other.assertReady();
    await other.put('two', CLEAR, SECRET);
    expect(await other.get('two')).toEqual({ clear: CLEAR, secret: SECRET });
    expect((await failureOf(vault.put('one', CLEAR, SECRET))).message).toContain('another key');
    expect((await readdir(join(stateFolder, 'connections'))).sort()).toEqual(['two.sealed', 'vault.json']);
    await writeFile(join(stateFolder, 'connections', 'vault.json'), 'damaged');
    await other.remove('two');
    await vault.put('one', CLEAR, SECRET);
    expect(await vault.get('one')).toEqual({ clear: CLEAR, secret: SECRET });
  });

  it('never contains an unreadable record when processes with two keys create it concurrently', async () => {
    for (let round = 0; round < 30; round++) {
      const stateFolder = await newFolder();
      const [one, two] = [randomBytes(32), randomBytes(32)].map((key) => new Vault({ stateFolder, key, schema }));
      if (one === undefined || two === undefined) return expect.fail();
      await one.assertReady();
      const tries = [one, two, one, two].map(async (vault, count) => {
        await wait(Math.random() * 4);
        return vault.put(`id-${count}`, CLEAR, SECRET).then(() => ({ vault, id: `id-${count}` }));
      });
      for (const outcome of await Promise.allSettled(tries)) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'vault_refused' });
        else expect(await outcome.value.vault.get(outcome.value.id)).toEqual({ clear: CLEAR, secret: SECRET });
      }
    }
  });

  it('does not replace a lost header while there are records', async () => {
    const { vault, stateFolder } = await newVault();
    await vault.put('one', CLEAR, SECRET);
    await rm(join(stateFolder, 'connections', 'vault.json'));
    expect((await failureOf(vault.put('two', CLEAR, SECRET))).code).toBe('vault_refused');
    expect((await failureOf(vault.get('one'))).code).toBe('vault_refused');
  });

  it('can be created concurrently', async () => {
    const { stateFolder, key } = await newVault();
    const vaults = Array.from({ length: 20 }, () => new Vault({ stateFolder, key, schema }));
    await Promise.all(vaults.map((vault, count) => vault.put(`id-${count}`, { ...CLEAR, count }, SECRET)));
    expect((await new Vault({ stateFolder, key, schema }).all()).size).toBe(20);
  });

  it('is intact after its process was killed at any time', async () => {
    const { stateFolder, key, vault } = await newVault();
    const program = await programOf(`
      import * as z from 'zod/v4';
      import { Vault } from '#dist/vault/vault.js';
      const [stateFolder, key, secret] = process.argv.slice(2);
      const schema = z.strictObject({ owner: z.string(), status: z.string(), count: z.number() });
      const vault = new Vault({ stateFolder, key: Buffer.from(key, 'hex'), schema });
      for (let count = 0; ; count++) {
        await vault.put('id-' + (count % 3), { owner: 'someone', status: 'active', count }, secret + count);
        if (count === 0) process.stdout.write('writing');
      }`);
    for (let round = 0; round < 12; round++) {
      if (round % 4 === 3) await rm(join(stateFolder, 'connections'), { recursive: true, force: true });
      const child = spawn(process.execPath, [program, stateFolder, key?.toString('hex') ?? '', SECRET]);
      // Some are killed while they create the vault.
      if (round % 4 !== 3) await once(child.stdout, 'data');
      await wait(Math.random() * (round % 4 === 3 ? 120 : 40));
      child.kill('SIGKILL');
      await once(child, 'close');
      for (const { clear, secret } of (await vault.all()).values()) expect(secret).toBe(`${SECRET}${clear.count}`);
      await vault.put('own', CLEAR, SECRET);
      expect(await vault.get('own')).toEqual({ clear: CLEAR, secret: SECRET });
      await vault.remove('own');
    }
    expect(tracesOf(SECRET, await allFileContents(stateFolder))).toEqual([]);
  }, 90_000);

  it('removes old drafts but not recent ones', async () => {
    const { vault, stateFolder } = await newVault();
    await vault.put('one', CLEAR, SECRET);
    const folder = join(stateFolder, 'connections');
    const old = join(folder, 'one.sealed.0123456789abcdef.draft');
    const fresh = join(folder, 'one.sealed.fedcba9876543210.draft');
    for (const draft of [old, fresh]) await writeFile(draft, '');
    await utimes(old, 0, 0);
    await vault.sweep();
    expect((await readdir(folder)).sort()).toEqual(['one.sealed', 'one.sealed.fedcba9876543210.draft', 'vault.json']);
  });
});
