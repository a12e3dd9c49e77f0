// An author's server on SDK v2 with our tools added by one call. For the argument, see `resourcesOf`.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { footbridge } from 'footbridge';
import { resourcesOf } from '../resources.mjs';

const resources = resourcesOf(process.argv[2]);

function createServer() {
  const server = new McpServer({ name: 'author-v2', version: '1.0.0' });
  for (const { uri, name, description, mimeType, load } of resources) {
    server.registerResource(name, uri, { description, mimeType }, async (url) => ({
      contents: [{ uri: url.href, mimeType, text: await load() }],
    }));
  }
  return server;
}

serveStdio(footbridge(createServer));
