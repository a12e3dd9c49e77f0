/** An unknown name among thousands. */
import { Catalog, createServer, skillFolders } from 'footbridge';
import { expect, it, onTestFinished } from 'vitest';
import { createWorld } from '../support/folders.js';
import { connect } from '../support/memory.js';

it('the skill tool lists the nearest of 2,000 names first, in bounded time', { timeout: 60_000 }, async () => {
  const world = createWorld();
  for (let at = 0; at < 2000; at++) world.skill(`project/team/bulk-${at}`);
  const catalog = await Catalog.open([skillFolders({ folders: [world.path('project/team')], standardFolders: false, watch: false })]);
  onTestFinished(() => catalog.close());
  const client = await connect(createServer({ catalog }));
  const listed = async (name: string) => {
    const { content, isError } = await client.call('skill', { name });
    expect(isError).toBe(true);
    return [...content[0].text.matchAll(/^- (\S+):/gm)].map(([, each]: RegExpMatchArray) => each);
  };
  // A call does not wait long for names that are not prepared yet.
  await expect.poll(async () => (await listed('bulk-19999'))[0]).toBe('bulk-1999');
  expect((await listed('bulk-2000')).slice(0, 5)).toContain('bulk-200');
  expect((await listed('bulk1234'))[0]).toBe('bulk-1234');
  // A hostile name is cut before it is compared.
  const begin = performance.now();
  await listed('bulk-'.repeat(20_000));
  expect(performance.now() - begin).toBeLessThan(10_000);
});
