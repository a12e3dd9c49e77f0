/** Locked skills are checked wherever they are, even if another skill claims their name. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from './support/client.js';
import { run } from './support/command.js';
import { createWorld, type World } from './support/folders.js';
import { serveHere } from './support/serve-here.js';
import { configure, toOrder } from './support/to-order.js';

/** A repository that was cloned with its lock, which has the skills of a colleague's project alone. */
async function cloned(...skills: string[]): Promise<World> {
  const colleague = createWorld();
  for (const skill of skills) colleague.skill(`project/${skill}`);
  colleague.write('project/footbridge.json', '{ "locked": true, "skills": ["./team"] }');
  expect((await run(colleague, 'lock', '--project')).code).toBe(0);
  const world = createWorld();
  for (const file of ['footbridge.json', 'footbridge.lock'])
    world.write(`project/${file}`, readFileSync(colleague.path(`project/${file}`), 'utf8'));
  return world;
}

async function served(world: World): Promise<{ names: string[]; stderr: string }> {
  const { stderr, stdout } = await run(world, 'list', '--json');
  return { names: JSON.parse(stdout).skills.map(({ uri, origin }: Json) => `${uri} ${origin}`), stderr };
}

function linked(world: World, path: string): void {
  mkdirSync(dirname(world.path(path)), { recursive: true });
  symlinkSync(world.path('outside'), world.path(path), 'junction');
}

const OTHER = { body: 'Something else.' };

describe('a locked skill', () => {
  it('is withheld when its folder is replaced by a link to a changed one outside', async () => {
    const world = await cloned('.agents/skills/pdf');
    world.skill('outside/pdf', OTHER);
    linked(world, 'project/.agents/skills');
    const { names, stderr } = await served(world);
    expect(names).toEqual([]);
    expect(stderr).toContain('The skill "pdf" is withheld: SKILL.md differs from footbridge.lock.');
    expect((await run(world, 'verify')).code).toBe(1);
  });

  it.each([
    ['project/.agents', 'outside/skills'],
    ['project/team', 'outside'],
  ])('is withheld when %s is a link outside, and served from there if it is as it was locked', async (link, folder) => {
    const world = await cloned('.agents/skills/pdf', 'team/git');
    linked(world, link);
    for (const name of ['pdf', 'git']) world.skill(`${folder}/${name}`, OTHER);
    expect((await served(world)).names).toEqual([]);
    const name = link.endsWith('team') ? 'git' : 'pdf';
    world.skill(`${folder}/${name}`);
    expect((await served(world)).names).toEqual([expect.stringContaining(`skill://${name}/SKILL.md`)]);
    // A skill that is not in the lock.
    world.skill(`${folder}/new`);
    expect((await served(world)).names).toHaveLength(1);
  });

  it('is withheld when its folder is renamed', async () => {
    const world = await cloned('.agents/skills/pdf');
    world.skill('project/.claude/skills/pdf');
    const { names, stderr } = await served(world);
    expect(names).toEqual([]);
    expect(stderr).toContain('it comes from ./.claude/skills, but footbridge.lock has it from ./.agents/skills');
  });

  it.each([
    ['of the same name', 'pdf', {}],
    ['of the same name in other letters', 'PDF', {}],
    ['of the same bare name in a group', 'any/pdf', { name: 'pdf' }],
    ['that would contain it', 'office', {}],
    ['that would lie in it', 'pdf/inner', { name: 'inner' }],
  ])('does not lose its place to a personal one %s', async (_what, folder, fields) => {
    const world = await cloned('.claude/skills/pdf', '.claude/skills/office/sheet');
    world.skill(`home/.agents/skills/${folder}`, { ...OTHER, ...fields });
    world.skill('home/.agents/skills/mine');
    const gone = await served(world);
    expect(gone.names).toEqual(['skill://mine/SKILL.md ~/.agents/skills']);
    expect(gone.stderr).toContain('it comes from ~/.agents/skills, but footbridge.lock has it from ./.claude/skills');
    world.skill('project/.claude/skills/pdf');
    world.skill('project/.claude/skills/office/sheet');
    expect((await served(world)).names.sort()).toEqual([
      'skill://mine/SKILL.md ~/.agents/skills',
      'skill://office/sheet/SKILL.md ./.claude/skills',
      'skill://pdf/SKILL.md ./.claude/skills',
    ]);
    const host = await serveHere(world);
    expect((await host.call('skill', { name: 'pdf' })).content[0].text).toContain('Instructions of pdf.');
  });

  it('is not replaced by one of an upstream server', async () => {
    const world = await cloned('.agents/skills/pdf');
    configure(world, { docs: toOrder({ skills: ['pdf'] }) }, { locked: true });
    const host = await serveHere(world, '--config', 'footbridge.json');
    expect((await host.call('skill', { name: 'pdf' })).isError).toBe(true);
    expect((await host.call('get_resource', { uri: 'skill://pdf/SKILL.md' })).isError).toBe(true);
  });
});
