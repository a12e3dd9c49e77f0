/** Long texts of an author's server on each SDK, and of an upstream, are returned in parts. */
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer } from '@modelcontextprotocol/server';
import { Catalog, footbridge, upstreams } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serverWith } from '../src/serve/server.js';
import { HostViews } from '../src/surfaces/hosts/view.js';
import type { Json } from './support/client.js';
import { connect, type MemoryClient } from './support/memory.js';

const PART = /^\[Part: characters \d+-\d+ of \d+\. (?:Next: \w+\((\{.*\})\)|This is the last part\.)\]\n/;
const URI = 'test://log';
const LIMIT = 7000;
/** Some megabytes, with line ends of two and without a final one. */
const LONG = `${'2026-11-16 a line with an é, 漢字, a 😀 and a "quote"\r\n'.repeat(40_000)}end`;

interface Author {
  text: string;
  reads: number;
}

function read(author: Author) {
  return () => {
    author.reads++;
    return { contents: [{ uri: URI, text: author.text }] };
  };
}

const SERVERS = {
  'an author with SDK v1': async (author: Author) => {
    const server = new McpServerV1({ name: 'notes', version: '1' });
    server.registerResource('log', URI, {}, read(author));
    return connect(footbridge(server));
  },
  'an author with SDK v2': async (author: Author) => {
    const server = new McpServer({ name: 'notes', version: '1' });
    server.registerResource('log', URI, {}, read(author));
    return connect(footbridge(server));
  },
  'an upstream': async (author: Author) => {
    const server = new McpServer({ name: 'notes', version: '1' });
    server.registerResource('log', URI, {}, read(author));
    const source = upstreams({ servers: { notes: { server } } });
    const catalog = await Catalog.open([source]);
    onTestFinished(async () => {
      catalog.close();
      await source.end();
    });
    await source.complete();
    return connect(serverWith({ catalog, hosts: new HostViews() }));
  },
};

/** The next call that a part names, and the part without its line. */
async function part(client: MemoryClient, args: Json): Promise<{ readonly text: string; readonly next: Json | undefined }> {
  const { content, isError } = await client.call('get_resource', args);
  expect(isError ?? false, content[0].text.slice(0, 300)).toBe(false);
  const [line = '', next] = PART.exec(content[0].text) ?? [];
  expect(line).not.toBe('');
  return { text: content[0].text.slice(line.length), next: next === undefined ? undefined : JSON.parse(next) };
}

describe.each(Object.entries(SERVERS))('a long text of %s', (_, open) => {
  it('arrives whole in parts of the size that a caller asks for, and is read once', async () => {
    const author = { text: LONG, reads: 0 };
    const client = await open(author);
    const texts: string[] = [];
    let next: Json | undefined = { uri: URI, limit: LIMIT };
    while (next !== undefined && texts.length < 1000) {
      const { text, next: following } = await part(client, next);
      expect(text.length).toBeLessThanOrEqual(LIMIT);
      texts.push(text);
      next = following;
      client.received.length = 0;
    }
    expect(texts.join('') === LONG).toBe(true);
    expect(author.reads).toBe(1);
  });

  it('is whole for a host that asks for no part', async () => {
    const client = await open({ text: LONG, reads: 0 });
    const { content } = await client.call('get_resource', { uri: URI });
    expect(content[0].text === LONG).toBe(true);
  });

  it('is never a mixture: a change between parts is reported', async () => {
    const author = { text: LONG, reads: 0 };
    const client = await open(author);
    const { next } = await part(client, { uri: URI, limit: LIMIT });
    author.text = `Another ${LONG}`;
    const again = await part(client, { uri: URI, limit: LIMIT });
    expect(again.text.startsWith('Another ')).toBe(true);
    const result = await client.call('get_resource', next);
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain('The text has changed since the previous part.');
  });
});
