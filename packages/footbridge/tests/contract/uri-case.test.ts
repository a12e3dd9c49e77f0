/** URIs whose scheme and host differ in case from the listed ones. */
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { Catalog, createServer, defineResource, defineResources, footbridge, upstreams } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { contributionOf, FakeUpstream, sourceOf } from '../support/fake-upstream.js';
import { connect, type MemoryClient } from '../support/memory.js';

/** A server that compares URIs letter by letter, and lists one of them with capitals. */
function exactServer(): McpServer {
  const server = new McpServer({ name: 'exact', version: '1' });
  const text = (uri: URL, text: string) => ({ contents: [{ uri: uri.href, text }] });
  server.registerResource('guide', 'docs://Library/Guide', {}, async (uri) => text(uri, 'the guide'));
  server.registerResource('other', 'docs://library/guide', {}, async (uri) => text(uri, 'another path'));
  const page = new ResourceTemplate('docs://Pages/{name}', { list: undefined });
  server.registerResource('page', page, {}, async (uri, { name }) => text(uri, `page ${name}`));
  return server;
}

async function serveCatalog(source: Parameters<typeof Catalog.open>[0][number]): Promise<MemoryClient> {
  const catalog = await Catalog.open([source]);
  onTestFinished(() => catalog.close());
  return connect(createServer({ catalog }));
}

const WAYS: readonly [string, () => Promise<MemoryClient>][] = [
  [
    'resources written in code',
    () =>
      serveCatalog(
        defineResources([
          defineResource({ uri: 'docs://Library/Guide', name: 'guide', read: () => 'the guide' }),
          defineResource({ uri: 'docs://library/guide', name: 'other', read: () => 'another path' }),
          defineResource({ uri: 'docs://Pages/{name}', name: 'page', read: ({ name }) => `page ${name}` }),
        ]),
      ),
  ],
  ["an author's server", () => connect(footbridge(exactServer()))],
  ['an upstream', () => serveCatalog(upstreams({ servers: { one: { server: exactServer() } } }))],
];

describe.each(WAYS)('scheme and host of a URI are case-insensitive for %s', (way, serve) => {
  it.each([
    ['DOCS://library/Guide', 'docs://Library/Guide', 'the guide'],
    ['docs://LIBRARY/Guide', 'docs://Library/Guide', 'the guide'],
    ['Docs://LIBRARY/guide', 'docs://library/guide', 'another path'],
    ['docs://pages/One', 'docs://Pages/One', 'page One'],
    ['DOCS://PAGES/one', 'docs://Pages/one', 'page one'],
  ])('%s reads %s', async (uri, listed, text) => {
    const client = await serve();
    const { structuredContent } = await client.call('get_resource', { uri });
    expect(structuredContent).toMatchObject({ success: true, uri: listed, data: { text } });
    expect((await client.call('get_resources', { uris: [uri] })).structuredContent.results).toMatchObject([
      { success: true, data: { text } },
    ]);
    // An author's own server answers resources/read itself.
    if (way === "an author's server") return;
    expect((await client.request('resources/read', { uri })).result.contents).toEqual([{ uri: listed, ...mime(way), text }]);
  });

  it.each(['docs://Library/GUIDE', 'docs://Library/guide/', 'docs://Pagez/one'])('the path is case-sensitive: %s', async (uri) => {
    const client = await serve();
    expect((await client.call('get_resource', { uri })).structuredContent).toMatchObject({ success: false });
  });

  it('an exact match comes first', async () => {
    const client = await serve();
    for (const [uri, text] of [
      ['docs://Library/Guide', 'the guide'],
      ['docs://library/guide', 'another path'],
    ])
      expect((await client.call('get_resource', { uri })).structuredContent).toMatchObject({ uri, data: { text } });
  });
});

const mime = (way: string) => (way === 'an upstream' ? {} : { mimeType: 'text/plain' });

it("forwards reads and subscriptions with the upstream's own spelling", async () => {
  const read = (_method: string, { uri }: { uri: string }) => ({ contents: [{ uri, text: uri }] });
  const upstream = new FakeUpstream('one', { resources: ['docs://Library/Guide'], templates: ['docs://Pages/{name}'], answer: read });
  const client = await serveCatalog(sourceOf(contributionOf([upstream])).source);
  await client.request('resources/read', { uri: 'DOCS://library/Guide' });
  await client.request('resources/read', { uri: 'DOCS://pages/A%20b' });
  await client.request('resources/subscribe', { uri: 'docs://LIBRARY/Guide' });
  expect(upstream.asked).toEqual([
    ['resources/read', { uri: 'docs://Library/Guide' }],
    ['resources/read', { uri: 'docs://Pages/A%20b' }],
    ['watch', 'docs://Library/Guide'],
  ]);
});

it('reports updates of a resource that was subscribed to in another case', async () => {
  const source = defineResources([defineResource({ uri: 'docs://Library/Guide', name: 'guide', read: () => '' })]);
  const client = await serveCatalog(source);
  await client.request('resources/subscribe', { uri: 'DOCS://library/Guide' });
  source.updated('docs://Library/Guide');
  await client.waitFor(() => client.count('notifications/resources/updated') === 1);
  await client.request('resources/unsubscribe', { uri: 'docs://LIBRARY/Guide' });
  source.updated('docs://Library/Guide');
  await client.request('ping');
  expect(client.count('notifications/resources/updated')).toBe(1);
});
