/** Fetched skills are served by a source that passes the contract of all sources. */
import { createHash } from 'node:crypto';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Catalog } from '../../src/catalog/catalog.js';
import { lockedOf } from '../../src/cli/fetched/locked.js';
import { sourcesSteps } from '../../src/sources/fetched/locked-sources.js';
import { type ServedSource, storedSkills } from '../../src/sources/fetched/stored.js';
import { treeDigest } from '../../src/sources/fetched/tree.js';
import { digestOf } from '../../src/sources/skills/digest.js';
import { skillFolders } from '../../src/sources/skills/index.js';
import { testSource } from '../../src/testing.js';
import { atOnce } from '../../src/turns.js';
import { tar, zip } from './archive-writers.js';
import { get, type Machine, newMachine, newRepository, serveGit, serveOver, skillText, temporaryFolder, writeFiles } from './support.js';

const FILES = { 'pdf/SKILL.md': skillText('pdf'), 'pdf/notes/more.md': 'More.\n' };
const ENTRIES = Object.entries(FILES).map(([name, content]) => ({ name, content }));

/** Specifications of the same skill, by their kinds. */
const KINDS: Readonly<Record<string, (machine: Machine) => Promise<string>>> = {
  git: async () => {
    const repository = newRepository(FILES);
    return `git+${await serveGit(dirname(repository))}/${basename(repository)}/.git`;
  },
  archive: async () => `${await serveOver((_request, response) => response.end(zip(ENTRIES)))}/pdf.skill`,
  folder: async ({ home }) => {
    writeFiles(join(home, 'own'), FILES);
    return './own';
  },
  npm: async ({ surroundings }) => {
    const tarball = gzipSync(tar(...ENTRIES.map(({ content, name }) => ({ name: `package/skills/${name}`, content }))));
    const registry = await serveOver((request, response) => {
      if (request.url?.endsWith('.tgz') === true) return response.end(tarball);
      const integrity = `sha512-${createIntegrity(tarball)}`;
      const dist = { tarball: `${registry}/pdf-1.0.0.tgz`, integrity };
      return response.end(JSON.stringify({ 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { dist } } }));
    });
    surroundings.env['npm_config_registry'] = registry;
    return 'npm:pdf-skills';
  },
  oci: async () => {
    const layer = gzipSync(tar(...ENTRIES));
    const mediaType = 'application/vnd.oci.image.layer.v1.tar+gzip';
    const manifest = JSON.stringify({ schemaVersion: 2, layers: [{ mediaType, digest: digestOf(layer), size: layer.length }] });
    const address = await serveOver((request, response) => {
      if (request.url === `/v2/skills/blobs/${digestOf(layer)}`) response.end(layer);
      else if (/^\/v2\/skills\/manifests\/(?:1|sha256:.*)$/.test(request.url ?? '')) response.end(manifest);
      else response.writeHead(404).end();
    });
    return `oci://${new URL(address).host}/skills:1`;
  },
  'well-known': async () => {
    const archive = gzipSync(tar(...ENTRIES.map(({ content, name }) => ({ name: name.slice('pdf/'.length), content }))));
    const index = {
      $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
      skills: [{ name: 'pdf', type: 'archive', description: 'About.', url: 'pdf.tar.gz', digest: digestOf(archive) }],
    };
    return serveOver((request, response) => {
      if (request.url === '/.well-known/agent-skills/index.json') response.end(JSON.stringify(index));
      else if (request.url === '/.well-known/agent-skills/pdf.tar.gz') response.end(archive);
      else response.writeHead(404).end();
    });
  },
  mcp: async () => 'mcp:docs',
};

function createIntegrity(bytes: Uint8Array): string {
  return createHash('sha512').update(bytes).digest('base64');
}

async function upstreamSkills() {
  const folder = temporaryFolder();
  writeFiles(folder, FILES);
  const { skills } = await skillFolders({ folders: [folder], standardFolders: false, watch: false }).open(
    () => {},
    () => {},
  );
  return skills ?? [];
}

async function added(kind: string): Promise<{ readonly machine: Machine; readonly served: ServedSource; readonly specification: string }> {
  const machine = newMachine(await upstreamSkills());
  const specification = (await KINDS[kind]?.(machine)) ?? '';
  const found = await get(specification, machine);
  return { machine, specification, served: { locked: lockedOf(specification, kind, found), location: 'project' } };
}

for (const kind of Object.keys(KINDS))
  testSource(kind, async () => {
    const { machine, served } = await added(kind);
    const other = await added(kind);
    const source = storedSkills({ store: machine.store, first: { sources: [served], notices: [] } });
    const more = { ...other.served, locked: { ...other.served.locked, source: 'another' } };
    return { source, skill: 'pdf', change: () => source.update({ sources: [more], notices: [] }) };
  });

describe('the store', () => {
  it.each(Object.keys(KINDS))('has the same bytes on another machine: %s', async (kind) => {
    const { machine, served, specification } = await added(kind);
    const other = { ...newMachine(await upstreamSkills()), surroundings: machine.surroundings };
    expect((await get(specification, other, { pin: served.locked.resolved, expected: served.locked.content })).content).toBe(
      served.locked.content,
    );
  });

  it('does not serve modified files, and is repaired by another fetch', async () => {
    const { machine, served, specification } = await added('folder');
    const catalog = await Catalog.open([storedSkills({ store: machine.store, first: { sources: [served], notices: [] } })]);
    const file = join(machine.store.folderOf(served.locked.content), 'pdf/notes/more.md');
    expect(await catalog.read('skill://pdf/notes/more.md')).toMatchObject({ contents: [{ text: 'More.\n' }] });
    chmodSync(file, 0o600);
    writeFileSync(file, 'Evil.\n');
    await expect(catalog.read('skill://pdf/notes/more.md')).rejects.toThrow('differs from footbridge.lock');
    rmSync(file);
    await expect(catalog.read('skill://pdf/notes/more.md')).rejects.toThrow();
    await get(specification, machine);
    expect(await catalog.read('skill://pdf/notes/more.md')).toMatchObject({ contents: [{ text: 'More.\n' }] });
    catalog.close();
  });

  it('accepts concurrent writes of the same tree', async () => {
    const { machine, served, specification } = await added('folder');
    await machine.store.remove(served.locked.content);
    const all = await Promise.all(Array.from({ length: 8 }, () => get(specification, machine)));
    expect(new Set(all.map(({ content }) => content))).toEqual(new Set([served.locked.content]));
    expect(await machine.store.isIntact(served.locked.content, served.locked.skills)).toBe(true);
  });

  it('distinguishes skills of the same name, whatever their folders are', async () => {
    const folders = ['a/x', 'a/y', 'b', 'c/pdf/web', 'c/web', 'deep/A/pdf', 'deep/a/pdf', 'web'];
    const machine = newMachine();
    for (const folder of folders) {
      const name = folder.endsWith('web') ? 'web' : 'pdf';
      writeFiles(join(machine.home, 'own'), { [`${folder}/SKILL.md`]: skillText(name, `In ${folder}.`) });
    }
    const found = await get('./own', machine);
    const locked = lockedOf('./own', 'folder', found);
    const catalog = await Catalog.open([
      storedSkills({ store: machine.store, first: { sources: [{ locked, location: 'project' }], notices: [] } }),
    ]);
    const texts = await Promise.all(catalog.snapshot.skills.map(async (skill) => Buffer.from((await skill.read('SKILL.md'))?.bytes ?? '')));
    expect(texts.map((text) => /In (.*)\./.exec(String(text))?.[1]).sort()).toEqual(folders.filter((folder) => folder !== 'deep/a/pdf'));
    expect(found.unusable).toMatchObject([{ path: 'deep/a/pdf', reason: expect.stringContaining('ignore case') }]);
    expect(atOnce(sourcesSteps([JSON.parse(JSON.stringify(locked))]))).toHaveLength(1);
    const again = { pin: found.pin, expected: found.content, only: found.skills.map(({ folder }) => folder) };
    expect((await get('./own', machine, again)).content).toBe(found.content);
    catalog.close();
  });

  it.each([
    ['the same folder twice', ['pdf', 'pdf']],
    ['two that differ in case', ['pdf', 'PDF']],
    ['one inside another', ['pdf', 'pdf/web']],
  ])('refuses a lock with %s', async (_title, folders) => {
    const { served } = await added('folder');
    const skills = folders.flatMap((folder) => served.locked.skills.map((skill) => ({ ...skill, folder })));
    expect(() => atOnce(sourcesSteps([{ ...served.locked, skills, content: treeDigest(skills) }]))).toThrow('it is that of another skill');
    const [skill] = served.locked.skills;
    const twice = [
      { ...skill, folder: 'pdf', name: 'pdf', description: 'About.', files: [...(skill?.files ?? []), ...(skill?.files ?? [])] },
    ];
    expect(() => atOnce(sourcesSteps([{ ...served.locked, skills: twice, content: treeDigest(twice) }]))).toThrow(
      'it is that of another file',
    );
  });

  it('reports a source that is not on this machine', async () => {
    const { served } = await added('folder');
    const catalog = await Catalog.open([storedSkills({ store: newMachine().store, first: { sources: [served], notices: [] } })]);
    expect(catalog.snapshot.skills).toEqual([]);
    expect(catalog.snapshot.notices).toMatchObject([{ rule: 'not-fetched', action: 'Run: footbridge fetch' }]);
    catalog.close();
  });
});
