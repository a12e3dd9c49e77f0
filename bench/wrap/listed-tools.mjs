// A server of tools that were listed elsewhere: listed-tools.mjs FILE SERVER. The tests have such files.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file, name] = process.argv.slice(2);
let isOurs = false;
const tools = [];
for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
  const { parameters = {}, server, ...entry } = JSON.parse(line);
  if (server !== undefined) isOurs = server === name;
  else if (isOurs) {
    const properties = Object.fromEntries(Object.entries(parameters).map(([field, description]) => [field, { description }]));
    tools.push({ ...entry, inputSchema: { type: 'object', properties } });
  }
}

const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: '1.0.0' } }),
  'tools/list': () => ({ tools }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = Object.hasOwn(answers, method)
    ? { result: answers[method](params ?? {}) }
    : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});
