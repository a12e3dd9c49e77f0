/** Which skills each host's model sees, within the limits of that host. */
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { Catalog, skillFolders, upstreams } from 'footbridge';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { serverWith } from '../src/serve/server.js';
import { HOST_PROFILES, type HostProfile } from '../src/surfaces/hosts/profile.js';
import { HostViews } from '../src/surfaces/hosts/view.js';
import type { ToolChoice } from '../src/surfaces/tools/index.js';
import type { Json, RawClient, Version } from './support/client.js';
import { contributionOf, FakeUpstream, type ServerParts, sourceOf } from './support/fake-upstream.js';
import { createWorld, type World } from './support/folders.js';
import { connect } from './support/memory.js';
import { serve } from './support/server.js';

const WORDS = 'review contracts migrate databases deploy clusters draft letters chart budgets test interfaces'.split(' ');

interface Sample {
  readonly name: string;
  readonly description: string;
}

/** Names and descriptions of the lengths that public skills have. */
function samples(count: number): readonly Sample[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `${WORDS[index % 12]}-${WORDS[(index * 5 + 3) % 12]}-${index}`;
    const length = 80 + ((index * 37) % 11) * 34;
    return {
      name,
      description: `Number ${index}. ${`Use it to ${WORDS[index % 12]} & ${WORDS[(index * 7) % 12]}; `.repeat(20).slice(0, length).trim()}`,
    };
  });
}

function worldOf(skills: readonly Sample[], atEnd?: Parameters<typeof createWorld>[0]): World {
  const world = createWorld(atEnd);
  for (const { name, description } of skills) world.skill(`project/team/${name}`, { description: JSON.stringify(description) });
  return world;
}

/** What the model of a host sees before its first call: our tools and instructions, after the host's cuts. */
async function seenBy(client: RawClient, profile: HostProfile): Promise<string> {
  const { tools } = (await client.request('tools/list')).result;
  const shown = tools
    .filter((tool: Json) => !profile.defersTools || profile.host === 'Qwen Code' || tool._meta?.['anthropic/alwaysLoad'] === true)
    .map((tool: Json) => {
      const properties = Object.values<Json>(tool.inputSchema.properties).map(({ description = '' }) =>
        description.length > profile.parameterDescription ? '' : description,
      );
      return [tool.description.slice(0, profile.toolDescription), ...properties].join('\n');
    });
  const text = [String(client.handshake?.instructions ?? '').slice(0, profile.instructions), ...shown].join('\n');
  // The contract escapes descriptions.
  return text.replaceAll('&amp;', '&');
}

function counts(text: string, skills: readonly Sample[]) {
  const named = skills.filter(({ name }) => text.includes(name));
  return { named: named.length, described: named.filter(({ description }) => text.includes(description)).length };
}

describe.each([
  [10, { named: 10, described: 10 }],
  [50, { named: 50, described: 50 }],
  [200, { named: 200, described: 40 }],
  [1000, { named: 150, described: 20 }],
])('of %i skills', (count, least) => {
  const skills = samples(count);
  let world: World;
  const ends: (() => void)[] = [];
  beforeAll(() => {
    world = worldOf(skills, (end) => ends.push(end));
  });
  afterAll(() => {
    for (const end of ends) end();
  });

  it.each(Object.entries(HOST_PROFILES))('the model of %s gets', async (clientName, profile) => {
    const client = await serve(world, { clientName, args: ['--skills', 'team'] });
    const found = counts(await seenBy(client, profile), skills);
    expect(found.named).toBeGreaterThanOrEqual(least.named);
    expect(found.described).toBeGreaterThanOrEqual(least.described);
    expect(String(client.handshake.instructions).length).toBeLessThan(2000);
    expect(Buffer.byteLength(JSON.stringify((await client.request('tools/list')).result))).toBeLessThan(20_000);
  });
});

describe('the budget', () => {
  const skillsWith = (count: number, description: (index: number) => string): readonly Sample[] =>
    Array.from({ length: count }, (_, index) => ({ name: `skill-number-${index}-of-many`, description: description(index) }));
  const sentences = (index: number, length: number) =>
    `Number ${index}. ${'Use it to review contracts and letters. '.repeat(9)}`.slice(0, length).trim();
  const found = async (skills: readonly Sample[], clientName: string, config: Json = {}) => {
    const world = worldOf(skills);
    world.write('project/footbridge.json', JSON.stringify({ skills: ['team'], ...config }));
    return counts(await seenBy(await serve(world, { clientName }), new HostViews().profileOf(clientName)), skills);
  };

  it.each([
    ['claude-code', 250],
    ['claude-code', 300],
    ['codex-mcp-client', 300],
    ['kilo', 300],
  ])('describes 45 of 200 skills for %s with %i characters each', async (clientName, length) => {
    const skills = skillsWith(200, (index) => sentences(index, length));
    expect(await found(skills, clientName)).toEqual({ named: 200, described: 45 });
    // A smaller budget is meant.
    const { described, named } = await found(skills, clientName, { catalogue: { budget: 12_000 } });
    expect(named).toBe(200);
    expect(described).toBeLessThan(30);
  });

  it.each(['claude-code', 'codex-mcp-client', 'someone'])(
    'describes those with short descriptions first where few fit, for %s',
    async (clientName) => {
      const skills = skillsWith(200, (index) => sentences(index, index % 4 === 3 ? 140 : 319));
      const { described, named } = await found(skills, clientName);
      expect(named).toBe(200);
      expect(described).toBeGreaterThanOrEqual(50);
    },
  );

  it.each(['claude-code', 'codex-mcp-client', 'someone'])('counts characters of every script alike for %s', async (clientName) => {
    const skills = skillsWith(50, (index) => `${index}：${'請求書を作成し画像から文字を読み取ります。'.repeat(10)}`);
    expect(await found(skills, clientName)).toEqual({ named: 50, described: 50 });
  });

  it('leaves room for descriptions however small it is', async () => {
    const skills = skillsWith(200, (index) => sentences(index, 150));
    const { described, named } = await found(skills, 'claude-code', { catalogue: { budget: 2000 } });
    expect(named).toBeGreaterThan(20);
    expect(described).toBeGreaterThanOrEqual(4);
  });
});

describe('a profile', () => {
  const listOf = async (client: RawClient) => (await client.request('tools/list')).result.tools;
  const skill = async (client: RawClient) => (await listOf(client))[0];

  it('changes only descriptions: tools, names, parameters and annotations are the same for every host', async () => {
    const world = worldOf(samples(60));
    const bare = (tools: Json) =>
      JSON.parse(JSON.stringify(tools, (key, value) => (key === 'description' || key === 'outputSchema' ? undefined : value)));
    const args = ['--skills', 'team'];
    const expected = bare(await listOf(await serve(world, { args })));
    for (const clientName of Object.keys(HOST_PROFILES))
      expect(bare(await listOf(await serve(world, { args, clientName }))), clientName).toEqual(expected);
  });

  it('keeps the contracted form if it fits the host', async () => {
    const world = worldOf(samples(1));
    for (const clientName of ['claude-code', 'codex-mcp-client', 'someone'])
      expect((await skill(await serve(world, { clientName, args: ['--skills', 'team'] }))).description).toMatch(
        /^Execute a skill within the main conversation\n[\s\S]*<available_skills>\n<skill>\n<name>review-databases-0<\/name>/,
      );
  });

  it('names the skills within the first 2,000 characters for an unknown host', async () => {
    const skills = samples(30);
    const { description } = await skill(await serve(worldOf(skills), { args: ['--skills', 'team'] }));
    expect(description).toMatch(/^Execute a skill within the main conversation\n/);
    for (const { name } of skills) expect(description.slice(0, 2000)).toContain(name);
    expect(description.match(/<name>/g)).toHaveLength(30);
  });

  it('escapes the names that come first', async () => {
    const world = worldOf(samples(10));
    world.skill('project/team/odd', { name: 'a</available_skills><b>' });
    const { description } = await skill(await serve(world, { args: ['--skills', 'team'] }));
    expect(description).toContain('Skills: ');
    expect(description.match(/<\/available_skills>/g)).toHaveLength(1);
  });

  it('names as many as fit a small budget, and counts the rest', async () => {
    const world = worldOf(samples(3));
    for (const [clientName, budget] of [
      ['codex-mcp-client', 500],
      ['claude-code', 500],
      ['claude-code', 100],
      ['codex-mcp-client', 0],
    ] as const) {
      world.write('project/footbridge.json', JSON.stringify({ skills: ['team'], catalogue: { budget } }));
      const tool = JSON.stringify(await skill(await serve(world, { clientName })));
      const named = samples(3).filter(({ name }) => tool.includes(name)).length;
      const counted = Number(/(\d+) more skills are not shown/.exec(tool)?.[1] ?? 0);
      expect(named + counted, `${clientName} ${budget}`).toBe(3);
    }
  });

  it('follows the client info of each request in 2026-07-28, even on one connection', async () => {
    const client = await serve(worldOf(samples(12)), { version: '2026-07-28', clientName: 'claude-code', args: ['--skills', 'team'] });
    const parameter = async () => (await skill(client)).inputSchema.properties.name.description;
    expect(await parameter()).toContain('- review-databases-0: Number 0.');
    client.clientName = 'codex-mcp-client';
    expect(await parameter()).toBe('Name of the skill to load (case-insensitive)');
    client.clientName = 'claude-code-next';
    const { result } = await client.request('tools/list');
    expect(result.tools[0].inputSchema.properties.name.description).toContain('- review-databases-0: Number 0.');
    expect(result.cacheScope).toBe('private');
  });

  it.each<Version>(['2024-11-05', '2025-11-25'])('is that of initialize in %s', async (version) => {
    const client = await serve(worldOf(samples(12)), { version, clientName: 'claude-code', args: ['--skills', 'team'] });
    expect((await skill(client)).inputSchema.properties.name.description).toContain('- review-databases-0: Number 0.');
    expect(client.handshake.instructions).toContain('review-databases-0');
  });

  it('can be pinned on the command line, added and overridden in footbridge.json', async () => {
    const world = worldOf(samples(12));
    const pinned = await serve(world, { clientName: 'someone', args: ['--skills', 'team', '--host-profile', 'claude-code'] });
    expect((await skill(pinned)).inputSchema.properties.name.description).toContain('- review-databases-0');
    const hosts = { 'my-host': { toolDescription: 1500 }, 'codex-mcp-client': { toolDescription: 1500, parameterDescription: 9000 } };
    world.write('project/footbridge.json', JSON.stringify({ skills: ['team'], hosts, catalogue: { budget: 4000 } }));
    for (const clientName of ['my-host-2', 'codex-mcp-client']) {
      const { description, inputSchema } = await skill(await serve(world, { clientName }));
      expect(description.length).toBeLessThanOrEqual(1500);
      expect(inputSchema.properties.name.description).toContain('- review-databases-0');
      expect(description.length + inputSchema.properties.name.description.length).toBeLessThan(4000);
    }
    world.write('project/footbridge.json', JSON.stringify({ skills: ['team'], hosts: { unmeasured: { toolDescription: 1500 } } }));
    expect((await skill(await serve(world, { clientName: 'someone' }))).description.length).toBeLessThanOrEqual(1500);
    await expect(serve(world, { args: ['--host-profile', 'cloude-code'] })).rejects.toThrow(
      "Unknown host profile 'cloude-code'. Did you mean 'claude-code'?",
    );
  });
});

describe('the order of the catalogue', () => {
  const entries = (client: RawClient) =>
    client
      .request('tools/list')
      .then(({ result }) =>
        [...result.tools[0].inputSchema.properties.name.description.matchAll(/^- ([\w-]+):/gm)].map(([, name]) => name),
      );

  it('has project skills before personal ones, then those used most, then names', async () => {
    const world = createWorld();
    for (const name of ['zeta', 'beta', 'alpha']) world.skill(`project/.agents/skills/${name}`, { description: `Does ${name} things` });
    for (const name of ['aaa', 'bbb'])
      world.skill(`home/.agents/skills/${name}`, { description: `Does ${name} things ${'well '.repeat(220)}` });
    const first = await serve(world, { clientName: 'claude-code' });
    expect(await entries(first)).toEqual(['alpha', 'beta', 'zeta', 'aaa', 'bbb']);
    for (const name of ['zeta', 'zeta', 'beta', 'bbb']) await first.call('skill', { name });
    expect(await entries(first)).toEqual(['alpha', 'beta', 'zeta', 'aaa', 'bbb']);
    await first.close();
    expect(await entries(await serve(world, { clientName: 'claude-code' }))).toEqual(['zeta', 'beta', 'alpha', 'bbb', 'aaa']);
  });

  it('describes a skill that is used however long its description is', async () => {
    const world = worldOf(samples(150));
    world.skill('project/team/zz-favourite', { description: `The favourite. ${'It explains itself at length. '.repeat(14)}` });
    const options = { clientName: 'codex-mcp-client', args: ['--skills', 'team'] };
    const first = await serve(world, options);
    const description = async (client: RawClient) => (await client.request('tools/list')).result.tools[0].description;
    expect(await description(first)).not.toContain('- zz-favourite:');
    await first.call('skill', { name: 'zz-favourite' });
    await first.close();
    expect(await description(await serve(world, options))).toContain('- zz-favourite: The favourite.');
  });

  it('counts nothing with "usage": false, and survives a damaged file', async () => {
    const world = createWorld();
    for (const name of ['beta', 'alpha'])
      world.skill(`project/.agents/skills/${name}`, { description: `Does ${name} things ${'well '.repeat(150)}` });
    const file = `${world.home}/.local/state/footbridge/usage/skills.json`;
    const config = world.write('project/footbridge.json', '{ "usage": false }');
    const silent = await serve(world, { clientName: 'claude-code' });
    await silent.call('skill', { name: 'beta' });
    await silent.close();
    expect(existsSync(file)).toBe(false);
    writeFileSync(config, '{}');
    const counting = await serve(world, { clientName: 'claude-code' });
    await counting.call('skill', { name: 'beta' });
    await counting.close();
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['beta']);
    writeFileSync(file, '{"beta": {"score": "many"}, "alpha": []');
    expect(await entries(await serve(world, { clientName: 'claude-code' }))).toEqual(['alpha', 'beta']);
  });
});

describe('a skill in a folder that the host reads itself', () => {
  const catalogue = async (client: RawClient) =>
    JSON.stringify([(await client.request('tools/list')).result.tools[0], client.handshake?.instructions]);

  it('is omitted from the catalogue, but can be found and loaded', async () => {
    const world = createWorld();
    world.skill('project/.claude/skills/theirs', { description: 'Known to Claude Code' });
    world.skill('home/.claude/skills/personal', { description: 'Known to Claude Code too' });
    world.skill('project/.agents/skills/ours', { description: 'Unknown to Claude Code' });
    const client = await serve(world, { clientName: 'claude-code' });
    expect(await catalogue(client)).toContain('ours');
    expect(await catalogue(client)).not.toMatch(/theirs|personal/);
    expect((await client.call('list_skills', {})).structuredContent.skills).toHaveLength(3);
    expect((await client.call('skill', { name: 'theirs' })).isError).toBeUndefined();
    const codex = await catalogue(await serve(world, { clientName: 'codex-mcp-client' }));
    expect(codex).toMatch(/theirs[\s\S]*personal|personal[\s\S]*theirs/);
    expect(codex).not.toContain('ours');
    world.write('project/footbridge.json', '{ "native": "serve" }');
    expect(await catalogue(await serve(world, { clientName: 'claude-code' }))).toMatch(/theirs/);
  });

  it('is omitted at any depth that the host searches', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/group/nested');
    world.skill('project/.agents/skills/a/b/c/d/e/f/deepest');
    world.skill('project/.claude/skills/group/other');
    world.skill('project/.claude/skills-of-mine/beside');
    const shown = async (clientName: string) => {
      const text = await catalogue(await serve(world, { clientName, args: ['--skills', '.claude/skills-of-mine'] }));
      return ['nested', 'deepest', 'other', 'beside'].filter(
        (name) => text.includes(`Does ${name}`) || text.includes(`- ${name}:`) || text.includes(`<name>${name}<`),
      );
    };
    expect(await shown('codex-mcp-client')).toEqual(['deepest', 'other', 'beside']);
    expect(await shown('opencode')).toEqual(['beside']);
    expect(await shown('kilo')).toEqual(['beside']);
    expect(await shown('claude-code')).toEqual(['nested', 'deepest', 'other', 'beside']);
    world.write('project/footbridge.json', JSON.stringify({ hosts: { 'claude-code': { skillDepth: 2 } } }));
    expect(await shown('claude-code')).toEqual(['nested', 'deepest', 'beside']);
  });

  it('is listed where other programs may skip it', async () => {
    const world = createWorld();
    world.write('project/.agents/skills/colon/SKILL.md', '---\nname: colon\ndescription: Use when: the user asks\n---\n');
    world.skill('project/.agents/skills/long', { description: 'Far too long. '.repeat(90) });
    world.skill('project/.agents/skills/good');
    const text = await catalogue(await serve(world, { clientName: 'codex-mcp-client' }));
    expect(text).toMatch(/<name>colon<[\s\S]*<name>long</);
    expect(text).not.toContain('<name>good<');
  });

  it('leaves no empty list behind, which would mean that there are none', async () => {
    const world = createWorld();
    for (const name of ['one', 'two']) world.skill(`project/.agents/skills/${name}`);
    const client = await serve(world, { clientName: 'codex-mcp-client' });
    const [{ description }] = (await client.request('tools/list')).result.tools;
    expect(description).not.toContain('available_skills');
    expect(description).toMatch(/Load one with \{ "name": "<skill name>" \} .* `list_skills` searches all of them\.$/);
    expect(client.handshake.instructions).toContain('look for a fitting skill with `list_skills`, load it with `skill`');
  });

  it('does not change the form of the list of the others, however many it hides', async () => {
    const world = createWorld();
    for (let index = 0; index < 250; index++) world.skill(`project/.agents/skills/theirs-${index}`);
    for (let index = 0; index < 3; index++) world.skill(`project/.claude/skills/ours-${index}`);
    const client = await serve(world, { clientName: 'codex-mcp-client' });
    const [{ description }] = (await client.request('tools/list')).result.tools;
    expect(description).toMatch(/^Execute a skill within the main conversation\n/);
    expect(description.match(/<name>/g)).toHaveLength(3);
  });

  it('is omitted when it is linked or copied there, but not when another skill has its name', async () => {
    const world = createWorld();
    for (const name of ['linked', 'copied', 'other']) world.skill(`project/.agents/skills/${name}`, { description: `The ${name} one` });
    world.write('project/.claude/skills/readme.txt', '');
    symlinkSync('../../.agents/skills/linked', world.path('project/.claude/skills/linked'));
    cpSync(world.path('project/.agents/skills/copied'), world.path('project/.claude/skills/copied'), { recursive: true });
    world.skill('project/.claude/skills/other', { description: 'A different one with the same name' });
    const text = await catalogue(await serve(world, { clientName: 'claude-code' }));
    expect(text).toContain('other');
    expect(text).not.toMatch(/linked|copied/);
  });
});

describe('instructions, before the lists of several servers are known', () => {
  async function instructions(parts: ServerParts, tools: ToolChoice = {}): Promise<string> {
    const servers = ['docs', 'code'].map((name) => new FakeUpstream(name, { prefix: name, ...parts }));
    const catalog = await Catalog.open([sourceOf(contributionOf(servers)).source]);
    onTestFinished(() => catalog.close());
    const client = await connect(serverWith({ catalog, tools }));
    const clientInfo = { name: 'claude-code', version: '1' };
    return (await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })).result.instructions;
  }

  it('name the tools that are enabled', async () => {
    const text = await instructions({ isListed: false });
    for (const name of ['skill', 'list_skills', 'get_skill', 'get_resource']) expect(text).toContain(`\`${name}\``);
    const some = await instructions({ isListed: false }, { list_skills: false, get_resource: false });
    expect(some).toContain('`skill`');
    expect(some).not.toMatch(/list_skills|get_resource/);
  });

  it('name only what is listed once they are known', async () => {
    expect(await instructions({ isListed: true })).toBe('Footbridge serves Agent Skills and resources.');
  });
});

describe('instructions, with one upstream that has its own', () => {
  async function instructions(world: World): Promise<string> {
    const server = new McpServer({ name: 'docs', version: '1' }, { instructions: 'Search the docs first.' });
    server.registerTool('search', { description: 'Searches' }, () => ({ content: [] }));
    const upstream = upstreams({ servers: { docs: { server } } });
    const skills = skillFolders({ folders: [world.path('project/team')], standardFolders: false, watch: false });
    const catalog = await Catalog.open([skills, upstream]);
    onTestFinished(async () => {
      catalog.close();
      await upstream.end();
    });
    await upstream.complete();
    const client = await connect(serverWith({ catalog, hosts: new HostViews({ pinned: 'claude-code' }) }));
    const clientInfo = { name: 'claude-code', version: '1' };
    return (await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })).result.instructions;
  }

  it('name the skills before they quote the upstream, within the limit of the host', async () => {
    const world = worldOf(samples(300));
    const text = await instructions(world);
    expect(text).toMatch(/^Footbridge serves[\s\S]*Skills: budgets-[\s\S]*more\.\n\nSearch the docs first\.$/);
    expect(text.length).toBeLessThan(2048);
  });

  it('are those of the upstream without skills of our own', async () => {
    const world = createWorld();
    world.write('project/team/readme.txt', '');
    expect(await instructions(world)).toBe('Search the docs first.');
  });
});
