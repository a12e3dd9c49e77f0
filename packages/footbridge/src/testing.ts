/** The contract of a source, as tests: every source passes `testSource()`. Needs vitest. */
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { OWNER, type ReadContext } from './sources/resource.js';
import type { Contribution, InternalContribution, Skill, Source } from './sources/source.js';

/** A source to be tested, ready to be opened. */
export interface SourceUnderTest {
  readonly source: Source;
  /** The name of one of its skills; absent for a source without skills. */
  readonly skill?: string;
  /** The URI of a resource that it lists; absent for a source without resources. */
  readonly resource?: string;
  /** Makes it contribute something else; absent for a source that never changes. */
  readonly change?: () => Promise<void>;
}

/** Paths at which no skill has a file. */
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

const context: ReadContext = { caller: OWNER, signal: new AbortController().signal };

/** Registers the tests that every source passes. `make` is called for each test. */
export function testSource(name: string, make: () => Promise<SourceUnderTest>): void {
  describe(`source "${name}"`, () => {
    let opened: Source | undefined;
    afterEach(() => opened?.close?.());

    const openSource = async (changed: (next: Contribution) => void = () => {}) => {
      const made = await make();
      opened = made.source;
      let contribution: InternalContribution = await made.source.open(
        (next) => {
          contribution = next;
          changed(next);
        },
        () => {},
      );
      // A source that is asked each time lists nothing before.
      if (contribution.live === true) await made.source.refresh?.(context);
      return { ...made, contribution };
    };
    const itWithSkill = (title: string, test: (skill: Skill, skip: (why: string) => void) => Promise<void>) =>
      it(title, async ({ skip }) => {
        const { contribution, skill } = await openSource();
        return skill === undefined ? skip('no skills') : test(find(contribution, skill), skip);
      });

    it('contributes something', async () => {
      const { contribution, skill, resource } = await openSource();
      expect(skill ?? resource, 'pass the name of a skill or the URI of a resource').toBeDefined();
      const { skills = [], resources = [], templates = [] } = contribution;
      expect(skills.length + resources.length + templates.length).toBeGreaterThan(0);
    });

    it('reads its resource, the same content twice, and lists each URI once', async ({ skip }) => {
      const { contribution, resource: uri } = await openSource();
      if (uri === undefined) return skip('no resources');
      const found = contribution.resources?.find(({ entry }) => entry.uri === uri);
      expect(found?.entry.name).toBeTruthy();
      expect(found?.category).toBeTruthy();
      const first = await found?.read(uri, context);
      expect(first?.contents.length).toBeGreaterThan(0);
      expect(await found?.read(uri, context)).toEqual(first);
      const uris = contribution.resources?.map(({ entry }) => entry.uri) ?? [];
      expect(new Set(uris).size).toBe(uris.length);
    });

    it('completes the variables of its templates', async ({ skip }) => {
      const { contribution } = await openSource();
      const { templates = [] } = contribution;
      if (templates.length === 0) return skip('no templates');
      for (const { entry, template, examples, complete } of templates) {
        expect(template.template).toBe(entry.uriTemplate);
        const names = template.variables.map((variable) => variable.name);
        for (const example of Object.keys(examples)) expect(names).toContain(example);
        for (const variable of names) expect(Array.isArray(await complete(variable, '', context))).toBe(true);
      }
    });

    itWithSkill('contributes its skill with a name and a description', async (found) => {
      expect(found.description).not.toBe('');
      expect(found.version).not.toBe('');
      expect(found.identity).not.toBe('');
      expect(found.origin).not.toBe('');
      expect(['project', 'global']).toContain(found.location);
    });

    itWithSkill('reads SKILL.md, the same content twice', async (found) => {
      const first = await found.read('SKILL.md');
      expect(first?.mimeType).toBe('text/markdown');
      if (found.size !== undefined) expect(first?.bytes.length).toBe(found.size);
      expect(await found.read('SKILL.md')).toEqual(first);
    });

    itWithSkill('lists only files that can be read, with their sizes', async (found) => {
      const paths = await allFiles(found, '');
      expect(paths.map((entry) => entry.path)).toContain('SKILL.md');
      for (const { path, size } of paths) {
        const length = (await found.read(path))?.bytes.length;
        expect(length, path).toBe(size ?? length);
        expect(length, path).toBeDefined();
      }
    });

    itWithSkill('returns undefined for paths at which the skill has no file', async (found) => {
      for (const path of HOSTILE_PATHS) expect(await found.read(path), JSON.stringify(path)).toBeUndefined();
      for (const path of HOSTILE_PATHS.slice(1)) expect(await found.list(path), JSON.stringify(path)).toBeUndefined();
    });

    itWithSkill('publishes the digest of every file', async (found, skip) => {
      const manifest = await found.manifest();
      expect(manifest?.frontmatter['name']).toBe(found.name);
      if (manifest?.files === 'dynamic') return skip('no digests');
      const files = await allFiles(found, '');
      expect(manifest?.files.map((file) => file.path).sort()).toEqual(files.map((file) => file.path).sort());
      for (const file of manifest?.files ?? []) {
        const bytes = (await found.read(file.path))?.bytes ?? new Uint8Array();
        expect(file.digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
      }
    });

    it('does not call changed when a refresh finds no change', async () => {
      let calls = 0;
      const { source } = await openSource(() => calls++);
      calls = 0;
      await source.refresh?.(context);
      await source.refresh?.(context);
      expect(calls).toBe(0);
    });

    it('contributes a new object when it changes, and leaves the old one unchanged', async ({ skip }) => {
      const later: Contribution[] = [];
      const { source, change, contribution } = await openSource((next) => later.push(next));
      if (change === undefined) return skip('never changes');
      const listed = () =>
        JSON.stringify([
          contribution.skills?.map(({ name: each, description, version }) => ({ each, description, version })),
          [...(contribution.resources ?? []), ...(contribution.templates ?? [])].map(({ entry }) => entry),
        ]);
      const before = listed();
      await change();
      await source.refresh?.(context);
      expect(later.length).toBeGreaterThan(0);
      expect(later.at(-1)).not.toBe(contribution);
      expect(listed()).toBe(before);
    });

    it('calls nothing after close()', async () => {
      let calls = 0;
      const { source, change } = await openSource(() => calls++);
      source.close?.();
      calls = 0;
      await change?.();
      await source.refresh?.(context).catch(() => {});
      expect(calls).toBe(0);
    });
  });
}

function find(contribution: Contribution, name: string): Skill {
  const skill = contribution.skills?.find((each) => each.name === name);
  if (skill === undefined) throw new Error(`The source has no skill "${name}".`);
  return skill;
}

async function allFiles(skill: Skill, folder: string): Promise<{ path: string; size: number | undefined }[]> {
  const entries = (await skill.list(folder)) ?? [];
  const nested = await Promise.all(
    entries.map(async (entry) => (entry.kind === 'file' ? [{ path: entry.path, size: entry.size }] : allFiles(skill, entry.path))),
  );
  return nested.flat();
}
