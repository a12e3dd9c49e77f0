/** The HTTP server keeps serving if its log is not read, or not in time. */
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { createWorld } from '../support/folders.js';
import { type HttpProcess, startHttp, until } from '../support/http-server.js';

const FORMATS = ['json', 'text'] as const;
/** Nothing is there, but the log says that it was asked for, on a line of more than a kilobyte. */
const PATH = `/${'some-words-'.repeat(16)}`.repeat(7);

async function startUnread(format: (typeof FORMATS)[number]): Promise<HttpProcess> {
  const server = await startHttp(createWorld(), { args: ['--log-format', format] });
  server.child.stderr?.pause();
  return server;
}

async function ask({ origin }: HttpProcess, times: number): Promise<void> {
  for (let done = 0; done < times; done += 50)
    await Promise.all(Array.from({ length: 50 }, async () => (await fetch(`${origin}${PATH}`)).text()));
}

function linesOf({ stderr }: HttpProcess): number {
  return stderr().split(PATH).length - 1;
}

it.each(FORMATS)('keeps answering while nobody reads the log as %s, and later reports how many lines were dropped', async (format) => {
  const server = await startUnread(format);
  await ask(server, 2000);
  expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
  server.child.stderr?.resume();
  const dropped = () => Number(/Dropped (\d+) log lines/.exec(server.stderr())?.[1] ?? 0);
  await until(() => dropped() > 0);
  expect(linesOf(server)).toBeGreaterThan(500);
  expect(linesOf(server) + dropped()).toBe(2000);
  await ask(server, 50);
  await until(() => linesOf(server) + dropped() === 2050);
});

it.each(FORMATS)('writes the whole log as %s before it exits, if it is read by then', async (format) => {
  const server = await startUnread(format);
  await ask(server, 400);
  const read = server.child.stderr === null ? undefined : once(server.child.stderr, 'close');
  const ended = server.stop();
  server.child.stderr?.resume();
  expect(await ended).toBe(0);
  await read;
  expect(linesOf(server)).toBe(400);
});

it('exits although nobody reads the log', async () => {
  const server = await startUnread('json');
  await ask(server, 1000);
  expect(await server.stop()).toBe(0);
});
