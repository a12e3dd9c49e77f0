// Shared by the HTTP peers: their response, a minimal server on the SDK, and printing the address.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';

/** `{ text, description, uri }`: the response, the tool's description, and optionally a resource to serve instead of the tool. */
export const content = JSON.parse(readFileSync(process.argv[2], 'utf8'));

const inputSchema = z.object({ name: z.string() });

/** One tool, or one resource. */
export function createMinimalServer() {
  const { description, text, uri } = content;
  const mcp = new McpServer({ name: 'minimal', version: '1.0.0' });
  if (uri === undefined) mcp.registerTool('skill', { description, inputSchema }, () => ({ content: [{ type: 'text', text }] }));
  else mcp.registerResource('skill', uri, { mimeType: 'text/markdown' }, () => ({ contents: [{ uri, mimeType: 'text/markdown', text }] }));
  return mcp;
}

export function listen(listener) {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`));
}
