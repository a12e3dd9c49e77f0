/** Archives at URLs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { lockedOf } from '../../src/cli/fetched/locked.js';
import type { CheckedContent } from '../../src/sources/fetched/acquire.js';
import { sourcesSteps } from '../../src/sources/fetched/locked-sources.js';
import { scanContent } from '../../src/sources/fetched/trust/scan.js';
import { atOnce } from '../../src/turns.js';
import { tar, zip } from './archive-writers.js';
import { get, namesOutside, newMachine, serveOver, skillText } from './support.js';

const ENTRIES = [
  { name: 'pdf/SKILL.md', content: skillText('pdf') },
  { name: 'pdf/scripts/fill.sh', content: 'echo filled\n', mode: 0o100755 },
];

describe.each(['.tgz', '.zip', '.skill', '.tar.gz'])('an archive at a URL that ends with %s', (extension) => {
  it('is fetched, and rejected when it differs from the lock', async () => {
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

describe('the folder name of a skill', () => {
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
      expect(atOnce(sourcesSteps([lockedOf('x', 'archive', found)]))).toHaveLength(1);
      expect(await machine.store.isIntact(found.content, found.skills)).toBe(true);
      expect(namesOutside(machine)).toEqual([]);
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
