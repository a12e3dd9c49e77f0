import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createWorld } from './support/folders.js';
import { serveHere } from './support/serve-here.js';

const SKILLS = 'project/.agents/skills';

it.each([
  ['beside each other', (index: number) => `folder-${index}`],
  ['in each other, in groups', (index: number) => join(`group-${index % 20}`, `folder-${index}`)],
])('a skill with more than 512 folders %s is served as tools and resources, and left out of the extension', async (_how, folderAt) => {
  const world = createWorld();
  world.skill(`${SKILLS}/small`);
  mkdirSync(world.path(`${SKILLS}/small/empty`));
  world.skill(`${SKILLS}/wide`);
  for (let index = 0; index < 600; index++) mkdirSync(world.path(join(SKILLS, 'wide', folderAt(index))), { recursive: true });
  const host = await serveHere(world);
  const { skills } = (await host.request('skills/list')).result;
  expect(skills.map(({ uri }: { uri: string }) => uri)).toEqual(['skill://small/SKILL.md']);
  expect((await host.call('skill', { name: 'wide' })).isError).not.toBe(true);
  expect((await host.request('resources/read', { uri: 'skill://wide/SKILL.md' })).result.contents).toHaveLength(1);
});
