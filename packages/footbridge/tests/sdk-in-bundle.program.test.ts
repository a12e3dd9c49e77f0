/** The bundle creates the SDK's schemas and loads its validator on first use, without changing either. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { repository } from './support/documents.js';
import { createWorld } from './support/folders.js';

/** Prints every schema that the SDK exports, and what its codecs and validators say. */
const PROGRAM = `
import * as core from '@modelcontextprotocol/core/internal';
import { fromJsonSchema, isInitializeRequest, isSpecType, McpServer, specTypeSchemas } from '@modelcontextprotocol/server';
import { toJSONSchema } from 'zod/v4';

const described = (schema) => toJSONSchema(schema, { unrepresentable: 'any', io: 'input' });
const schemas = Object.entries(core).filter(([, value]) => value?._zod !== undefined);
const request = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } } };
const answers = [];
for (const messages of [
  [request, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'none' } }, { ...request, id: 3, params: {} }],
  [{ jsonrpc: '2.0', id: 4, method: 'ping' }, { jsonrpc: '2.0', id: 5, method: 'logging/setLevel', params: { level: 'loud' } }],
]) {
  const transport = { start: async () => {}, close: async () => {}, send: async (message) => void answers.push(message) };
  const server = new McpServer({ name: 'sdk', version: '1' }, { capabilities: { logging: {}, tools: {} } });
  await server.connect(transport);
  for (const message of messages) transport.onmessage(message);
  await new Promise((resolve) => setTimeout(resolve, 50));
}
const validated = [{ a: 1 }, { a: 'x' }].map((value) =>
  fromJsonSchema({ type: 'object', properties: { a: { type: 'number' } } })['~standard'].validate(value),
);
process.stdout.write(JSON.stringify([
  schemas.map(([name, schema]) => [name, described(schema)]),
  Object.entries(specTypeSchemas).map(([name, schema]) => [name, described(schema)]),
  Object.keys(isSpecType), isSpecType.Tool({ name: 'a', inputSchema: { type: 'object' } }), isSpecType.Tool({}),
  isInitializeRequest(request), isInitializeRequest({}), validated, answers,
]));
`;

it('answers and validates in the bundle as the SDK does by itself', async () => {
  const { sdkLater } = await import(join(repository, 'scripts', 'sdk-later.mjs'));
  const outputs: string[] = [];
  for (const plugins of [[], [sdkLater]]) {
    const folder = createWorld().path('bundle');
    const program = {
      name: 'program',
      resolveId: (id: string) => (id === 'program' ? join(repository, 'packages', 'footbridge', 'program.mjs') : null),
      load: (id: string) => (id.endsWith('program.mjs') ? PROGRAM : null),
    };
    const build = await rolldown({ input: 'program', platform: 'node', plugins: [program, ...plugins], treeshake: true });
    await build.write({ dir: folder, format: 'esm', entryFileNames: 'program.mjs' });
    await build.close();
    const { stderr, stdout } = spawnSync(process.execPath, [join(folder, 'program.mjs')], { encoding: 'utf8', timeout: 20_000 });
    expect(stderr).toBe('');
    outputs.push(stdout);
  }
  const [theirs, ours] = outputs;
  expect(JSON.parse(ours ?? '')).toEqual(JSON.parse(theirs ?? ''));
  expect(JSON.parse(ours ?? '')[0].length).toBeGreaterThan(150);
});
