import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { References } from '../src/references.js';
import { temporaryFolder } from './support/folder.js';

test('a reference is valid in every process that shares the folder, even if two start at the same time', async () => {
  const folder = await temporaryFolder();
  const [one, other] = await Promise.all([References.open(folder), References.open(folder)]);
  const text = one.issue('artifact:attach', { owner: 'ann' }, 42);
  expect(other.read(text)).toEqual({ scope: 'artifact:attach', claims: { owner: 'ann' }, expiresAt: 42, id: expect.any(String) });
});

test('two references with the same content differ', async () => {
  const references = await References.open(await temporaryFolder());
  expect(references.issue('a', {}, 1)).not.toBe(references.issue('a', {}, 1));
});

test('a modified, truncated, foreign or malformed reference is rejected', async () => {
  const references = await References.open(await temporaryFolder());
  const stranger = await References.open(await temporaryFolder());
  const text = references.issue('a', { owner: 'ann' }, 1);
  const [payload = '', signature = ''] = text.split('.');
  const forged = Buffer.from(JSON.stringify({ scope: 'a', claims: { owner: 'bob' }, exp: 1, jti: 'x' })).toString('base64url');
  for (const wrong of [
    '',
    '.',
    payload,
    `${payload}.`,
    `${forged}.${signature}`,
    text.slice(0, -1),
    `${text}=`,
    ` ${text}`,
    stranger.issue('a', { owner: 'ann' }, 1),
    `${'A'.repeat(5000)}.${signature}`,
  ]) {
    expect(references.read(wrong)).toBeUndefined();
  }
});

test('the key file is readable by its owner only', async () => {
  const folder = await temporaryFolder();
  await References.open(folder);
  const file = join(folder, 'references.key');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file)).toHaveLength(32);
});
