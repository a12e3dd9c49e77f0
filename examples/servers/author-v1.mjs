// An author's server on SDK v1, with our tools added by one call. Run: node examples/servers/author-v1.mjs
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { footbridge } from 'footbridge';

const NOTES = { today: 'Water the plants.', tomorrow: 'Rest.' };

const server = new McpServer({ name: 'notes', version: '1.0.0' });
server.registerTool('count', { description: 'Counts the notes.' }, () => ({
  content: [{ type: 'text', text: String(Object.keys(NOTES).length) }],
}));
server.registerResource('index', 'notes://index', { mimeType: 'application/json', description: 'The names of all notes' }, (uri) => ({
  contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(Object.keys(NOTES)) }],
}));
server.registerResource(
  'note',
  new ResourceTemplate('notes://by-name/{name}', {
    list: () => ({ resources: Object.keys(NOTES).map((name) => ({ uri: `notes://by-name/${name}`, name, mimeType: 'text/plain' })) }),
  }),
  { description: 'One note', mimeType: 'text/plain' },
  (uri, { name }) => {
    if (!Object.hasOwn(NOTES, name)) throw new McpError(ErrorCode.InvalidParams, `There is no note ${name}`);
    return { contents: [{ uri: uri.href, mimeType: 'text/plain', text: NOTES[name], _meta: { author: 'me' } }] };
  },
);

await footbridge(server).connect(new StdioServerTransport());
