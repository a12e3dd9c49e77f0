/** Calls continue while skill folders change. */
import { describe, expect, it } from 'vitest';
import { createWorld } from './support/folders.js';
import { serve } from './support/server.js';

describe('calls while the folders change', () => {
  it('all of 1,000 calls during 100 changes succeed', async () => {
    const world = createWorld();
    for (let index = 0; index < 30; index++) world.skill(`project/.agents/skills/steady-${index}`);
    const client = await serve(world, {});
    const seen = new Set<string>();
    let calls = 0;
    let failures = 0;
    const callAll = async () => {
      const index = calls++ % 30;
      const results = await Promise.all([
        client.call('skill', { name: `steady-${index}` }),
        client.call('get_skill', { uri: `skill://steady-${index}/SKILL.md` }),
        client.request('resources/read', { uri: `skill://steady-${index}/SKILL.md` }),
        client.request('tools/list'),
      ]);
      if (results[0].isError === true || results[1].isError === true || results[2].error !== undefined) failures++;
      seen.add(results[3].result.tools[0].description);
    };
    // Calls go on from before each change until the rescan that it caused has been seen.
    for (let change = 0; change < 100; change++) {
      world.skill(`project/.agents/skills/moving-${change}`);
      if (change > 2) world.remove(`project/.agents/skills/moving-${change - 3}`);
      await client.waitFor(async () => {
        await callAll();
        return [...seen].at(-1)?.includes(`<name>moving-${change}</name>`) === true;
      });
    }
    while (calls < 1000) await callAll();
    expect(failures).toBe(0);
    expect(seen.size).toBeGreaterThanOrEqual(100);
    for (const description of seen) expect(description.match(/<name>steady-/g)).toHaveLength(30);
  }, 120_000);
});
