/** Entries of the cache folder that are not files. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { appendToFile, openKept, readKept } from '../src/kept-file.js';
import { createWorld } from './support/folders.js';

it.skipIf(process.platform === 'win32')('a named pipe is neither read nor written', () => {
  const folder = createWorld().path('home/cache');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pipe = join(folder, 'skills-pipe');
  execFileSync('mkfifo', [pipe]);
  expect(() => openKept(pipe)).toThrow('not a file');
  expect(() => readKept(pipe)).toThrow('not a file');
  appendToFile(folder, 'skills-', 'pipe', Buffer.from('x'));
  writeFileSync(join(folder, 'skills-file'), 'x');
  expect(readKept(join(folder, 'skills-file')).toString()).toBe('x');
});
