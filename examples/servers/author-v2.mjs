// An author's server on SDK v2, with our tools added by one call. Run: node examples/servers/author-v2.mjs
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { footbridge } from 'footbridge';

const PAGES = { welcome: '# Welcome\n\nGlad that you are here.\n', rules: '# Rules\n\nBe kind.\n' };
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function createServer() {
  const server = new McpServer({ name: 'handbook', version: '1.0.0' });
  server.registerTool('greet', { description: 'Says hello.' }, () => ({ content: [{ type: 'text', text: 'Hello!' }] }));
  server.registerResource(
    'settings',
    'handbook://settings',
    { title: 'Settings', description: 'How the handbook is set up', mimeType: 'application/json' },
    (uri) => ({
      contents: [{ uri: uri.href, mimeType: 'application/json', text: '{ "language": "en", "pages": 2 }', _meta: { revision: 7 } }],
    }),
  );
  server.registerResource('logo', 'handbook://logo', { mimeType: 'image/png' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'image/png', blob: PIXEL }],
  }));
  server.registerResource('archive', 'handbook://archive', { mimeType: 'application/gzip' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'application/gzip', blob: 'H4sIAAAAAAAAAwMAAAAAAAAAAAA=', _meta: { kept: 'years' } }],
  }));
  server.registerResource('all', 'handbook://all', { mimeType: 'text/markdown', description: 'Every page' }, () => ({
    contents: Object.entries(PAGES).map(([name, text]) => ({ uri: `handbook://pages/${name}`, mimeType: 'text/markdown', text })),
  }));
  server.registerResource(
    'page',
    new ResourceTemplate('handbook://pages/{name}', {
      list: undefined,
      complete: { name: (typed) => Object.keys(PAGES).filter((name) => name.startsWith(typed)) },
    }),
    { description: 'One page', mimeType: 'text/markdown' },
    (uri, { name }) => {
      const text = PAGES[name];
      if (text === undefined) throw Object.assign(new Error(`There is no page ${name}`), { code: -32002 });
      return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text }] };
    },
  );
  return server;
}

serveStdio(footbridge(createServer));
