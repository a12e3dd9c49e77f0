/** Changes on disk are served at once and completely, and announced only when a list differs. */
import { mkdirSync, renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MODERN_VERSION, type RawClient } from './support/client.js';
import { createWorld } from './support/folders.js';
import { serve, textOf } from './support/server.js';

const TOOLS = 'notifications/tools/list_changed';
const RESOURCES = 'notifications/resources/list_changed';
const PROMPTS = 'notifications/prompts/list_changed';
/** Takes a moment, and on a busy machine a few; the folders are looked at without a sign after half a minute only. */
const AT_ONCE = 15_000;

/** Long enough for a start, and for what follows a change, to be over: then only the watching can tell. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 600));

const names = async (client: RawClient) =>
  (await client.request('resources/list')).result.resources.map((resource: { name: string }) => resource.name).sort();

describe.each(['2025-11-25', MODERN_VERSION] as const)('changes in skill folders, protocol %s', (version) => {
  it('notifies subscribers of a skill of its update, and of no other', async () => {
    const world = createWorld();
    for (const name of ['one', 'two']) world.skill(`project/.agents/skills/${name}`);
    const client = await serve(world, { version });
    await client.listen(['skill://one/SKILL.md']);
    await settled();
    world.skill('project/.agents/skills/two', { body: 'Another text.\n' });
    world.skill('project/.agents/skills/one', { body: 'Another text.\n' });
    await client.waitFor(() => client.count('notifications/resources/updated') > 0, AT_ONCE);
    await settled();
    const reported = client.notifications.filter(({ method }) => method === 'notifications/resources/updated');
    expect(reported.map(({ params }) => params?.['uri'])).toEqual(['skill://one/SKILL.md']);
  });

  it('shows an added, edited, renamed and removed skill at once, with list_changed for both lists', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/one');
    const client = await serve(world, { version, args: ['--prompts'] });
    await client.listen();
    await settled();
    const steps: [what: string, change: () => void, seen: () => Promise<boolean>][] = [
      ['added', () => world.skill('project/.agents/skills/two'), async () => (await names(client)).includes('two')],
      [
        'edited',
        () => world.skill('project/.agents/skills/two', { description: 'Something else entirely' }),
        async () => JSON.stringify((await client.call('list_skills', {})).structuredContent).includes('Something else entirely'),
      ],
      [
        'renamed',
        () => {
          renameSync(world.path('project/.agents/skills/two'), world.path('project/.agents/skills/three'));
          world.skill('project/.agents/skills/three');
        },
        async () => (await names(client)).join() === 'one,three',
      ],
      ['removed', () => world.remove('project/.agents/skills/three'), async () => (await names(client)).join() === 'one'],
    ];
    for (const [what, change, seen] of steps) {
      const before = [TOOLS, RESOURCES, PROMPTS].map((method) => client.count(method));
      change();
      await client.waitFor(seen, AT_ONCE);
      await client.waitFor(
        () => [TOOLS, RESOURCES, PROMPTS].every((method, index) => client.count(method) > (before[index] ?? 0)),
        AT_ONCE,
      );
      expect(client.stderr, what).toBe('');
    }
  });

  it('detects the first skill in standard folders that did not exist, however deep the missing part', async () => {
    const world = createWorld();
    const client = await serve(world, { version });
    await client.listen();
    await settled();
    world.skill('home/.claude/skills/first');
    await client.waitFor(async () => (await names(client)).join() === 'first', AT_ONCE);
    await settled();
    mkdirSync(world.path('project/.agents'));
    await settled();
    world.skill('project/.agents/skills/second');
    await client.waitFor(async () => (await names(client)).join() === 'first,second', AT_ONCE);
    await client.waitFor(() => client.count(TOOLS) >= 2);
  });

  it('announces nothing when no list differs', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/one', { body: 'aaaa\n' });
    const client = await serve(world, { version });
    await client.listen();
    await settled();
    world.skill('project/.agents/skills/one', { body: 'bbbb\n' });
    world.write('project/.agents/skills/one/notes.txt', 'a supporting file');
    await client.waitFor(async () => textOf(await client.call('skill', { name: 'one' })).endsWith('bbbb\n'));
    await settled();
    expect([client.count(TOOLS), client.count(RESOURCES)]).toEqual([0, 0]);
    world.skill('project/.agents/skills/one', { body: 'longer than before\n' });
    await client.waitFor(() => client.count(RESOURCES) === 1);
    expect(client.count(TOOLS)).toBe(0);
  });
});

// What is seen does not depend on the protocol.
describe('the watch of skill folders', () => {
  it('detects a skill whose folder existed before its file, and one in a new group', async () => {
    const world = createWorld();
    mkdirSync(world.path('project/.agents/skills/later'), { recursive: true });
    const client = await serve(world, { args: ['--skills', world.path('outside/team')] });
    await client.waitFor(() => client.stderr.includes('The folder does not exist'));
    await settled();
    world.skill('project/.agents/skills/later');
    await client.waitFor(async () => (await names(client)).join() === 'later', AT_ONCE);
    await settled();
    world.skill('outside/team/office/pdf');
    await client.waitFor(async () => (await names(client)).join() === 'later,pdf', AT_ONCE);
    await settled();
    mkdirSync(world.path('outside/team/empty/group/slow'), { recursive: true });
    await settled();
    world.skill('outside/team/empty/group/slow');
    await client.waitFor(async () => (await names(client)).join() === 'later,pdf,slow', AT_ONCE);
  });

  it('keeps watching a skill, a group and a whole folder that were replaced', async () => {
    const world = createWorld();
    world.skill('project/.claude/skills/one');
    world.skill('outside/team/office/pdf');
    const client = await serve(world, { args: ['--skills', world.path('outside/team')] });
    await client.waitFor(async () => (await names(client)).join() === 'one,pdf');
    const edits: [what: string, replace: () => void, edit: () => void][] = [
      [
        'a skill that was installed again',
        () => {
          world.remove('project/.claude/skills/one');
          world.skill('project/.claude/skills/one');
        },
        () => world.skill('project/.claude/skills/one', { description: 'edit 1' }),
      ],
      [
        'a group that was moved away and made again',
        () => {
          renameSync(world.path('outside/team/office'), world.path('outside/office.old'));
          world.skill('outside/team/office/pdf');
        },
        () => world.skill('outside/team/office/pdf', { description: 'edit 2' }),
      ],
      [
        'a configured folder, removed and made again at once',
        () => {
          world.remove('outside/team');
          world.skill('outside/team/office/pdf');
        },
        () => world.skill('outside/team/office/pdf', { description: 'edit 3' }),
      ],
      [
        'the folder above a standard one',
        () => {
          world.skill('project/next/skills/one');
          renameSync(world.path('project/.claude'), world.path('project/old'));
          renameSync(world.path('project/next'), world.path('project/.claude'));
        },
        () => world.skill('project/.claude/skills/one', { description: 'edit 4' }),
      ],
    ];
    for (const [index, [what, replace, edit]] of edits.entries()) {
      await settled();
      replace();
      await settled();
      edit();
      await client
        .waitFor(
          async () => JSON.stringify((await client.call('list_skills', {})).structuredContent).includes(`edit ${index + 1}`),
          AT_ONCE,
        )
        .catch((cause: unknown) => {
          throw new Error(`${what}: ${String(cause)}`);
        });
    }
  });
});
