/** A skill that exists but cannot be read is temporarily unavailable, before and after the next scan. */
import { chmodSync, statSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Json, type RawClient, VERSIONS } from './support/client.js';
import { createWorld } from './support/folders.js';
import { until } from './support/http-server.js';
import { serve, textOf } from './support/server.js';

const URI = 'skill://office/pdf/SKILL.md';

/** Every way to ask for the skill, with what it answers. */
async function answers(client: RawClient): Promise<readonly (readonly [string, string])[]> {
  const error = ({ error: found, result }: Json) => JSON.stringify(found ?? result);
  return [
    ['skill', textOf(await client.call('skill', { name: 'pdf' }))],
    ['skill, qualified', textOf(await client.call('skill', { name: 'Office:PDF' }))],
    ['get_skill', textOf(await client.call('get_skill', { uri: URI }))],
    ['get_resource', JSON.stringify((await client.call('get_resource', { uri: URI })).structuredContent)],
    ['resources/read', error(await client.request('resources/read', { uri: URI }))],
    ['prompts/get', error(await client.request('prompts/get', { name: 'pdf' }))],
  ];
}

describe.runIf(process.platform !== 'win32')('a skill that exists but cannot be read', () => {
  it.each([
    ['its file', 'project/.agents/skills/office/pdf/SKILL.md', 0],
    ['its folder', 'project/.agents/skills/office/pdf', 0],
    ['its folder, after two seconds without a change', 'project/.agents/skills/office/pdf', 2000],
    ['the folder around it', 'project/.agents/skills/office', 0],
    ['the configured folder', 'project/.agents/skills', 0],
    ['a folder above that', 'project/.agents', 0],
  ])('is still temporarily unavailable after the next scan, because of the permissions of %s', async (_, path, age) => {
    const world = createWorld();
    const { ctimeMs } = statSync(world.skill('project/.agents/skills/office/pdf'));
    world.skill('home/.agents/skills/other');
    // What has not changed for a while is kept after it was read.
    await until(() => Date.now() - ctimeMs > age);
    const client = await serve(world, { unprivileged: true, args: ['--prompts'] });
    expect((await client.call('skill', { name: 'pdf' })).isError ?? false).toBe(false);
    const place = world.path(path);
    onTestFinished(() => chmodSync(place, 0o755));
    chmodSync(place, 0o000);
    for (const [way, answer] of await answers(client)) expect(answer, way).toContain('temporarily unavailable');
    // The scan leaves it out of the list.
    const listed = async () => textOf(await client.call('list_skills', {}));
    await client.waitFor(async () => !(await listed()).includes(URI));
    expect(await listed()).toContain('skill://other/SKILL.md');
    for (const [way, answer] of await answers(client)) {
      expect(answer, way).toContain('temporarily unavailable');
      expect(answer, way).not.toContain(world.project);
    }
    const { structuredContent } = await client.call('get_resource', { uri: URI });
    expect(structuredContent).toMatchObject({ success: false, error: 'ResourceExecutionError', retryable: true });
    expect(textOf(await client.call('skill', { name: 'invented' }))).toContain('not found');
    chmodSync(place, 0o755);
    await client.waitFor(async () => (await listed()).includes(URI));
    expect((await client.call('skill', { name: 'pdf' })).isError ?? false).toBe(false);
  });

  it('is listed as temporarily unavailable from the start, by its folder name', async () => {
    const world = createWorld();
    chmodSync(world.skill('project/.agents/skills/office/pdf'), 0o000);
    const client = await serve(world, { unprivileged: true, args: ['--prompts'] });
    for (const [way, answer] of await answers(client)) expect(answer, way).toContain('temporarily unavailable');
  });

  it.each(VERSIONS)('is skipped with its folder, and each is logged as an error, in protocol %s', async (version) => {
    const world = createWorld();
    world.skill('project/.claude/skills/good');
    chmodSync(world.skill('project/.claude/skills/secret'), 0o000);
    world.skill('home/.claude/skills/hidden');
    chmodSync(world.path('home/.claude/skills'), 0o000);
    const client = await serve(world, { version, unprivileged: true });
    expect((await client.call('skill', { name: 'good' })).isError).not.toBe(true);
    expect((await client.call('skill', { name: 'secret' })).isError).toBe(true);
    expect(client.stderr).toMatch(/^footbridge error: \S+secret\/SKILL\.md: It cannot be read \(EACCES\)/m);
    expect(client.stderr).toMatch(/^footbridge error: \S+\.claude\/skills: It cannot be read \(EACCES\)/m);
    chmodSync(world.path('home/.claude/skills'), 0o755);
  });
});
