/** A bare MCP server over stdio with forty tools, as another server beside Footbridge; with a folder, also with the skill in it. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fieldOf, parsed } from './json.js';

const TOOLS = 40;

const tools = Array.from({ length: TOOLS }, (_, index) => ({
  name: `query_table_${index + 1}`,
  description: `Runs a query on table ${index + 1} of the warehouse and returns the rows as JSON. Only reads; at most 1,000 rows.`,
  inputSchema: { type: 'object', properties: { where: { type: 'string', description: 'The condition, in SQL' } }, required: ['where'] },
}));

const [, , folder] = process.argv;
const skillUri = folder === undefined ? undefined : `skill://${basename(folder)}/SKILL.md`;

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = parsed(line);
  const id = fieldOf(message, 'id');
  const method = fieldOf(message, 'method');
  if (id === undefined || method === undefined) return;
  const result = resultOf(method, fieldOf(message, 'params'));
  const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});

function resultOf(method: unknown, params: unknown): object | undefined {
  if (method === 'initialize') {
    const protocolVersion = fieldOf(params, 'protocolVersion');
    return { protocolVersion, capabilities: { tools: {}, resources: {} }, serverInfo: { name: 'warehouse', version: '1.0.0' } };
  }
  if (method === 'tools/list') return { tools };
  if (method === 'resources/list') return { resources: skillUri === undefined ? [] : [{ uri: skillUri, name: 'SKILL.md' }] };
  if (method === 'resources/read' && folder !== undefined && fieldOf(params, 'uri') === skillUri)
    return { contents: [{ uri: skillUri, text: readFileSync(join(folder, 'SKILL.md'), 'utf8') }] };
  return method === 'ping' ? {} : undefined;
}
