/** A server that changes its lists: when they are read again, and shown. */
import { Server } from '@modelcontextprotocol/server';
import { Catalog, upstreams } from 'footbridge';
import { expect, it, onTestFinished } from 'vitest';
import { until } from './support/http-server.js';

/** A server whose only tool has another name each time it is listed, and how often that was. */
async function changing() {
  const server = new Server({ name: 'upstream', version: '1' }, { capabilities: { tools: { listChanged: true } } });
  let reads = 0;
  server.setRequestHandler('tools/list', () => ({ tools: [{ name: `tool-${++reads}`, inputSchema: { type: 'object' } }] }));
  const source = upstreams({ servers: { docs: { server } } });
  const catalog = await Catalog.open([source]);
  onTestFinished(async () => {
    catalog.close();
    await source.end();
  });
  await source.listed();
  const shown = () => catalog.snapshot.tools.map(({ entry }) => entry.name);
  return { announce: () => server.sendToolListChanged(), reads: () => reads, shown };
}

it('the first change is shown at once, and the last one in the end', async () => {
  const { announce, reads, shown } = await changing();
  expect(shown()).toEqual(['tool-1']);
  const before = performance.now();
  await announce();
  await until(() => shown()[0] === 'tool-2');
  expect(performance.now() - before).toBeLessThan(200);
  // While the list is read, and while it is not.
  for (let count = 0; count < 3; count++) await announce();
  await until(() => reads() > 2 && shown()[0] === `tool-${reads()}`);
});

it('a server that changes its list without end is read less and less often', async () => {
  const { announce, reads, shown } = await changing();
  const flood = setInterval(() => void announce(), 1);
  onTestFinished(() => clearInterval(flood));
  await new Promise((resolve) => setTimeout(resolve, 2000));
  // At once, then after 250, 500 and 1,000 ms.
  expect(reads()).toBeGreaterThan(2);
  expect(reads()).toBeLessThanOrEqual(6);
  clearInterval(flood);
  const before = reads();
  await until(() => reads() > before && shown()[0] === `tool-${reads()}`);
});
