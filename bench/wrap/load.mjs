// Calls of `echo`, each of which has to return its input.
import { open } from '../http/connection.mjs';
import { beginSession, legacy } from '../http/requests.mjs';
import { IN_FLIGHT } from '../load-rows.mjs';
import { percentile } from '../statistics.mjs';

const call = (message) => ({ name: 'echo', arguments: { message } });
const answer = (message) => `Echo: ${message}`;

/** A function that calls over stdio for so many milliseconds, with `inFlight` calls at a time. */
export const overStdio = (client) => async (inFlight, milliseconds) => {
  const times = [];
  const begin = performance.now();
  const end = begin + milliseconds;
  let sent = 0;

  async function calls() {
    for (let at = begin; at < end; at = performance.now()) {
      const message = `message ${++sent}`;
      const { result, at: finished } = await client.request('tools/call', call(message));
      if (result.content?.[0]?.text !== answer(message)) throw new Error(`Not what was sent: ${JSON.stringify(result)}`);
      times.push(finished - at);
    }
  }

  await Promise.all(Array.from({ length: inFlight }, calls));
  return { perSecond: (times.length / (performance.now() - begin)) * 1000, p50: percentile(times, 0.5) };
};

/** Opens a session; resolves with a function that does the same in it, with one connection per call in flight. */
export async function overHttp(callers, port) {
  const connection = await open(port);
  const session = await beginSession(connection);
  connection.close();
  const messages = Array.from({ length: IN_FLIGHT }, (_, index) => `message ${index + 1}.`);
  const requests = messages.map((message, index) => legacy('tools/call', call(message), session, index + 1));
  const expected = messages.map((message) => JSON.stringify(answer(message)));
  return async (inFlight, milliseconds) => {
    const result = await callers.run({ port, requests, expected, connections: inFlight, milliseconds });
    if (result.failed > 0) throw new Error(`${result.failed} calls failed: ${result.failure}`);
    return result;
  };
}
