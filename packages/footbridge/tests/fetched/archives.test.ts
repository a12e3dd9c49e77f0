/** Archives are hostile: whatever they contain, nothing is written outside the store. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { lockedOf } from '../../src/cli/fetched/locked.js';
import type { CheckedContent } from '../../src/sources/fetched/acquire.js';
import { unpackArchive } from '../../src/sources/fetched/archive/index.js';
import { FetchError } from '../../src/sources/fetched/fetch-error.js';
import { parseSources } from '../../src/sources/fetched/locked-sources.js';
import { Staging } from '../../src/sources/fetched/staging.js';
import { skillsInFiles } from '../../src/sources/fetched/tree.js';
import { scanContent } from '../../src/sources/fetched/trust/scan.js';
import { generatedArchives, listedArchives, tar, zip } from './hostile-archives.js';
import { get, type Machine, newMachine, serveOver, skillText } from './support.js';

const ENTRIES = [
  { name: 'pdf/SKILL.md', content: skillText('pdf') },
  { name: 'pdf/scripts/fill.sh', content: 'echo filled\n', mode: 0o100755 },
];

/** `FOOTBRIDGE_ARCHIVES=10000` runs as many. */
const GENERATED = Number(process.env['FOOTBRIDGE_ARCHIVES'] ?? 300);

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

/** Every name below the home, without those of the trees themselves. */
function namesOutside({ home }: Machine): readonly string[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !/^state\/footbridge\/store\/trees\/[0-9a-f]{64}(?:\/|$)/.test(name),
  );
}

const OWN = ['state', 'state/footbridge', 'state/footbridge/store', 'state/footbridge/store/drafts', 'state/footbridge/store/trees'];

describe.each(['.tgz', '.zip', '.skill', '.tar.gz'])('an archive at a URL that ends with %s', (extension) => {
  it('is fetched, and refused when it has changed since it was locked', async () => {
    let bytes = extension.includes('g') ? gzipSync(tar(...ENTRIES)) : zip(ENTRIES);
    const address = await serveOver((_request, response) => response.end(bytes));
    const machine = newMachine();
    const found = await get(`${address}/pdf${extension}`, machine);
    expect(found.skills.map(({ name }) => name)).toEqual(['pdf']);
    const file = join(machine.store.folderOf(found.content), 'pdf/scripts/fill.sh');
    expect(readFileSync(file, 'utf8')).toBe('echo filled\n');
    expect(found.skills[0]?.files).toContainEqual(expect.objectContaining({ path: 'scripts/fill.sh', executable: true }));
    expect((await get(`${address}/pdf${extension}`, newMachine(), { pin: found.pin })).content).toBe(found.content);
    bytes = zip([{ name: 'pdf/SKILL.md', content: skillText('pdf', 'Changed.') }]);
    await expect(get(`${address}/pdf${extension}`, newMachine(), { pin: found.pin })).rejects.toThrow(
      'not the file that is in footbridge.lock',
    );
  });
});

it('none of 200 listed hostile archives writes outside the store', async () => {
  const archives = listedArchives();
  expect(archives.length).toBeGreaterThanOrEqual(200);
  const machine = newMachine();
  for (const { bytes, title } of archives) {
    await keep(bytes, machine).catch((cause: unknown) => {
      throw new Error(`${title}: ${String(cause)}`);
    });
    expect(
      namesOutside(machine).filter((name) => !OWN.includes(name)),
      title,
    ).toEqual([]);
  }
  for (const tree of readdirSync(join(machine.home, 'state/footbridge/store/trees'))) {
    const names = readdirSync(join(machine.home, 'state/footbridge/store/trees', tree), {
      recursive: true,
      encoding: 'utf8',
      withFileTypes: true,
    });
    expect(names.filter((entry) => !entry.isFile() && !entry.isDirectory())).toEqual([]);
  }
});

it('refuses archives that expand to far more than their size', async () => {
  const machine = newMachine();
  for (const { bytes, title } of listedArchives().filter((each) => /of zeros|overlapping|gzip in gzip/.test(each.title)))
    expect(await keep(bytes, machine), title).toBeInstanceOf(FetchError);
});

it('none of many generated hostile archives writes outside the store', async () => {
  const machine = newMachine();
  const seed = Date.now() % 1_000_000;
  let refused = 0;
  for (const bytes of generatedArchives(GENERATED, seed)) {
    const problem = await keep(bytes, machine).catch((cause: unknown) => {
      throw new Error(`seed ${seed}: ${String(cause)}`);
    });
    if (problem !== undefined) refused++;
  }
  expect(
    namesOutside(machine).filter((name) => !OWN.includes(name)),
    `seed ${seed}`,
  ).toEqual([]);
  expect(refused).toBeGreaterThan(GENERATED / 10);
  rmSync(machine.home, { recursive: true, force: true });
});

describe('the name of a folder that a skill gets', () => {
  const odd = zip([{ name: 'SKILL.md', content: skillText('Any Name') }]);

  it.each(['..%2f..%2f..%2fx', '..%5c..%5cx', '...git', 'con', 'a:b', '%zz', '%00', '.', 'a%2fb', 'x%20', '%e2%80%ae'])(
    'is no path when the address ends with %s.skill',
    async (title) => {
      const address = await serveOver((_request, response) => response.end(odd));
      const machine = newMachine();
      // The scanner, which copies the skills, sees them before they are kept.
      const folders: string[] = [];
      const check = async ({ skills, temporary }: CheckedContent) => {
        folders.push(...skills.map(({ folder }) => folder));
        const { env, folder, signal } = machine.surroundings;
        await scanContent([process.execPath, '-e', 'console.log(JSON.stringify({ runs: [] }))'], skills, {
          env,
          folder,
          signal,
          temporary,
        });
        return undefined;
      };
      const found = await get(`${address}/${title}.skill`, machine, { check });
      expect(folders).toHaveLength(1);
      expect(parseSources([lockedOf('x', 'archive', found)])).toHaveLength(1);
      expect(await machine.store.isIntact(found.content, found.skills)).toBe(true);
      expect(namesOutside(machine).filter((name) => !OWN.includes(name))).toEqual([]);
    },
  );

  it.each([
    ['con', 'aux'],
    ['a?b', 'Any Name'],
    ['nul.txt', 'Any Name'],
  ])('is refused where it is %s in an archive, for a skill called %s', async (folder, name) => {
    const address = await serveOver((_request, response) =>
      response.end(zip([...ENTRIES, { name: `${folder}/SKILL.md`, content: skillText(name) }])),
    );
    const found = await get(`${address}/some.zip`, newMachine());
    expect(found.skills.map((skill) => skill.name)).toEqual(['pdf']);
    expect(found.unusable).toEqual([{ path: folder, reason: expect.stringMatching(/Windows reserves|not every system allows/) }]);
  });
});
