/** Changes of long lists, which make the next snapshot in several turns. */
import { Catalog, type CatalogChange } from 'footbridge';
import { expect, it, onTestFinished } from 'vitest';
import type { StaticResource } from '../src/sources/resource.js';
import type { InternalContribution, InternalSource } from '../src/sources/source.js';
import { until } from './support/http-server.js';

const MANY = 5000;

/** Resources with a name that tells the round. */
function contributionOf(round: number, count = MANY): InternalContribution {
  const resources = Array.from({ length: count }, (_, at): StaticResource => {
    const uri = `test://item/${at}`;
    return {
      entry: { uri, name: `item ${at} of ${round}` },
      category: 'test',
      requiresAdmin: false,
      read: async () => ({ contents: [{ uri, text: String(round) }] }),
    };
  });
  return { resources };
}

async function open() {
  let change: ((next: InternalContribution) => unknown) | undefined;
  const source: InternalSource = {
    name: 'test',
    open: async (onChange) => {
      change = onChange;
      return contributionOf(0);
    },
    refresh: async () => void change?.(contributionOf(99)),
    close() {},
  };
  const catalog = await Catalog.open([source]);
  onTestFinished(() => catalog.close());
  return { catalog, change: (next: InternalContribution) => change?.(next) };
}

const roundsIn = ({ snapshot }: Catalog) => new Set(snapshot.resources.map(({ entry }) => entry.name.split(' ').at(-1)));

it('keeps the snapshot until the next one is complete', async () => {
  const { catalog, change } = await open();
  const seen: (string | undefined)[][] = [];
  const changes: CatalogChange[] = [];
  catalog.onChange((each) => changes.push(each));
  change(contributionOf(1));
  expect([...roundsIn(catalog)]).toEqual(['0']);
  while (changes.length === 0) {
    seen.push([...roundsIn(catalog)]);
    await new Promise(setImmediate);
  }
  expect([...roundsIn(catalog)]).toEqual(['1']);
  expect(seen.every((rounds) => rounds.length === 1)).toBe(true);
  expect(changes[0]?.resources.changed).toHaveLength(MANY);
});

it('ends with the last of several changes, short lists among them', async () => {
  const { catalog, change } = await open();
  const changes: CatalogChange[] = [];
  catalog.onChange((each) => changes.push(each));
  change(contributionOf(1));
  change(contributionOf(2, 3));
  change(contributionOf(3));
  change(contributionOf(4, 10));
  await until(() => catalog.snapshot.resources.length === 10);
  expect([...roundsIn(catalog)]).toEqual(['4']);
  expect(changes.at(-1)?.snapshot).toBe(catalog.snapshot);
  for (const [at, { previous }] of changes.entries()) if (at > 0) expect(previous).toBe(changes[at - 1]?.snapshot);
});

it('has what a refresh has found', async () => {
  const { catalog } = await open();
  await catalog.refresh();
  expect([...roundsIn(catalog)]).toEqual(['99']);
});

it('reports a change to a listener that comes while the snapshot is made', async () => {
  const { catalog, change } = await open();
  change(contributionOf(1, 10 * MANY));
  await new Promise(setImmediate);
  expect([...roundsIn(catalog)]).toEqual(['0']);
  const changes: CatalogChange[] = [];
  catalog.onChange((each) => changes.push(each));
  await until(() => changes.length > 0);
  expect(changes[0]?.resources.added).toHaveLength(9 * MANY);
});

it('reports nothing after it is closed', async () => {
  const { catalog, change } = await open();
  const changes: CatalogChange[] = [];
  catalog.onChange((each) => changes.push(each));
  change(contributionOf(1));
  await new Promise(setImmediate);
  catalog.close();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(changes).toEqual([]);
  expect([...roundsIn(catalog)]).toEqual(['0']);
});
