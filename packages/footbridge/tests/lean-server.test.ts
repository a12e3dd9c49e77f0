/** Tool calls are spared the SDK's schemas, and yet answered as the protocol wants it. */
import { createMcpHandler } from '@modelcontextprotocol/server';
import { Catalog, createServer } from 'footbridge';
import { expect, it, onTestFinished } from 'vitest';

/** What a modern request gets over HTTP: the status and the answer. */
async function ask(method: string, params: Record<string, unknown>, name = '') {
  const catalog = await Catalog.open([]);
  onTestFinished(() => catalog.close());
  const handler = createMcpHandler(() => createServer({ catalog, announce: false }));
  onTestFinished(() => handler.close());
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await handler.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(name === '' ? {} : { 'mcp-name': name }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    }),
  );
  return { status: response.status, answer: await response.json() };
}

it('a method that is not there is 404 over HTTP', async () => {
  expect(await ask('unknown/method', {})).toMatchObject({ status: 404, answer: { id: 1, error: { code: -32601 } } });
});

it('a call whose arguments are no object is refused', async () => {
  expect(await ask('tools/call', { name: 'list_skills', arguments: 'all' }, 'list_skills')).toMatchObject({
    status: 200,
    answer: { error: { code: -32602, message: expect.stringContaining('arguments') } },
  });
});

it('a call that is right is answered', async () => {
  expect(await ask('tools/call', { name: 'list_skills', arguments: {} }, 'list_skills')).toMatchObject({
    status: 200,
    answer: { result: { resultType: 'complete', structuredContent: { skills: [] } } },
  });
});
