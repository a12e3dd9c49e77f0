/** The memory that callers can make a server use is limited. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createWorld } from '../support/folders.js';
import { type HttpProcess, postModern, startHttp, until } from '../support/http-server.js';

const MEBIBYTE = 1024 * 1024;
const SIZE = 16 * MEBIBYTE;
const TIMES = 24;
const LARGE = { name: 'get_resource', arguments: { uri: 'skill://large/a.txt' } };

/** Of the container in deploy/, with room for what Node does not count. */
const MOST_MEMORY = 512 - 64;
/** As Node limits itself in it. */
const env = { NODE_OPTIONS: '--max-old-space-size=256' };

/** The most memory that it ever used, in MiB. */
function peakOf({ child }: HttpProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

async function held({ origin }: HttpProcess): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^footbridge_held_bytes (\d+)$/m.exec(text)?.[1]);
}

/** Asks for a large file many times over the transport of 2024, and reads nothing. */
async function askWithoutReading(origin: string): Promise<void> {
  const { host, port } = new URL(origin);
  const socket = connect(Number(port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (text.includes('sessionId=')) socket.pause();
  });
  socket.write(`GET /sse HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  await until(() => /sessionId=[\w-]+\n/.test(text));
  const address = `${origin}/messages?${/sessionId=[\w-]+/.exec(text)?.[0]}`;
  const ask = (id: number) =>
    fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: LARGE }),
    });
  await Promise.all(Array.from({ length: TIMES }, (_, id) => ask(id)));
}

it.runIf(process.platform === 'linux')(
  'large reads, bodies and unread answers take a bounded amount of memory',
  { timeout: 120_000 },
  async () => {
    const world = createWorld();
    world.skill('project/skills/large');
    world.write('project/skills/large/a.txt', 'x'.repeat(SIZE));
    const server = await startHttp(world, { args: ['--skills', `${world.project}/skills`], env });
    const { endpoint, origin } = server;
    const many = (params: Readonly<Record<string, unknown>>) =>
      Promise.all(Array.from({ length: TIMES }, () => postModern(endpoint, 'tools/call', params)));

    const reads = await many(LARGE);
    // Each is answered: with the file, or with an error that can be retried.
    const whole = reads.filter(({ text }) => text.length > SIZE);
    expect(whole.length).toBeGreaterThan(0);
    expect(reads.filter(({ text }) => text.length <= SIZE && !text.includes('The server is busy.'))).toEqual([]);
    const bodies = await many({ name: 'get_resource', arguments: { uri: 'x'.repeat(4 * MEBIBYTE - 1000) } });
    expect(bodies.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    await askWithoutReading(origin);
    await until(async () => (await held(server)) >= 4 * SIZE);

    // All of it, with the garbage that a busy machine collects late.
    expect(peakOf(server)).toBeLessThan(MOST_MEMORY);
    expect(await held(server)).toBeLessThan(192 * MEBIBYTE);
    const small = await postModern(endpoint, 'tools/call', { name: 'get_resource', arguments: { uri: 'skill://large/SKILL.md' } });
    expect(small.text).toContain('Instructions of large');
  },
);
