// The wrapped server: a few small tools on SDK v1, which most servers use.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod/v4';

export function createUpstream() {
  const server = new McpServer({ name: 'upstream', version: '1.0.0' });
  const text = (value) => ({ content: [{ type: 'text', text: value }] });
  server.registerTool('echo', { description: 'Gives back what it is given', inputSchema: { message: z.string() } }, ({ message }) =>
    text(`Echo: ${message}`),
  );
  server.registerTool(
    'add',
    { description: 'Adds two numbers', inputSchema: { one: z.number(), other: z.number() }, outputSchema: { sum: z.number() } },
    ({ one, other }) => ({ ...text(String(one + other)), structuredContent: { sum: one + other } }),
  );
  server.registerTool('time', { description: 'Tells the time', annotations: { readOnlyHint: true } }, () => text(new Date().toISOString()));
  return server;
}
