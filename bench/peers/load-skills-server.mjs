// Skills served with the SDK's own loader, as in its documentation, and one tool.
import { McpServer } from '@modelcontextprotocol/server';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/v4';

const skills = await loadSkills(process.argv[2]);

serveStdio(() => {
  const mcp = new McpServer({ name: 'load-skills', version: '1.0.0' });
  skills.attach(mcp);
  // The number lets the benchmark check that all skills were loaded.
  mcp.registerTool('empty', { description: `${skills.entries.length} skills`, inputSchema: z.object({}) }, () => ({ content: [] }));
  return mcp;
});
