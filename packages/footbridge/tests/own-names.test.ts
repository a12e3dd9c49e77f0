/** Built-in tools keep their names next to our own content, whatever an upstream calls its tools. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Json } from './support/client.js';
import { run } from './support/command.js';
import { createWorld, type World } from './support/folders.js';
import { postModern, startHttp, until } from './support/http-server.js';
import { type Host, serveHere } from './support/serve-here.js';
import { configure, toOrder, wrapped } from './support/to-order.js';

const OURS = ['skill', 'list_skills', 'get_skill', 'get_resource', 'get_resources', 'get_prompt'];
const LOOKALIKES = [
  'Skill',
  'LIST_SKILLS',
  'get-skill',
  'get\u200b_resource',
  'ｓｋｉｌｌ',
  's\u043aill',
  'skiIl',
  'sk\u00ecll',
  'l\u0456st\u2010skills',
  'get_ski11',
  '\ua4e2kill',
  's k i l l',
  'skill_',
  'get:skill',
  'getSkill',
  'get.skill',
  'g-e-t/skill',
  'get_prornpt',
  `skill${'\u200b'.repeat(80)}`,
  'sk\u0131ll\u3164',
];

async function toolsOf(host: Host): Promise<string[]> {
  return (await host.request('tools/list')).result.tools.map(({ name }: Json) => name);
}

/** The tools once the upstream has listed its own, of which this is one. */
async function toolsWith(host: Host, expected: string): Promise<string[]> {
  await until(async () => (await toolsOf(host)).includes(expected));
  return toolsOf(host);
}

function withSkill(): World {
  const world = createWorld();
  world.skill('project/.agents/skills/pdf');
  return world;
}

const serve = (world: World, ...args: string[]) => serveHere(world, '--config', 'footbridge.json', ...args);

describe('a single upstream with tools named like built-in ones', () => {
  it('does not replace a tool that serves locked skills', async () => {
    const world = withSkill();
    configure(world, { docs: toOrder({ name: 'docs', toolNames: [...OURS, 'search'], prompts: ['greet'] }) }, { locked: true });
    await run(world, 'lock');
    const host = await serve(world);
    expect(await toolsWith(host, 'search')).toEqual([...OURS.map((name) => `docs__${name}`), 'search', ...OURS]);
    expect((await host.call('skill', { name: 'pdf' })).content[0].text).toContain('Instructions of pdf.');
    expect((await host.call('get_skill', { uri: 'skill://pdf/SKILL.md' })).structuredContent.text).toContain('Instructions of pdf.');
    expect((await host.call('get_resource', { uri: 'skill://pdf/SKILL.md' })).content[0].text).toContain('Instructions of pdf.');
    expect((await host.call('list_skills', {})).structuredContent.skills).toHaveLength(1);
    expect(JSON.parse((await host.call('docs__skill', { name: 'pdf' })).content[0].text)).toMatchObject({ tool: 'skill' });
    expect(JSON.parse((await host.call('search', {})).content[0].text)).toMatchObject({ tool: 'search' });
  });

  it('does not replace it while those skills are withheld', async () => {
    const world = withSkill();
    configure(world, { docs: toOrder({ name: 'docs', toolNames: ['skill'] }) }, { locked: true });
    await run(world, 'lock');
    world.write('project/.agents/skills/pdf/SKILL.md', '---\nname: pdf\ndescription: Other\n---\nOther');
    const host = await serve(world);
    expect(await toolsWith(host, 'docs__skill')).not.toContain('skill');
    expect((await host.call('skill', { name: 'pdf' })).isError).toBe(true);
  });

  it('cannot imitate a built-in name with other letters, separators or invisible characters', async () => {
    const world = withSkill();
    configure(world, { docs: toOrder({ toolNames: LOOKALIKES }) });
    const host = await serve(world);
    const tools = await toolsWith(host, 'docs__Skill');
    expect(tools.filter((name) => !OURS.includes(name))).toEqual(LOOKALIKES.map((name) => `docs__${name}`));
    for (const name of LOOKALIKES) await expect(host.call(name, {}), name).rejects.toThrow('Unknown tool');
  });

  it('keeps other names, also those of other scripts where there is nothing else', async () => {
    const names = ['search', 'files/read', 'skills-lint', 'load_skill', 'get_skill_usage', '\u691c\u7d22'];
    const world = withSkill();
    configure(world, { docs: toOrder({ name: 'docs', toolNames: names, noResources: true }) });
    const tools = await toolsWith(await serve(world), 'search');
    expect(tools.filter((name) => !OURS.includes(name))).toEqual([...names.slice(0, -1), 'docs__\u691c\u7d22']);
    world.remove('project/.agents');
    expect(await toolsWith(await serve(world), 'search')).toEqual(names);
  });

  it('gets a prefix while there is other content, and its own names again afterwards', async () => {
    const world = createWorld();
    configure(world, { docs: toOrder({ toolNames: ['skill', 'search'], noResources: true }) });
    const host = await serve(world);
    expect(await toolsWith(host, 'search')).toEqual(['skill', 'search']);
    world.skill('project/.agents/skills/pdf');
    await until(() => host.notifications.includes('notifications/tools/list_changed'));
    expect(await toolsWith(host, 'docs__skill')).toContain('skill');
    expect((await host.call('skill', { name: 'pdf' })).content[0].text).toContain('Instructions of pdf.');
    world.remove('project/.agents');
    await until(async () => !(await toolsOf(host)).includes('docs__skill'));
    expect(await toolsOf(host)).toEqual(['skill', 'search']);
  });

  it('keeps its names when wrapped alone, but not with --skills', async () => {
    const world = withSkill();
    const command = toOrder({ toolNames: ['skill'], name: 'docs', noResources: true });
    expect(await toolsWith(await serveHere(world, ...wrapped(command)), 'skill')).toEqual(['skill']);
    const beside = await serveHere(world, ...wrapped(command, '--skills', './.agents/skills'));
    expect(await toolsWith(beside, 'to-order__skill')).toContain('skill');
  });

  it('cannot replace the prompt of a skill', async () => {
    const world = withSkill();
    configure(world, { docs: toOrder({ name: 'docs', prompts: ['pdf', 'PDF', 'greet'] }) });
    const host = await serve(world, '--prompts');
    const prompts = async () => (await host.request('prompts/list')).result.prompts.map(({ name }: Json) => name);
    await until(async () => (await prompts()).includes('greet'));
    expect(await prompts()).toEqual(['docs__pdf', 'docs__PDF', 'greet', 'pdf']);
    const text = async (name: string) => JSON.stringify((await host.request('prompts/get', { name })).result);
    expect(await text('pdf')).toContain('Instructions of pdf.');
    expect(await text('PDF')).toContain('Instructions of pdf.');
    expect(await text('docs__pdf')).not.toContain('Instructions of pdf.');
  });
});

it('a role that may call a built-in tool neither sees nor calls an upstream tool of the same name', async () => {
  const world = withSkill();
  const sha256 = createHash('sha256').update('token-ada').digest('hex');
  const { endpoint } = await startHttp(world, {
    args: ['--config', 'footbridge.json'],
    config: {
      mcpServers: { docs: toOrder({ toolNames: ['skill', 'search'] }) },
      http: {
        tokens: [{ name: 'ada', sha256, roles: ['reader'] }],
        roles: { reader: { skills: ['other'], resources: [], tools: ['skill', 'search'] } },
      },
    },
  });
  const ask = async (method: string, params = {}) =>
    (await postModern(endpoint, method, params, { headers: { authorization: 'Bearer token-ada' } })).message;
  await until(async () => (await ask('tools/list')).result.tools.length > 0);
  expect((await ask('tools/list')).result.tools.map(({ name }: Json) => name)).toEqual(['search']);
  expect(JSON.stringify(await ask('tools/call', { name: 'skill', arguments: { name: 'pdf' } }))).not.toContain('pid');
});

it('one of two upstreams without a prefix cannot replace a built-in name either', async () => {
  const world = createWorld();
  configure(world, {
    one: { ...toOrder({ toolNames: ['get_resource'] }), prefix: '' },
    two: { ...toOrder({ toolNames: ['skill'], uris: ['two://a'] }), prefix: 'get_' },
  });
  const host = await serve(world);
  for (const name of ['one__get_resource', 'two__skill', 'get_resource']) expect(await toolsWith(host, name)).toContain(name);
  expect((await host.call('get_resource', {})).structuredContent).toMatchObject({ success: true, resource_name: 'Available Resources' });
});
