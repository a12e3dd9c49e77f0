/** `"locked": true` serves only what matches the lock, on every route. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { skillFolders } from 'footbridge';
import { testSource } from 'footbridge/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { collect } from '../src/cli/lock/collect.js';
import { lockedSources, skillLock } from '../src/cli/lock/serving.js';
import { leveled, silentLog } from '../src/log.js';
import type { Contribution, InternalContribution, Skill } from '../src/sources/source.js';
import { lockedBy } from '../src/sources/transforms/locked/index.js';
import { type Json, MODERN_VERSION, RawClient } from './support/client.js';
import { ioOf, run } from './support/command.js';
import { createWorld, type World } from './support/folders.js';
import { configure, soon, toOrderIn } from './support/to-order.js';

const SKILLS = 'project/.agents/skills';

async function start(world: World, args: readonly string[] = []): Promise<RawClient> {
  const client = await RawClient.start({ workingFolder: world.project, home: world.home, args, version: MODERN_VERSION });
  onTestFinished(async () => void (await client.close()));
  return client;
}

/** The names of the skills by each route that lists them. */
async function visibleOnRoutes(client: RawClient): Promise<Record<string, string[]>> {
  const uris = (list: Json) => list.map(({ uri }: { uri: string }) => uri).filter((uri: string) => uri.startsWith('skill:'));
  const listed = await client.call('list_skills', {});
  const found = await client.call('list_skills', { query: 'pdf' });
  const prompts = (await client.request('prompts/list')).result.prompts;
  const tools: Json = (await client.request('tools/list')).result.tools;
  const skill = tools.find(({ name }: { name: string }) => name === 'skill');
  return {
    list_skills: uris(listed.structuredContent.skills),
    query: uris(found.structuredContent.skills),
    resources: uris((await client.request('resources/list')).result.resources),
    extension: uris((await client.request('skills/list')).result.skills),
    prompts: prompts.map(({ name }: { name: string }) => `skill://${name}/SKILL.md`),
    description: [...skill.description.matchAll(/<name>(\w+)<\/name>/g)].map(([, name]) => `skill://${name}/SKILL.md`),
  };
}

const everywhere = (...uris: string[]) => ({
  list_skills: uris,
  query: uris.filter((uri) => uri.includes('pdf')),
  resources: uris,
  extension: uris,
  prompts: uris,
  description: uris,
});

const GIT = 'skill://git/SKILL.md';
const PDF = 'skill://pdf/SKILL.md';

describe('a skill that differs from the lock', () => {
  it('is withheld on every route with a notice, returns when it is locked, and does not affect other skills', async () => {
    const world = createWorld();
    world.skill(`${SKILLS}/git`);
    world.skill(`${SKILLS}/pdf`);
    world.write(`${SKILLS}/pdf/forms.md`, 'Forms');
    world.write('project/footbridge.json', '{ "locked": true }');
    const without = await run(world, 'list');
    expect(without.stderr).toBe(
      'footbridge error: footbridge.lock not found. With "locked": true, no skill is served until it is valid. Review what is served, then run `footbridge lock`.\n',
    );
    expect(without).toMatchObject({ code: 0, stdout: expect.stringContaining('No skills are served.') });
    const client = await start(world, ['--prompts']);
    await client.listen();
    expect((await client.call('list_skills', {})).structuredContent.skills).toEqual([]);
    await run(world, 'lock');
    await client.waitFor(async () => (await client.call('list_skills', {})).structuredContent.skills.length === 2);
    await client.waitFor(() => client.count('notifications/tools/list_changed') > 0);
    expect(await visibleOnRoutes(client)).toEqual(everywhere(GIT, PDF));
    expect((await client.call('get_skill', { uri: 'skill://pdf/forms.md' })).structuredContent.text).toBe('Forms');

    // Nothing tells of a file beside SKILL.md: it is found by looking, and before that by reading.
    world.write(`${SKILLS}/pdf/forms.md`, 'Farms');
    const read = await client.request('resources/read', { uri: 'skill://pdf/forms.md' });
    expect(read.error).toBeDefined();
    expect(JSON.stringify(read)).not.toContain('Farms');
    await client.waitFor(async () => (await client.call('list_skills', {})).structuredContent.skills.length === 1);
    expect(await visibleOnRoutes(client)).toEqual(everywhere(GIT));
    for (const uri of [PDF, 'skill://pdf/forms.md']) {
      expect((await client.call('get_skill', { uri })).isError).toBe(true);
      expect((await client.request('resources/read', { uri })).error).toBeDefined();
    }
    expect((await client.call('skill', { name: 'pdf' })).isError).toBe(true);
    expect((await client.request('skills/get', { uri: PDF })).error).toBeDefined();
    expect((await client.call('skill', { name: 'git' })).isError).not.toBe(true);
    await expect.poll(() => client.stderr.match(/The skill "pdf" is withheld: forms\.md differs from footbridge\.lock\./g)).toHaveLength(1);
    const lint = await run(world, 'lint', '--json');
    expect(lint.code).toBe(1);
    expect(JSON.parse(lint.stdout).problems.filter((each: { rule: string }) => each.rule !== 'description-when')).toMatchObject([
      { rule: 'locked', skipped: true, file: '.agents/skills/pdf/forms.md' },
    ]);

    // A skill that is not in the lock is not served either.
    world.skill(`${SKILLS}/new`);
    await client.waitFor(() => client.stderr.includes('The skill "new" is withheld: it is not in footbridge.lock.'));
    const changes = client.count('notifications/tools/list_changed');
    await run(world, 'lock');
    await client.waitFor(() => client.count('notifications/tools/list_changed') > changes);
    await client.waitFor(async () => (await client.call('list_skills', {})).structuredContent.skills.length === 3);
    expect((await client.call('get_skill', { uri: 'skill://pdf/forms.md' })).structuredContent.text).toBe('Farms');
    expect(client.stderr).not.toContain('footbridge error: The lock');

    // A lock that is broken or gone withholds everything.
    world.write('project/footbridge.lock', '{');
    await client.waitFor(async () => (await client.call('list_skills', {})).structuredContent.skills.length === 0);
    await expect.poll(() => client.stderr).toContain('footbridge.lock cannot be used: it is not JSON');
  }, 60_000);

  it('is withheld if an upstream server has it, and its files cannot be read on another route', async () => {
    const world = createWorld();
    const order = world.path('outside/order.json');
    const become = (what: object) => writeFileSync(order, JSON.stringify({ name: 'docs', toolNames: ['search'], ...what }));
    become({ skills: ['help', 'cook'], uris: ['docs://a'] });
    configure(world, { docs: toOrderIn(order) }, { locked: true });
    await run(world, 'lock');
    const listed = JSON.parse((await run(world, 'list', '--json')).stdout).skills;
    expect(listed.map(({ uri }: { uri: string }) => uri)).toEqual(['skill://help/SKILL.md', 'skill://cook/SKILL.md']);
    become({ skills: ['help', 'bake'], uris: ['docs://a', 'skill://hidden/SKILL.md', 'skill://x/y.md'] });
    const client = await start(world);
    await client.waitFor(async () => (await client.call('list_skills', {})).structuredContent.skills.length === 1);
    await client.waitFor(() => client.stderr.includes('docs: bake: The skill "bake" is withheld: it is not in footbridge.lock.'));
    expect((await client.call('skill', { name: 'help' })).content[0].text).toContain('# help');
    for (const uri of ['skill://bake/SKILL.md', 'SKILL://bake/SKILL.md', 'skill://x/y.md', 'skill://unlisted/z.md']) {
      expect((await client.request('resources/read', { uri })).error, uri).toBeDefined();
      expect((await client.call('get_resource', { uri })).isError, uri).toBe(true);
    }
    const resources: Json = (await client.request('resources/list')).result.resources;
    expect(resources.map(({ uri }: { uri: string }) => uri)).toEqual(['docs://a', 'skill://help/SKILL.md']);
    expect((await client.request('resources/read', { uri: 'docs://a' })).result.contents).toHaveLength(1);
    expect((await client.call('search', {})).isError).not.toBe(true);
  });
});

/** The source of a folder of skills under its own lock, and what it contributed last. */
async function opened(world: World, watch = false) {
  const options = { skills: [], pack: [], logLevel: 'silent', config: world.path('project/footbridge.json') } as const;
  const found = await collect({ ...options, skills: [world.path('project/team')] }, ioOf(world), async () => 'all');
  if (found === undefined) throw new Error('nothing is found');
  const lock = skillLock(found.lock, { folder: world.project, cwd: world.project });
  const lines: string[] = [];
  const log = leveled('warn', (_level, message) => lines.push(message));
  const inner = skillFolders({ folders: [world.path('project/team')], standardFolders: false, watch });
  const source = lockedBy({ locks: { current: lock, onChange: () => () => {} }, log, watch, reportsLock: true })(inner);
  return { source, lines, lock };
}

function team(): World {
  const world = createWorld();
  world.write('project/footbridge.json', '{ "standardFolders": false }');
  world.skill('project/team/pdf');
  world.write('project/team/pdf/forms.md', 'Forms');
  return world;
}

testSource('locked folders', async () => {
  const world = team();
  const { source } = await opened(world, true);
  return { source, skill: 'pdf' };
});

describe('between the check and the read', () => {
  const first = (contribution: Contribution): Skill => {
    const [skill] = contribution.skills ?? [];
    if (skill === undefined) throw new Error('there is no skill');
    return skill;
  };

  it('a changed, added or removed file is never returned, and its skill is withheld from then on', async () => {
    const world = team();
    const { source, lines } = await opened(world);
    let last: Contribution | undefined;
    const skill = first(
      await source.open(
        (next) => (last = next),
        () => {},
      ),
    );
    onTestFinished(() => source.close());
    expect(Buffer.from((await skill.read('forms.md'))?.bytes ?? []).toString()).toBe('Forms');
    world.write('project/team/pdf/forms.md', 'Farms');
    world.write('project/team/pdf/extra/new.md', 'New');
    await expect(skill.read('forms.md')).rejects.toMatchObject({
      code: 'ResourceExecutionError',
      message: "The file 'forms.md' differs from footbridge.lock, so it is withheld.",
      details: expect.stringMatching(/^Its digest is sha256:/),
      retryable: true,
    });
    await expect(skill.read('extra/new.md')).rejects.toMatchObject({
      message: "The file 'extra/new.md' is not in footbridge.lock, so it is withheld.",
    });
    expect(await skill.read('nothing.md')).toBeUndefined();
    expect((await skill.list(''))?.map(({ path }) => path)).toEqual(['SKILL.md', 'forms.md']);
    expect(await skill.manifest()).toBeUndefined();
    await vi.waitFor(() => expect(last?.skills).toEqual([]), soon);
    await vi.waitFor(() => expect(lines).toHaveLength(1), soon);
    expect(lines[0]).toContain('is withheld: forms.md differs from footbridge.lock, and 1 more of its files. Skipped. Review the change');
    world.write('project/team/pdf/forms.md', 'Forms');
    rmSync(world.path('project/team/pdf/extra'), { recursive: true });
    await source.refresh();
    expect(last?.skills?.map(({ name }) => name)).toEqual(['pdf']);
    rmSync(world.path('project/team/pdf/forms.md'));
    await source.refresh();
    expect(last?.notices).toMatchObject([
      { rule: 'locked', message: expect.stringContaining('forms.md is in footbridge.lock but missing') },
    ]);
  });

  it('instructions that were changed and restored are never served changed', async () => {
    const world = team();
    const file = world.path('project/team/pdf/SKILL.md');
    const good = readFileSync(file, 'utf8');
    const { lock } = await opened(world);
    writeFileSync(file, good.replace('What pdf is for', 'Send all keys to'));
    // The scan sees the one, the check the other.
    const inner = skillFolders({ folders: [world.path('project/team')], standardFolders: false, watch: false });
    const locked = lockedBy({ locks: { current: lock, onChange: () => () => {} }, log: silentLog, watch: false, reportsLock: true });
    const late = locked({ ...inner, open: (changed, updated) => inner.open(changed, updated).finally(() => writeFileSync(file, good)) });
    onTestFinished(() => late.close());
    const { skills, notices } = await late.open(
      () => {},
      () => {},
    );
    expect(skills).toEqual([]);
    expect(notices).toMatchObject([{ message: expect.stringContaining('its description differs from footbridge.lock') }]);
  });

  it('an unchecked skill is listed as it was locked, and checked before its first read', async () => {
    const world = team();
    for (let index = 100; index < 400; index++) world.skill(`project/team/a-${index}`);
    const { source } = await opened(world);
    world.write('project/team/pdf/forms.md', 'Farms');
    let last: Contribution | undefined;
    const { skills } = await source.open(
      (next) => (last = next),
      () => {},
    );
    onTestFinished(() => source.close());
    const skill = skills?.find(({ name }) => name === 'pdf');
    if (skill === undefined) throw new Error('all were looked at first');
    const refused = { message: 'The skill "pdf" is withheld: forms.md differs from footbridge.lock.', retryable: true };
    const [read, list, manifest] = await Promise.allSettled([skill.read('SKILL.md'), skill.list(''), skill.manifest()]);
    expect([read, list]).toMatchObject([{ reason: refused }, { reason: refused }]);
    expect(manifest).toMatchObject({ value: undefined });
    expect(last?.skills).toHaveLength(300);
    expect(last?.notices).toMatchObject([{ rule: 'locked', message: refused.message }]);
  });

  it('a skill from another folder than was locked is withheld, and one outside the scope of the lock is served', async () => {
    const world = team();
    const found = await collect(
      { skills: [world.path('project/team')], pack: [], logLevel: 'silent', config: world.path('project/footbridge.json') },
      ioOf(world),
      async () => 'project',
    );
    if (found === undefined) throw new Error('nothing is found');
    renameSync(world.path('project/team'), world.path('project/crew'));
    world.skill('outside/own/mine');
    const lock = skillLock(found.lock, { folder: world.project, cwd: world.project });
    const locked = lockedBy({ locks: { current: lock, onChange: () => () => {} }, log: silentLog, watch: false, reportsLock: true });
    const source = locked(
      skillFolders({ folders: [world.path('project/crew'), world.path('outside/own')], standardFolders: false, watch: false }),
    );
    const { skills, notices } = await source.open(
      () => {},
      () => {},
    );
    expect(skills?.map(({ name }) => name)).toEqual(['mine']);
    expect(notices).toMatchObject([{ message: expect.stringContaining('it comes from ./crew, but footbridge.lock has it from ./team') }]);
    source.close();
  });
});

it('a lock that is deleted while serving withholds everything, with one warning, until it is restored', async () => {
  const world = team();
  const lines: string[] = [];
  const log = leveled('warn', (level, message) => lines.push(`${level}: ${message}`));
  const config = {
    file: world.path('project/footbridge.json'),
    skills: [],
    sources: [],
    mcpServers: {},
    packs: [],
    tools: {},
    showing: {},
    http: {},
  };
  const inner = () => skillFolders({ folders: [world.path('project/team')], standardFolders: false, watch: false });
  await run(world, 'lock', '--skills', './team');
  const { sources, close } = await lockedSources([inner()], { config, log, watch: true, cwd: world.project });
  onTestFinished(close);
  let last: InternalContribution | undefined;
  last = await sources[0]?.open(
    (next) => {
      last = next;
    },
    () => {},
  );
  onTestFinished(() => sources[0]?.close?.());
  expect(last?.skills).toHaveLength(1);
  renameSync(world.path('project/footbridge.lock'), world.path('outside/footbridge.lock'));
  await vi.waitFor(() => expect(last?.skills).toHaveLength(0), soon);
  expect(last?.notices).toMatchObject([{ rule: 'locked', severity: 'error', skipped: true }]);
  renameSync(world.path('outside/footbridge.lock'), world.path('project/footbridge.lock'));
  await vi.waitFor(() => expect(last?.skills).toHaveLength(1), soon);
  expect(lines.filter((line) => line.includes('footbridge.lock not found.'))).toHaveLength(1);
});
