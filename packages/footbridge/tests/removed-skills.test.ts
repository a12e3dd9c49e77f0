/** Skills whose folders are removed before the next scan. */
import { Catalog, createServer, skillFolders } from 'footbridge';
import { expect, it, onTestFinished } from 'vitest';
import { createWorld } from './support/folders.js';
import { connect } from './support/memory.js';

async function withRemoved() {
  const world = createWorld();
  for (const name of ['kept', 'removed']) {
    world.skill(`project/skills/${name}`);
    world.write(`project/skills/${name}/references/more.md`, 'More.');
  }
  const catalog = await Catalog.open([skillFolders({ folders: [world.path('project/skills')], standardFolders: false, watch: false })]);
  onTestFinished(() => catalog.close());
  const client = await connect(createServer({ catalog }));
  return { world, client };
}

const REMOVED = 'skill://removed/SKILL.md';

it('skills/list leaves out a skill that is being removed', async () => {
  const { client, world } = await withRemoved();
  const listed = async () => (await client.request('skills/list')).result?.skills.map(({ uri }: { uri: string }) => uri);
  expect(await listed()).toEqual(['skill://kept/SKILL.md', REMOVED]);
  world.remove('project/skills/removed/references');
  expect(await listed()).toEqual(['skill://kept/SKILL.md', REMOVED]);
  world.remove('project/skills/removed');
  expect(await listed()).toEqual(['skill://kept/SKILL.md']);
});

it('no answer about a skill that is being removed contains a path', async () => {
  const { client, world } = await withRemoved();
  world.remove('project/skills/removed');
  for (const [method, params] of [
    ['skills/get', { uri: REMOVED }],
    ['resources/read', { uri: REMOVED }],
    ['resources/read', { uri: 'skill://removed/references/more.md' }],
    ['resources/directory/read', { uri: 'skill://removed' }],
    ['resources/directory/read', { uri: 'skill://removed/references' }],
    ['resources/list', {}],
  ] as const) {
    const answer = await client.request(method, params);
    if (method !== 'resources/list') expect(answer.error?.code, `${method} ${JSON.stringify(answer)}`).toBe(-32602);
    else expect(answer.result.resources).toHaveLength(2);
  }
  for (const [name, args] of [
    ['skill', { name: 'removed' }],
    ['get_skill', { uri: REMOVED }],
    ['get_resource', { uri: REMOVED }],
  ] as const)
    await client.call(name, args);
  expect(JSON.stringify(client.received)).not.toContain(world.project);
});
