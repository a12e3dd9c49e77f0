// A server with as many tools as its first argument says; the second chooses what they are about. Without an SDK, since there are many.
import { createInterface } from 'node:readline';

const [count, seed] = process.argv.slice(2).map(Number);
const VERBS = ['create', 'delete', 'update', 'list', 'get', 'search', 'send', 'run', 'stop', 'archive'];
const THINGS = ['invoice', 'backup', 'customer', 'message', 'server', 'ticket', 'report', 'branch', 'meeting', 'payment', 'image'];

const property = (type, description) => ({ type, description });
const tools = Array.from({ length: count }, (_, at) => {
  const verb = VERBS[at % VERBS.length];
  const thing = THINGS[(seed + Math.floor(at / VERBS.length)) % THINGS.length];
  return {
    name: `${verb}_${thing}_${at}`,
    description: `${verb[0].toUpperCase()}${verb.slice(1)} a ${thing} of the team. Needs its id, and returns what was done with it as JSON text. Ask before you use it for more than one ${thing} at a time, and report what it returned to the user in a short sentence.`,
    inputSchema: {
      type: 'object',
      properties: {
        id: property('string', `The id of the ${thing}`),
        title: property('string', 'A title for people'),
        limit: property('integer', 'The most that is returned'),
        verbose: property('boolean', 'Whether to return every field, instead of those that changed'),
      },
      required: ['id'],
    },
    annotations: { readOnlyHint: verb === 'list' || verb === 'get' || verb === 'search' },
  };
});

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: `many-${seed}`, version: '1.0.0' },
    instructions: `Handles what team ${seed} works with: invoices, backups, customers and messages. Use it for nothing else.`,
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => ({ content: [{ type: 'text', text: name }] }),
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
