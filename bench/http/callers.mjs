// A process that calls a server over several connections, each with one call in flight, and times every call.
import { setTimeout } from 'node:timers/promises';
import { percentile } from '../statistics.mjs';
import { open } from './connection.mjs';

process.on('message', async (task) => process.send(await run(task)));

/**
 * `requests` are spread over `connections`. A response is correct if its status is 200 and its body contains `expected`, which is one
 * text for all or a list with one per request. `everyMs` is the interval between two calls on a connection; without it, each call
 * follows immediately.
 */
async function run({ port, requests, expected, connections, milliseconds, everyMs }) {
  const wanted = [expected].flat().map((text) => Buffer.from(text));
  const opened = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const times = [];
  const failures = [];
  const begin = performance.now();
  const end = begin + milliseconds;

  async function call(connection, index) {
    const bytes = Buffer.from(requests[index % requests.length]);
    const text = wanted[index % wanted.length];
    for (let at = begin; at < end; at = performance.now()) {
      const { status, body } = await connection.send(bytes);
      const finished = performance.now();
      if (status === 200 && body.includes(text)) times.push(finished - at);
      else failures.push(`status ${status}: ${body.toString('utf8', 0, 200)}`);
      if (everyMs !== undefined) await setTimeout(Math.max(0, everyMs - (finished - at)));
    }
  }

  await Promise.all(opened.map((connection, index) => call(connection, index).catch((error) => failures.push(error.message))));
  const seconds = (performance.now() - begin) / 1000;
  for (const connection of opened) connection.close();
  return {
    perSecond: times.length / seconds,
    calls: times.length,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    times: everyMs === undefined ? [] : times,
    failed: failures.length,
    failure: failures[0],
  };
}
