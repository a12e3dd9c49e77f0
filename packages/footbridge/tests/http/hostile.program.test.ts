/** Malformed requests of every known kind: each is rejected with its reason, and the server keeps serving. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createWorld } from '../support/folders.js';
import { type HttpProcess, post, postModern, startHttp, until } from '../support/http-server.js';
import { inSession, Random } from '../support/malformed/kind.js';
import { MESSAGE_KINDS } from '../support/malformed/messages.js';
import { WIRE_KINDS } from '../support/malformed/wire.js';
import { exchange, type RawAnswer } from '../support/raw-http.js';

/** Wrong in one way each. */
const KINDS = { ...WIRE_KINDS, ...MESSAGE_KINDS };
const VARIANTS = 25;
const SECRET = 'value-of-a-variable';
/** The one answer that is for people who look around with a browser. */
const NOT_FOUND = 'Not found. The MCP endpoint is /mcp.\n';

async function start() {
  const world = createWorld();
  world.skill('project/.agents/skills/git');
  const server = await startHttp(world, { args: ['--log-level', 'warn'], env: { SOME_SECRET: SECRET } });
  return { world, server };
}

async function beginSession(endpoint: string): Promise<string> {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const { headers } = await post(endpoint, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  return headers.get('mcp-session-id') ?? '';
}

interface Refused extends RawAnswer {
  readonly kind: string;
  readonly index: number;
  readonly statuses: readonly number[];
}

/** Sends all of them, those of a kind side by side. */
async function sendAll(origin: string, seed: number, session?: string): Promise<Refused[]> {
  const answers: Refused[] = [];
  for (const [kind, { make, statuses, variants = VARIANTS }] of Object.entries(KINDS)) {
    const requests = Array.from({ length: variants }, (_, index) => make(new Random(seed, index)));
    const sent = requests.map((request) => exchange(origin, session === undefined ? request : inSession(request, session)));
    answers.push(...(await Promise.all(sent)).map((answer, index) => ({ ...answer, kind, index, statuses })));
  }
  return answers;
}

/** Nothing, or an error of JSON-RPC that says something. */
function isProper(body: string): boolean {
  if (body === '' || body === NOT_FOUND) return true;
  const { error, jsonrpc } = JSON.parse(body);
  return jsonrpc === '2.0' && Number.isInteger(error.code) && typeof error.message === 'string' && error.message !== '';
}

async function expectGoodCall({ endpoint }: HttpProcess): Promise<void> {
  const { message, status } = await postModern(endpoint, 'tools/call', { name: 'skill', arguments: { name: 'git' } });
  expect([status, message.result.content[0].text]).toEqual([200, expect.stringContaining('Instructions of git.')]);
}

function openSockets(pid: number | undefined): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((handle) => {
    try {
      return readlinkSync(`${folder}/${handle}`).startsWith('socket:');
    } catch {
      // Closed since it was listed.
      return false;
    }
  }).length;
}

describe('malformed requests', () => {
  it.each(['without a session', 'in a session'])('are rejected with the reason, %s', { timeout: 120_000 }, async (where) => {
    const { world, server } = await start();
    const session = where === 'in a session' ? await beginSession(server.endpoint) : undefined;
    const answers = await sendAll(server.origin, 1, session);
    expect(Object.keys(KINDS).length).toBeGreaterThanOrEqual(20);
    expect(answers.length).toBeGreaterThanOrEqual(500);
    expect(answers.filter(({ status, statuses }) => !statuses.includes(status))).toEqual([]);
    expect(answers.filter(({ body }) => !isProper(body))).toEqual([]);
    const telling = [dirname(world.project), process.cwd(), SECRET, 'node_modules', 'node:internal', '.js:', '.cjs:', '    at '];
    expect(answers.filter(({ body, headers }) => telling.some((word) => body.includes(word) || headers.includes(word)))).toEqual([]);
    await expectGoodCall(server);
    expect(server.stderr()).toBe('');
  });

  it.runIf(process.platform === 'linux')('leave nothing behind', { timeout: 300_000 }, async () => {
    const { server } = await start();
    const { pid } = server.child;
    const resident = () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    const before = openSockets(pid);
    let early = 0;
    for (let round = 1; round <= 5; round++) {
      await sendAll(server.origin, round);
      if (round === 2) early = resident();
    }
    // Memory that is not returned at once is no leak; what 3,000 requests leave behind would be.
    expect(resident()).toBeLessThan(1.5 * early);
    await until(() => openSockets(pid) <= before);
    await expectGoodCall(server);
    expect(server.stderr()).toBe('');
  });

  it('that never end are terminated', { timeout: 120_000 }, async () => {
    const { server } = await start();
    const halves = ['', 'POST', 'POST /mcp HTTP/1.1\r\nHost: loc', 'GET /sse HTTP/1.1\r\nHost: localhost\r\nX-Slow: 1\r\n'];
    const answers = await Promise.all(halves.map((half) => exchange(server.origin, { pieces: [half] })));
    expect(answers.map(({ status }) => status)).toEqual(halves.map(() => 408));
    await expectGoodCall(server);
    expect(server.stderr()).toBe('');
  });
});
