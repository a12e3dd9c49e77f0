/** An upstream server that cannot be reached: the host gets the reason, and the tools once it is back. */
import { createServer as createNetServer } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { Catalog, createServer, defineResources, type UpstreamServer, upstreams } from 'footbridge';
import { expect, it, onTestFinished } from 'vitest';
import type { Json } from './support/client.js';
import { connect } from './support/memory.js';

async function host(servers: Record<string, UpstreamServer>) {
  const catalog = await Catalog.open([upstreams({ servers, oneHost: true })]);
  onTestFinished(() => catalog.close());
  const client = await connect(createServer({ catalog }));
  const list = async () => (await client.request('tools/list')).result.tools.map(({ name }: Json) => name);
  return { client, list, handshake: (client.received[0] as Json).result };
}

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = createNetServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('an unknown command is reported in the instructions and in the only tool', async () => {
  const { client, handshake, list } = await host({ docs: { command: 'no-such-command-here' } });
  const reason = /The server 'docs' is not available: .*not found.* Footbridge retries automatically/is;
  expect(handshake.instructions).toMatch(reason);
  expect(handshake.instructions).not.toMatch(/`\w+`/);
  expect(await list()).toEqual(['server_unavailable']);
  const { result } = await client.request('tools/list');
  expect(result.tools[0].description).toMatch(reason);
  const called = await client.call('server_unavailable');
  expect(called.isError).toBe(true);
  expect(called.content[0].text).toMatch(reason);
});

it('an unreachable URL is reported until its server responds; then its tools are announced', async () => {
  const port = await freePort();
  const { client, handshake, list } = await host({ docs: { url: `http://127.0.0.1:${port}/mcp` } });
  expect(handshake.instructions).toMatch(/The server 'docs' is not available: .*refused the connection/);
  expect(await list()).toEqual(['server_unavailable']);
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'docs', version: '1' });
    server.registerTool('search', {}, () => ({ content: [] }));
    return server;
  });
  const { createServer: createHttpServer } = await import('node:http');
  const server = createHttpServer(getRequestListener((request) => handler.fetch(request)));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await handler.close();
    server.closeAllConnections();
    server.close();
  });
  await client.waitFor(() => client.count('notifications/tools/list_changed') > 0);
  await expect.poll(list, { timeout: 20_000 }).toEqual(['search']);
  expect((await client.call('server_unavailable')).content[0].text).toContain('available again');
});

it('a failed server adds no tool beside other tools', async () => {
  const catalog = await Catalog.open([
    defineResources([]),
    upstreams({ servers: { lost: { command: 'no-such-command-here' }, found: { server: withTool() } }, oneHost: true }),
  ]);
  onTestFinished(() => catalog.close());
  const client = await connect(createServer({ catalog }));
  const names = async () => (await client.request('tools/list')).result.tools.map(({ name }: Json) => name);
  await expect.poll(names, { timeout: 20_000 }).toContain('found__search');
  expect(await names()).not.toContain('server_unavailable');
});

function withTool(): McpServer {
  const server = new McpServer({ name: 'found', version: '1' });
  server.registerTool('search', {}, () => ({ content: [] }));
  return server;
}
