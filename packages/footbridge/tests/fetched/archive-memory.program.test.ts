/** Memory of the worst archives compared with a benign one of the same size; each is unpacked in a new process. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { type ArchiveEntry, pax, tar, tarEntry, zip } from './archive-writers.js';
import { generatedArchives, listedArchives } from './hostile-archives.js';
import { skillText, temporaryFolder } from './support.js';

/** `FOOTBRIDGE_ARCHIVES=10000` unpacks as many. */
const GENERATED = Number(process.env['FOOTBRIDGE_ARCHIVES'] ?? 300);
const MIB = 1024 * 1024;
const MAX_BYTES = 64 * MIB;
const MAX_CPU_MS = 2000;
const UNPACK = join(import.meta.dirname, '..', 'fixtures', 'unpack.mjs');
const SKILL: ArchiveEntry = { name: 'pdf/SKILL.md', content: skillText('pdf') };

interface Taken {
  readonly bytes: number;
  readonly cpuMs: number;
  /** Why archives were refused. */
  readonly refused: readonly string[];
}

/** Unpacks them one after the other in one process. */
async function unpacked(...archives: readonly Uint8Array[]): Promise<Taken> {
  const folder = temporaryFolder();
  for (const [at, archive] of archives.entries()) writeFileSync(join(folder, String(at)), archive);
  return JSON.parse((await promisify(execFile)(process.execPath, [UNPACK, folder])).stdout);
}

/** Of about this size: files that do not compress. */
function benign(size: number): Buffer {
  const files = Array.from({ length: Math.ceil(size / MIB) }, (_, at) => ({
    name: `pdf/${at}`,
    content: randomBytes(Math.min(MIB, size - at * MIB)),
  }));
  return gzipSync(tar(SKILL, ...files), { level: 1 });
}

/** As large as a file may be, and expanding nearly as much as an archive may. */
function expanding(): Buffer {
  const content = Buffer.alloc(16 * MIB - 1);
  for (let at = 0; at + 1024 <= content.length; at += 29 * 1024) randomBytes(1024).copy(content, at);
  return content;
}

function large(): readonly ArchiveEntry[] {
  const content = expanding();
  return Array.from({ length: 7 }, (_, at) => ({ name: `pdf/${at}`, content }));
}

/** With paths that are nearly as long as they may be. */
function many(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `pdf/${'folder/'.repeat(20)}${'a'.repeat(200)}${at}${randomBytes(8).toString('hex')}`);
}

/** Extended headers that are as long as they may be, and have no field twice. */
function manyFields(count: number): readonly ArchiveEntry[] {
  return Array.from({ length: count }, (_, header) =>
    pax(Object.fromEntries(Array.from({ length: 4000 }, (_field, at) => [`${header}-${at}`, '']))),
  );
}

const WORST: Readonly<Record<string, () => Buffer>> = {
  'tar of large files that expand': () => gzipSync(tar(SKILL, ...large()), { level: 1 }),
  'zip of large files that expand': () => zip([SKILL, ...large()]),
  'zip of one file under many names': () => zip([{ name: 'pdf/zeros', content: Buffer.alloc(MIB) }], { copies: 2000 }),
  'tar of many long paths': () =>
    gzipSync(Buffer.concat([tarEntry(SKILL), ...many(9000).flatMap((path) => [pax({ path }), { name: 'x' }].map(tarEntry))])),
  'zip of many long paths': () => zip([SKILL, ...many(9900).map((name) => ({ name }))]),
  'tar of many fields for one file': () => gzipSync(Buffer.concat([...manyFields(1000).map(tarEntry), tarEntry(SKILL)])),
  'gzip of zeros': () => gzipSync(tar(...Array.from({ length: 8 }, (_, at) => ({ name: `pdf/${at}`, content: Buffer.alloc(16 * MIB) })))),
};

function print(title: string, worst: Taken, usual: Taken): void {
  if (process.env['FOOTBRIDGE_ARCHIVES'] === undefined) return;
  const [bytes, cpuMs] = [(worst.bytes - usual.bytes) / MIB, worst.cpuMs - usual.cpuMs];
  process.stdout.write(`${title}: ${bytes.toFixed(1)} MiB and ${cpuMs.toFixed(0)} ms more, ${worst.refused.length} refused\n`);
}

it.each(Object.entries(WORST))('%s takes at most 64 MiB and 2 s more', async (title, make) => {
  const archive = make();
  const [worst, usual] = [await unpacked(archive), await unpacked(benign(archive.length))];
  print(`${title}, ${(archive.length / MIB).toFixed(1)} MiB`, worst, usual);
  expect(usual.refused).toEqual([]);
  expect(worst.bytes - usual.bytes, 'bytes').toBeLessThan(MAX_BYTES);
  expect(worst.cpuMs - usual.cpuMs, 'milliseconds').toBeLessThan(MAX_CPU_MS);
});

it('none of the listed and of many generated archives takes more than 64 MiB', async () => {
  const seed = Number(process.env['FOOTBRIDGE_SEED'] ?? Date.now() % 1_000_000);
  const archives = [...listedArchives().map(({ bytes }) => bytes), ...generatedArchives(GENERATED, seed)];
  const [worst, usual] = [await unpacked(...archives), await unpacked(...archives.map(({ length }) => benign(length)))];
  print(`${archives.length} archives`, worst, usual);
  expect(worst.refused.length).toBeGreaterThan(archives.length / 10);
  expect(usual.refused).toEqual([]);
  // The peak of all of them is at least that of each.
  expect(worst.bytes - usual.bytes, `seed ${seed}: bytes`).toBeLessThan(MAX_BYTES);
});
