// An author's server on SDK v1 with our tools added by one call. For the argument, see `resourcesOf`.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { footbridge } from 'footbridge';
import { resourcesOf } from '../resources.mjs';

const server = new McpServer({ name: 'author-v1', version: '1.0.0' });
for (const { uri, name, description, mimeType, load } of resourcesOf(process.argv[2])) {
  server.registerResource(name, uri, { description, mimeType }, async (url) => ({
    contents: [{ uri: url.href, mimeType, text: await load() }],
  }));
}

await footbridge(server).connect(new StdioServerTransport());
