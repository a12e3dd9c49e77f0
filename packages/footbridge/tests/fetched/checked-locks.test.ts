/** A lock is checked once: the same bytes are known to be valid, any others are checked again. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { CheckedLocks } from '../../src/cli/fetched/checked-locks.js';
import { lockedOf } from '../../src/cli/fetched/locked.js';
import { get, newMachine, skillText, temporaryFolder, writeFiles } from './support.js';

const LOCK = '/project/footbridge.lock';
let good: Buffer;
let cache: string;

beforeEach(async () => {
  const machine = newMachine();
  writeFiles(join(machine.home, 'own'), { 'pdf/SKILL.md': skillText('pdf'), 'pdf/notes/more.md': 'More.\n' });
  const locked = lockedOf('./own', 'folder', await get('./own', machine));
  good = Buffer.from(JSON.stringify({ lockVersion: 1, scope: 'sources', skills: [], listings: [], sources: [locked] }));
  cache = temporaryFolder();
});

/** As at a start, and at its end. */
async function read(bytes: Buffer) {
  const locks = new CheckedLocks(cache);
  try {
    return await locks.sourcesIn(LOCK, bytes);
  } finally {
    locks.close();
  }
}

describe('a lock', () => {
  it('has the same sources at the first start and at the next', async () => {
    const first = await read(good);
    expect(readdirSync(cache)).toHaveLength(1);
    expect(await read(good)).toEqual(first);
    expect(first).toMatchObject([{ source: './own', skills: [{ name: 'pdf', files: [{ path: 'SKILL.md' }, { path: 'notes/more.md' }] }] }]);
  });

  it.each([
    ['a path that leads out of the skill', 'notes/more.md', '../more.md', 'leads out of its folder'],
    ['no digest', '"SKILL.md","digest":"sha256:', '"SKILL.md","digest":"sha256:0', 'not a digest'],
    ['another size', '"size":6', '"size":7', 'does not match the files'],
  ])('with %s is refused at every start, also after a good one', async (_title, before, after, problem) => {
    await read(good);
    const bad = Buffer.from(good.toString('utf8').replace(before, after));
    expect(bad.equals(good)).toBe(false);
    for (let start = 0; start < 2; start++) await expect(read(bad)).rejects.toThrow(problem);
  });

  it('is checked where what an earlier start kept is damaged', async () => {
    const first = await read(good);
    const [name = ''] = readdirSync(cache);
    writeFileSync(join(cache, name), 'damaged');
    expect(await read(good)).toEqual(first);
    expect(readFileSync(join(cache, name)).equals(good)).toBe(true);
  });

  it('is checked each time without a cache folder', async () => {
    const locks = new CheckedLocks(undefined);
    expect(await locks.sourcesIn(LOCK, good)).toEqual(await read(good));
    await expect(locks.sourcesIn(LOCK, Buffer.from('{'))).rejects.toThrow();
    locks.close();
  });

  it('with thousands of files is checked while other tasks get their turn', async () => {
    const digests = Array.from({ length: 9000 }, (_, index) => createHash('sha256').update(String(index)).digest('hex'));
    const files = digests.map((digest, index) => ({ path: `f-${index}.md`, digest: `sha256:${digest}`, size: index }));
    const lines = files.map(({ digest, path, size }) => `${digest} ${size} - pdf/${path}\n`);
    const content = `sha256:${createHash('sha256').update(lines.sort().join('')).digest('hex')}`;
    const [one] = await read(good);
    const source = { ...one, content, skills: [{ folder: 'pdf', name: 'pdf', description: 'x', files }] };
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const [found] = await read(
      Buffer.from(JSON.stringify({ lockVersion: 1, scope: 'sources', skills: [], listings: [], sources: [source] })),
    );
    clearInterval(timer);
    expect(found).toEqual(source);
    expect(turns).toBeGreaterThan(3);
  });
});
