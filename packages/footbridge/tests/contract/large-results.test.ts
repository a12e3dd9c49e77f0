/** Results of more than 256 Ki characters. */
import { createHash } from 'node:crypto';
import { Catalog, createServer, defineResources } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../support/client.js';
import { connect } from '../support/memory.js';

const LIMIT = 256 * 1024;
const TEXT = `${'a line with an é and a 😀\n'.repeat(80_000)}end`;
const BLOB = new Uint8Array(400_000).map((_, at) => at % 251);
const JSON_TEXT = JSON.stringify({ list: 'x'.repeat(LIMIT) });

async function serve() {
  const source = defineResources([
    { uri: 'test://text', name: 'text', mimeType: 'text/markdown', read: () => TEXT },
    { uri: 'test://blob', name: 'blob', mimeType: 'application/zip', read: () => BLOB },
    { uri: 'test://json', name: 'json', mimeType: 'application/json', read: () => JSON_TEXT },
    { uri: 'test://most', name: 'most', read: () => 'x'.repeat(LIMIT) },
    { uri: 'test://small', name: 'small', read: () => 'small' },
    {
      uri: 'test://two',
      name: 'two',
      read: () => ({
        contents: [
          { uri: 'test://1', text: TEXT },
          { uri: 'test://2', mimeType: 'application/zip', blob: BLOB },
        ],
        _meta: { whole: true },
      }),
    },
  ]);
  const catalog = await Catalog.open([source]);
  onTestFinished(() => catalog.close());
  return connect(createServer({ catalog }));
}

function digest(...pieces: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return `sha256:${hash.digest('hex')}`;
}

const withoutData = (name: string, mime_type: string, size: number, ...pieces: readonly (string | Uint8Array)[]) => ({
  success: true,
  uri: `test://${name}`,
  resource_name: name,
  data: null,
  data_in_text: true,
  size,
  digest: digest(...pieces),
  timestamp: expect.any(String),
  mime_type,
});

describe('large results keep their envelope', () => {
  const both = Buffer.byteLength(TEXT) + BLOB.length;
  it.each<[string, object, (content: Json) => boolean]>([
    ['text', withoutData('text', 'text/markdown', Buffer.byteLength(TEXT), TEXT), ([only]) => only.text === TEXT],
    ['json', withoutData('json', 'application/json', JSON_TEXT.length, JSON_TEXT), ([only]) => only.text === JSON_TEXT],
    ['blob', withoutData('blob', 'application/zip', BLOB.length, BLOB), ([only]) => only.resource.blob.length > BLOB.length],
    ['two', withoutData('two', 'multipart/mixed', both, TEXT, BLOB), (content) => content.length === 2],
  ])('get_resource returns all of %s as content, and the structure without the data', async (name, structure, isWhole) => {
    const client = await serve();
    const { content, structuredContent, isError } = await client.call('get_resource', { uri: `test://${name}` });
    expect(isError ?? false).toBe(false);
    expect(isWhole(content)).toBe(true);
    expect(structuredContent).toEqual(structure);
  });

  it('get_resource returns both halves up to 256 Ki characters', async () => {
    const client = await serve();
    const { structuredContent } = await client.call('get_resource', { uri: 'test://most' });
    expect(structuredContent.data.text).toHaveLength(LIMIT);
    expect(structuredContent).not.toHaveProperty('data_in_text');
  });

  it('a part is in both halves up to 256 Ki characters', async () => {
    const client = await serve();
    const small = await client.call('get_resource', { uri: 'test://text', limit: 1000 });
    expect(small.structuredContent).toMatchObject({ success: true, offset: 0, total: TEXT.length, data: { text: TEXT.slice(0, 988) } });
    const large = await client.call('get_resource', { uri: 'test://text', limit: 300_000 });
    const { timestamp, ...expected } = withoutData('text', 'text/markdown', Buffer.byteLength(TEXT), TEXT);
    expect(large.structuredContent).toMatchObject({ ...expected, offset: 0, total: TEXT.length, next_offset: expect.any(Number) });
    expect(large.content[0].text).toContain(TEXT.slice(0, large.structuredContent.next_offset));
  });

  it('get_resources omits only the data beyond 256 Ki characters', async () => {
    const client = await serve();
    const uris = ['test://small', 'test://text', 'test://nowhere'];
    const { content, structuredContent } = await client.call('get_resources', { uris });
    expect(content[1].resource.text === TEXT).toBe(true);
    expect(structuredContent.results).toEqual([
      expect.objectContaining({ success: true, data: { text: 'small' } }),
      withoutData('text', 'text/markdown', Buffer.byteLength(TEXT), TEXT),
      expect.objectContaining({ success: false, error: 'InvalidURI' }),
    ]);
  });
});
