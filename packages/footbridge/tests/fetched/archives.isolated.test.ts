/**
 * Archives are hostile: whatever they contain, nothing is written outside the store, and none takes much time, which is measured in
 * a process of its own. What memory they take is measured in `archive-memory.program.test.ts`.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { unpackArchive } from '../../src/sources/fetched/archive/index.js';
import { FetchError } from '../../src/sources/fetched/fetch-error.js';
import { Staging } from '../../src/sources/fetched/staging.js';
import { skillsInFiles } from '../../src/sources/fetched/tree.js';
import { generatedArchives, hasEscaped, listedArchives } from './hostile-archives.js';
import { type Machine, namesOutside, newMachine } from './support.js';

/** `FOOTBRIDGE_ARCHIVES=10000` runs as many. */
const GENERATED = Number(process.env['FOOTBRIDGE_ARCHIVES'] ?? 500);

/** Unpacks and stores it, as a command does; returns what was refused, or undefined. */
async function keep(bytes: Uint8Array, { store }: Machine): Promise<FetchError | undefined> {
  try {
    await store.withTemporary(async (temporary) => {
      const area = join(temporary, 'staging');
      mkdirSync(area);
      const staging = new Staging(area);
      await unpackArchive(bytes, { staging });
      const { skills } = await skillsInFiles(staging.files, 'archive');
      if (skills.length > 0) await store.keep(skills, temporary);
    });
    return undefined;
  } catch (cause) {
    if (cause instanceof FetchError) return cause;
    throw cause;
  }
}

/** What one of them may take, beyond one that is not hostile. */
const MAX_CPU_MS = 2000;

async function measured<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly cpuMs: number }> {
  const cpu = process.cpuUsage();
  const result = await work();
  const { system, user } = process.cpuUsage(cpu);
  return { result, cpuMs: (system + user) / 1000 };
}

/** Throws if one takes too much, writes elsewhere, or fails with something else than a refusal. Returns those that were refused. */
async function keepAll(archives: Iterable<{ readonly title: string; readonly bytes: Uint8Array }>): Promise<readonly string[]> {
  const machine = newMachine();
  const refused: string[] = [];
  let at = 0;
  let slowest = 0;
  for (const { bytes, title } of archives) {
    const usage = await measured(() =>
      keep(bytes, machine).catch((cause: unknown) => {
        throw new Error(`${title}: ${String(cause)}`);
      }),
    );
    slowest = Math.max(slowest, usage.cpuMs);
    expect(usage.cpuMs, `${title}: milliseconds`).toBeLessThan(MAX_CPU_MS);
    if (usage.result !== undefined) refused.push(title);
    expect(escapedTo(machine), title).toEqual([]);
    // A look at all files after each would take longer than the archives.
    if (at++ % 50 === 0) expectNothingOutside(machine, title);
  }
  expectNothingOutside(machine, 'all');
  if (process.env['FOOTBRIDGE_ARCHIVES'] !== undefined)
    process.stdout.write(`${at} archives, ${refused.length} refused; at most ${slowest.toFixed(0)} ms\n`);
  return refused;
}

/** Neither files elsewhere nor links among those that were stored. */
function expectNothingOutside(machine: Machine, title: string): void {
  expect(namesOutside(machine), title).toEqual([]);
  const trees = readdirSync(join(machine.home, 'state/footbridge/store'), { recursive: true, withFileTypes: true });
  expect(
    trees.filter((entry) => !entry.isFile() && !entry.isDirectory()),
    title,
  ).toEqual([]);
}

/** What was written where a path leads that is absolute, begins at some home folder, or goes up from the store or the working folder. */
function escapedTo({ home }: Machine): readonly string[] {
  const folders = new Set([
    '/tmp',
    tmpdir(),
    homedir(),
    ...[join(home, 'state/footbridge/store/drafts'), process.cwd()].flatMap(withParents),
  ]);
  return [...folders].flatMap((folder) =>
    readdirSync(folder)
      .filter(hasEscaped)
      .map((name) => join(folder, name)),
  );
}

function withParents(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

/** They expand to far more than their size. */
const BOMBS = /^g?zip of .*zeros|overlapping|gzip in gzip|very many|of many large/;

it('more than 200 listed hostile archives stay within the store and within bounds', async () => {
  const archives = listedArchives();
  expect(archives.length).toBeGreaterThanOrEqual(200);
  const refused = await keepAll(archives);
  expect(refused.length).toBeGreaterThan(archives.length / 2);
  expect(refused).toEqual(expect.arrayContaining(archives.map(({ title }) => title).filter((title) => BOMBS.test(title))));
}, 120_000);

it('many generated hostile archives stay within the store and within bounds', async () => {
  const seed = Number(process.env['FOOTBRIDGE_SEED'] ?? Date.now() % 1_000_000);
  let at = 0;
  function* titled() {
    for (const bytes of generatedArchives(GENERATED, seed)) yield { title: `seed ${seed}, archive ${at++}`, bytes };
  }
  expect((await keepAll(titled())).length).toBeGreaterThan(GENERATED / 10);
}, 600_000);
