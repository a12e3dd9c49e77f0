/** The memory that callers can make a server use is limited. */
import { expect, it } from 'vitest';
import { createWorld } from '../support/folders.js';
import { postModern, until } from '../support/http-server.js';
import { heldBy, MAX_MEMORY, openUnreadSse, peakOf, postMessage, startLimited } from '../support/limited-server.js';

const MEBIBYTE = 1024 * 1024;
const SIZE = 16 * MEBIBYTE;
const TIMES = 24;
const LARGE = { name: 'get_resource', arguments: { uri: 'skill://large/a.txt' } };

/** Asks for a large file many times over the transport of 2024, and reads nothing. */
async function askWithoutReading(origin: string): Promise<void> {
  const address = await openUnreadSse(origin);
  const ask = (id: number) => postMessage(address, { jsonrpc: '2.0', id, method: 'tools/call', params: LARGE });
  await Promise.all(Array.from({ length: TIMES }, (_, id) => ask(id)));
}

it.runIf(process.platform === 'linux')(
  'large reads, bodies and unread answers take a bounded amount of memory',
  { timeout: 120_000 },
  async () => {
    const world = createWorld();
    world.skill('project/skills/large');
    world.write('project/skills/large/a.txt', 'x'.repeat(SIZE));
    const server = await startLimited(world, { args: ['--skills', `${world.project}/skills`] });
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
    await until(async () => (await heldBy(server)) >= 4 * SIZE);

    // All of it, with the garbage that a busy machine collects late.
    expect(peakOf(server)).toBeLessThan(MAX_MEMORY);
    expect(await heldBy(server)).toBeLessThan(192 * MEBIBYTE);
    const small = await postModern(endpoint, 'tools/call', { name: 'get_resource', arguments: { uri: 'skill://large/SKILL.md' } });
    expect(small.text).toContain('Instructions of large');
  },
);
