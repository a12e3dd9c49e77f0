/** Memory used while a large text is read in parts. */
import { Catalog, defineResources } from 'footbridge';
import { expect, it, onTestFinished } from 'vitest';
import { serverWith } from '../src/serve/server.js';
import { HostViews } from '../src/surfaces/hosts/view.js';
import { connect } from './support/memory.js';

const LINE = '2026-11-16T12:00:00Z INFO something happened, and "more" of it\n';
const SIZE = 50_000_000;

it('a log of 50 MB is read once and never copied', async () => {
  const text = Buffer.alloc(SIZE, LINE).toString('latin1');
  let reads = 0;
  const log = {
    uri: 'log://large',
    name: 'log',
    maxBytes: 2 * SIZE,
    read() {
      reads++;
      return text;
    },
  };
  const catalog = await Catalog.open([defineResources([log])]);
  onTestFinished(() => catalog.close());
  const client = await connect(serverWith({ catalog, hosts: new HostViews({ pinned: 'codex-mcp-client' }) }));
  await client.request('tools/list');
  const before = process.memoryUsage().rss;
  let most = 0;
  let offset = 0;
  for (let part = 0; part < 500; part++) {
    const { structuredContent } = await client.call('get_resource', { uri: 'log://large', offset });
    expect(structuredContent).toMatchObject({ offset, total: SIZE });
    expect(LINE.repeat(structuredContent.data.text.length / LINE.length)).toBe(structuredContent.data.text);
    offset = structuredContent.next_offset;
    client.received.length = 0;
    most = Math.max(most, process.memoryUsage().rss - before);
  }
  expect(reads).toBe(1);
  expect(most).toBeLessThan(SIZE);
});
