/** Compares the two ways to read a resource. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Json, RawClient } from './client.js';

/** All entries of a list, page by page. */
export async function listAll(client: RawClient, method: string, field: string): Promise<Json[]> {
  const entries: Json[] = [];
  for (let cursor: string | undefined, pages = 0; pages < 100; pages++) {
    const { result } = await client.request(method, cursor === undefined ? {} : { cursor });
    entries.push(...result[field]);
    cursor = result.nextCursor;
    if (cursor === undefined) break;
  }
  return entries;
}

/** The contents in a result of get_resource, reconstructed from the result alone. */
function contentsOf({ content, structuredContent, _meta }: Json): Json[] {
  const about = structuredContent ?? _meta?.['footbridge/resource'];
  const found: Json[] = [];
  let uri = about.uri;
  for (const block of content) {
    const meta = block._meta === undefined ? {} : { _meta: block._meta };
    if (block.type === 'resource') found.push(block.resource);
    else if (block.type === 'text' && content.length > 1) uri = block.text.replace(/^URI: /, '');
    else if (block.type === 'text') found.push({ uri, mimeType: about.mime_type, text: block.text, ...meta });
    else found.push({ uri, mimeType: block.mimeType, blob: block.data, ...meta });
  }
  return found;
}

/** What `data` has to be for these contents. */
function dataOf(contents: Json[]): Json {
  const [only] = contents;
  if (contents.length !== 1) return { contents };
  if (only.blob !== undefined) return { blob: only.blob };
  // Parsing would change a number that JavaScript cannot represent.
  const parsed = /^application\/(?:.+\+)?json/.test(only.mimeType ?? '') && !/\d{16}/.test(only.text);
  return parsed ? JSON.parse(only.text) : { text: only.text };
}

/** Reads a URI on both routes, repeatedly until the time is the same for both: some resources change with the clock. */
export async function expectParity(client: RawClient, uri: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { result: before } = await client.request('resources/read', { uri });
    const result = await client.call('get_resource', { uri });
    const { result: after, error } = await client.request('resources/read', { uri });
    if (error !== undefined) {
      // A failing read fails on both routes, for the same reason.
      expect(result.structuredContent, uri).toMatchObject({ success: false });
      expect(error.message, uri).toContain(result.structuredContent.message);
      return;
    }
    if (!isDeepStrictEqual(before, after) && attempt < 20) continue;
    expect(result.isError ?? false, `${uri}: ${JSON.stringify(result.content).slice(0, 500)}`).toBe(false);
    const { contents, _meta } = after;
    // If the server names no type, the default is returned.
    const typed = contents.map((each: Json) => ({
      mimeType: each.text === undefined ? 'application/octet-stream' : 'text/plain',
      ...each,
    }));
    expect(contentsOf(result), uri).toEqual(contents.length === 1 ? typed : contents);
    const { 'footbridge/resource': _, ...rest } = result._meta ?? {};
    expect(rest, uri).toEqual(_meta ?? {});
    const seen = contents.some((each: Json) => each.blob !== undefined && /^(?:image\/(?!svg)|audio\/)/.test(each.mimeType ?? ''));
    const { structuredContent: structure } = result;
    if (seen) expect(structure, uri).toBeUndefined();
    else {
      const data = structure.data_in_text === true ? null : dataOf(contents);
      expect(structure, uri).toMatchObject({ success: true, data, timestamp: expect.stringMatching(/^\d{4}-.*Z$/) });
      expect(structure.resource_name, uri).not.toBe('');
      if (contents.length === 1) {
        expect(structure.uri).toBe(contents[0].uri);
        expect(structure._meta).toEqual(contents[0]._meta);
        if (contents[0].mimeType !== undefined) expect(structure.mime_type).toBe(contents[0].mimeType);
      }
    }
    return;
  }
}
