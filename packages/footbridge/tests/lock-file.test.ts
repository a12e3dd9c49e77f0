/** The lock between processes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isLocked, withLock } from '../src/state/lock-file.js';

function lockFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'footbridge-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'a.lock');
}

const NOBODY = 2 ** 22 + 1;
const abandoned = (machine: string) => JSON.stringify({ id: 'b7c1f4d2-0000-4000-8000-000000000000', pid: NOBODY, machine });

/** As a lock of this process names it. */
function thisMachine(): Promise<string> {
  const file = lockFile();
  return withLock(file, 0, async () => JSON.parse(readFileSync(file, 'utf8')).machine);
}

it('admits one process at a time, and leaves no file behind', async () => {
  const file = lockFile();
  let inside = 0;
  let most = 0;
  const turns = Array.from({ length: 20 }, () =>
    withLock(file, 30_000, async () => {
      most = Math.max(most, ++inside);
      await new Promise(setImmediate);
      inside--;
    }),
  );
  await Promise.all(turns);
  expect(most).toBe(1);
  expect(readdirSync(join(file, '..'))).toEqual([]);
});

it('is taken over from a process that ended, by exactly one of many', async () => {
  const file = lockFile();
  writeFileSync(file, abandoned(await thisMachine()));
  expect(await isLocked(file)).toBe(false);
  let inside = 0;
  let most = 0;
  const turn = () =>
    withLock(file, 30_000, async () => {
      most = Math.max(most, ++inside);
      await new Promise(setImmediate);
      inside--;
    });
  await Promise.all(Array.from({ length: 20 }, turn));
  expect(most).toBe(1);
  expect(readdirSync(join(file, '..'))).toEqual([]);
});

it('is taken over from a process on another machine that gives no sign of life, by exactly one of many', async () => {
  const file = lockFile();
  writeFileSync(file, abandoned('elsewhere'));
  // As a process elsewhere does that holds it for longer than the lease.
  let beats = 0;
  await new Promise<void>((resolve) => {
    const beating = setInterval(async () => {
      utimesSync(file, new Date(), new Date());
      expect(await isLocked(file)).toBe(true);
      if (++beats < 12) return;
      clearInterval(beating);
      resolve();
    }, 500);
  });
  let inside = 0;
  let most = 0;
  const turn = () =>
    withLock(file, 30_000, async () => {
      most = Math.max(most, ++inside);
      await new Promise(setImmediate);
      inside--;
    });
  await Promise.all(Array.from({ length: 20 }, turn));
  expect(most).toBe(1);
  expect(readdirSync(join(file, '..'))).toEqual([]);
});

it('shows that its owner is alive', async () => {
  const file = lockFile();
  await withLock(file, 0, async () => {
    utimesSync(file, new Date(0), new Date(0));
    await expect.poll(() => statSync(file).mtimeMs).toBeGreaterThan(0);
  });
});

it('is not taken over from a process on another machine until it is old', async () => {
  const file = lockFile();
  writeFileSync(file, abandoned('elsewhere'));
  expect(await isLocked(file)).toBe(true);
  await expect(withLock(file, 0, async () => {})).rejects.toThrow('too long');
  utimesSync(file, new Date(0), new Date(0));
  expect(await withLock(file, 0, async () => 'mine')).toBe('mine');
});

it.runIf(process.platform === 'linux')('is not taken over from a process of a container that has the name of this machine', async () => {
  const file = lockFile();
  writeFileSync(file, abandoned(hostname()));
  expect(await isLocked(file)).toBe(true);
});

it('is taken over if its file is damaged', async () => {
  const file = lockFile();
  writeFileSync(file, '{');
  expect(await withLock(file, 30_000, async () => 'mine')).toBe('mine');
});
