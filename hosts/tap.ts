/** Stands between a host and a server, passes every byte on, and writes to a file how the client introduces itself: tap FILE COMMAND ARGS… */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { fieldOf, parsed } from './json.js';

const ENVELOPE = 'io.modelcontextprotocol/';

const [file = '', command = '', ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const seen = new PassThrough();
process.stdin.pipe(server.stdin);
process.stdin.pipe(seen);
server.stdout.pipe(process.stdout);
for (const stream of [server.stdin, process.stdout]) stream.on('error', () => {});
server.on('error', () => process.exit(127));
server.on('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => server.kill(signal));

createInterface({ input: seen }).on('line', (line) => {
  const message = parsed(line);
  const method = fieldOf(message, 'method');
  if (method === 'initialize' || method === 'server/discover') note(fieldOf(message, 'params'));
});

function note(params: unknown): void {
  const meta = fieldOf(params, '_meta');
  const client = fieldOf(params, 'clientInfo') ?? fieldOf(meta, `${ENVELOPE}clientInfo`);
  const protocol = fieldOf(params, 'protocolVersion') ?? fieldOf(meta, `${ENVELOPE}protocolVersion`);
  try {
    appendFileSync(file, `${JSON.stringify({ name: fieldOf(client, 'name'), protocol })}\n`);
  } catch {
    // The session may be over, and its folder removed.
  }
}
