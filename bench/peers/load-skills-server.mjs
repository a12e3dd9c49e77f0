// Skills served with the SDK's own loader, as its documentation shows, and one tool to ask for.
import { McpServer } from '@modelcontextprotocol/server';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/v4';

const skills = await loadSkills(process.argv[2]);

serveStdio(() => {
  const mcp = new McpServer({ name: 'load-skills', version: '1.0.0' });
  skills.attach(mcp);
  // The number lets the benchmark check that this server did the whole work.
  mcp.registerTool('empty', { description: `${skills.entries.length} skills`, inputSchema: z.object({}) }, () => ({ content: [] }));
  return mcp;
});
