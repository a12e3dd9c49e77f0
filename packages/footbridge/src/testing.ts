/** The contract of a source, as tests: every source passes `testSource()`. Needs vitest. */
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { Contribution, Skill, Source } from './sources/source.js';

/** A source to be tested, ready to be opened. */
export interface SourceUnderTest {
  readonly source: Source;
  /** The name of a skill that it has. */
  readonly skill: string;
  /** Makes it contribute something else; left out by sources that never change. */
  readonly change?: () => Promise<void>;
}

/** Paths that name no file of any skill. */
const HOSTILE_PATHS = [
  '',
  '.',
  '..',
  '../SKILL.md',
  'a/../SKILL.md',
  '/etc/passwd',
  '\\windows\\win.ini',
  'SKILL.md\0',
  'SKILL.md/',
  'no/such/file.txt',
];

/** Registers the tests that every source passes. `make` is called anew for each. */
export function testSource(name: string, make: () => Promise<SourceUnderTest>): void {
  describe(`the source "${name}" keeps the contract`, () => {
    let opened: Source | undefined;
    afterEach(() => opened?.close());

    const open = async (changed: (next: Contribution) => void = () => {}) => {
      const made = await make();
      opened = made.source;
      const contribution = await made.source.open(changed);
      return { ...made, contribution, found: find(contribution, made.skill) };
    };

    it('contributes its skill with a name and a description', async () => {
      const { found } = await open();
      expect(found.description).not.toBe('');
      expect(found.version).not.toBe('');
      expect(found.identity).not.toBe('');
      expect(found.origin).not.toBe('');
      expect(['project', 'global']).toContain(found.location);
    });

    it('reads SKILL.md, the same twice', async () => {
      const { found } = await open();
      const first = await found.read('SKILL.md');
      expect(first?.mimeType).toBe('text/markdown');
      expect(first?.bytes.length).toBe(found.size);
      expect(await found.read('SKILL.md')).toEqual(first);
    });

    it('lists only files that can be read, with their sizes', async () => {
      const { found } = await open();
      const paths = await allFiles(found, '');
      expect(paths.map((entry) => entry.path)).toContain('SKILL.md');
      for (const entry of paths) expect((await found.read(entry.path))?.bytes.length).toBe(entry.size);
    });

    it('has nothing at paths that name no file of the skill', async () => {
      const { found } = await open();
      for (const path of HOSTILE_PATHS) expect(await found.read(path), JSON.stringify(path)).toBeUndefined();
      for (const path of HOSTILE_PATHS.slice(1)) expect(await found.list(path), JSON.stringify(path)).toBeUndefined();
    });

    it('publishes the digest of every file', async () => {
      const { found } = await open();
      const manifest = await found.manifest();
      expect(manifest?.frontmatter['name']).toBe(found.name);
      const files = await allFiles(found, '');
      expect(manifest?.files.map((file) => file.path).sort()).toEqual(files.map((file) => file.path).sort());
      for (const file of manifest?.files ?? []) {
        const bytes = (await found.read(file.path))?.bytes ?? new Uint8Array();
        expect(file.digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
      }
    });

    it('says nothing when a refresh finds nothing new', async () => {
      let calls = 0;
      const { source } = await open(() => calls++);
      await source.refresh();
      await source.refresh();
      expect(calls).toBe(0);
    });

    it('replaces its contribution whole when it changes, and leaves the old one alone', async ({ skip }) => {
      const later: Contribution[] = [];
      const { source, change, contribution } = await open((next) => later.push(next));
      if (change === undefined) return skip('it never changes');
      const before = contribution.skills.map(({ name: each, description, version }) => ({ each, description, version }));
      await change();
      await source.refresh();
      expect(later.length).toBeGreaterThan(0);
      expect(later.at(-1)).not.toBe(contribution);
      expect(contribution.skills.map(({ name: each, description, version }) => ({ each, description, version }))).toEqual(before);
    });

    it('is silent once closed', async () => {
      let calls = 0;
      const { source, change } = await open(() => calls++);
      source.close();
      await change?.();
      await source.refresh().catch(() => {});
      expect(calls).toBe(0);
    });
  });
}

function find(contribution: Contribution, name: string): Skill {
  const skill = contribution.skills.find((each) => each.name === name);
  if (skill === undefined) throw new Error(`the source contributes no skill "${name}"`);
  return skill;
}

async function allFiles(skill: Skill, folder: string): Promise<{ path: string; size: number | undefined }[]> {
  const entries = (await skill.list(folder)) ?? [];
  const nested = await Promise.all(
    entries.map(async (entry) => (entry.kind === 'file' ? [{ path: entry.path, size: entry.size }] : allFiles(skill, entry.path))),
  );
  return nested.flat();
}
