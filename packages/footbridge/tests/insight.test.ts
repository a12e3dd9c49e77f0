/** Insight for administrators: which skills are used, what they cost, and which upstreams work. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PageData, PageInsight } from '../src/serve/http/page/shapes.js';
import { createMetrics } from '../src/serve/telemetry/metrics.js';
import { SkillUses, useFile } from '../src/serve/telemetry/skill-uses.js';
import { createWorld, type World } from './support/folders.js';
import { postModern, startHttp } from './support/http-server.js';
import { bearer, tokensOf } from './support/tokens.js';

const skills = (...names: readonly string[]): World => {
  const world = createWorld();
  for (const name of names) world.skill(`project/.agents/skills/${name}`);
  return world;
};
const insightAt = async (origin: string, headers: Record<string, string> = {}): Promise<PageInsight> =>
  JSON.parse(await (await fetch(`${origin}/api/insight`, { headers })).text());
const usesIn = ({ skills: all }: PageInsight) => Object.fromEntries(all.map(({ name, uses }) => [name, uses]));

describe('insight', () => {
  it('counts loads by tools and reads, and names the skill in the log and the metrics', async () => {
    const world = skills('git', 'letters', 'idle');
    world.write('project/.agents/skills/git/references/more.md', 'More.');
    const { endpoint, origin, stderr } = await startHttp(world, { args: ['--log-format', 'json'] });
    const call = (name: string, input: object) => postModern(endpoint, 'tools/call', { name, arguments: input });
    await call('skill', { name: 'GIT' });
    await call('get_skill', { uri: 'skill://git/SKILL.md' });
    await call('get_resources', { uris: ['skill://git/SKILL.md', 'skill://letters/SKILL.md'] });
    await postModern(endpoint, 'resources/read', { uri: 'skill://letters/SKILL.md' });
    // Neither a skill that does not exist, nor a file beside SKILL.md, nor the rest of a text.
    await call('skill', { name: 'nothing' });
    await call('get_resource', { uri: 'skill://git/references/more.md' });
    await call('skill', { name: 'git', offset: 2 });
    // Nor a tool with the name of a skill.
    await call('call_tool', { name: 'idle', arguments: {} });
    const insight = await insightAt(origin);
    expect(insight.counted).toBe('counted');
    expect(usesIn(insight)).toEqual({ git: 3, letters: 2, idle: 0 });
    expect(insight.skills.find(({ name }) => name === 'git')).toMatchObject({
      listTokens: expect.any(Number),
      changedAt: expect.any(String),
    });
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    expect(metrics).toContain('footbridge_skill_loads_total{skill="git"} 3');
    expect(metrics).not.toContain('nothing');
    await expect.poll(stderr).toContain('"target":"skill","subject":"GIT"');
    expect(stderr()).toContain('"subject":"skill://git/SKILL.md and 1 more"');
    expect(stderr()).toContain('"target":"call_tool","subject":"idle"');
  });

  it('is restricted to admins where callers authenticate', async () => {
    const { origin } = await startHttp(skills('git'), { config: { http: { tokens: tokensOf('admin', 'reader') } } });
    expect((await fetch(`${origin}/api/insight`)).status).toBe(401);
    expect((await fetch(`${origin}/api/insight`, { headers: bearer('reader') })).status).toBe(403);
    expect(usesIn(await insightAt(origin, bearer('admin')))).toEqual({ git: 0 });
    const dataOf = async (name: string): Promise<PageData> =>
      JSON.parse(await (await fetch(`${origin}/api/catalog`, { headers: bearer(name) })).text());
    expect([(await dataOf('admin')).insight, (await dataOf('reader')).insight]).toEqual([true, false]);
  });

  it('contains the status, tools and prompts of upstreams', async () => {
    const notes = { command: process.execPath, args: [join(import.meta.dirname, 'fixtures', 'notes-v2.mjs')] };
    const broken = { command: process.execPath, args: ['-e', 'process.exit(3)'] };
    const { origin } = await startHttp(createWorld(), { config: { mcpServers: { notes, broken } } });
    await fetch(`${origin}/api/catalog`);
    await expect.poll(async () => (await insightAt(origin)).upstreams.map(({ status }) => status)).toEqual(['available', 'unavailable']);
    const [one, other] = (await insightAt(origin)).upstreams;
    expect(one?.tools.length).toBeGreaterThan(0);
    expect(other).toMatchObject({ name: 'broken', kind: 'exited', tools: [], prompts: [] });
  });

  it('counts nothing with "usage": false', async () => {
    const world = skills('git');
    const { endpoint, origin } = await startHttp(world, { config: { usage: false } });
    await postModern(endpoint, 'tools/call', { name: 'skill', arguments: { name: 'git' } });
    expect(await insightAt(origin)).toMatchObject({ counted: 'disabled' });
    expect(usesIn(await insightAt(origin))).toEqual({ git: undefined });
  });

  it('contains the findings of lint, with line and column', async () => {
    const world = skills('git');
    world.skill('project/.agents/skills/wrong', { name: 'another-name', body: 'TODO: one.\n\nTODO: two.\n' });
    const { origin } = await startHttp(world);
    const { findings } = await insightAt(origin);
    const placesOf = (rule: string) => findings.filter((each) => each.rule === rule).map(({ place }) => place);
    expect(placesOf('name-folder')).toEqual(['.agents/skills/wrong/SKILL.md:2:7']);
    expect(placesOf('placeholder')).toEqual(['.agents/skills/wrong/SKILL.md:6:1', '.agents/skills/wrong/SKILL.md:8:1']);
    expect(JSON.stringify(findings)).not.toContain(world.project);
  });
});

describe('uses in a file', () => {
  it('are summed over processes, kept for 30 days, and contain only names and numbers', async () => {
    const world = createWorld();
    const file = world.path('home/usage/days.json');
    const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
    world.write('home/usage/days.json', JSON.stringify({ [day(40)]: { git: 7 }, [day(29)]: { git: 2, bad: 'x' }, [day(3)]: { git: 1 } }));
    const [one, other] = [new SkillUses(useFile(file)), new SkillUses(useFile(file))];
    one.add('git');
    other.add('git');
    await one.save();
    await other.save();
    expect(await one.sum()).toEqual(new Map([['git', 5]]));
    expect(JSON.parse(readFileSync(file, 'utf8'))[day(0)]).toEqual({ git: 2 });
  });

  it('are kept in memory until they can be stored', async () => {
    let works = false;
    const stored: string[] = [];
    const uses = new SkillUses({
      async add(_day, counts) {
        if (works) stored.push(...counts.keys());
        return works;
      },
      sum: async () => new Map(),
    });
    uses.add('git');
    await uses.save();
    works = true;
    uses.add('letters');
    await uses.save();
    expect(stored).toEqual(['git', 'letters']);
  });
});

it('metrics have at most 200 names of skills', async () => {
  const metrics = createMetrics();
  for (let index = 0; index < 250; index++) metrics.used(`skill-${index}`);
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('footbridge_skill_loads_total{'));
  expect(lines).toHaveLength(201);
  expect(lines).toContain('footbridge_skill_loads_total{skill="other"} 50');
});
