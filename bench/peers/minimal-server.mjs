// A minimal server on the same SDK, as published: one tool that does nothing.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/v4';

serveStdio(() => {
  const mcp = new McpServer({ name: 'minimal', version: '1.0.0' });
  mcp.registerTool('empty', { description: 'Does nothing', inputSchema: z.object({}) }, () => ({ content: [] }));
  return mcp;
});
