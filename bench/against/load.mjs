// One turn of a server under load: calls one at a time, then 32 in flight.
import { IN_FLIGHT } from '../load-rows.mjs';
import { MEASURES_PROCESSOR, processorMilliseconds } from '../resident.mjs';
import { percentile } from '../statistics.mjs';
import { timeRequests } from '../turns.mjs';

/** Turns are short: then some of them fall into moments in which the machine does nothing else. */
const ALONE = 60;
const ALONE_MS = 40;
const LOAD_MS = 80;
/** Until the compiler has optimized what a call runs. */
const WARM_UP_MS = 1000;

/** The rows of such a turn; `what` starts their names. */
export const loadRows = (what) => ({
  p50: { measure: `${what}, one at a time: p50`, unit: 'ms' },
  p95: { measure: `${what}, one at a time: p95`, unit: 'ms', rough: true },
  perSecond: { measure: `${what}, ${IN_FLIGHT} in flight`, unit: 'perSecond' },
  ...(MEASURES_PROCESSOR ? { processor: { measure: `${what}, ${IN_FLIGHT} in flight: CPU time of a call`, unit: 'ms' } } : {}),
});

/** `requests` are `[method, params]`, used in turn. Resolves once the server is warm. */
export async function stdioLoad(client, requests) {
  const texts = requests.map(([method, params]) => `"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}`);
  let next = 0;
  const request = () => requests[next++ % requests.length];
  await client.keepInFlight(texts, IN_FLIGHT, WARM_UP_MS);
  return async () => {
    const times = await timeRequests({ client, request }, ALONE);
    const many = await underLoad(client.pid, () => client.keepInFlight(texts, IN_FLIGHT, LOAD_MS));
    return { p50: percentile(times, 0.5), p95: percentile(times, 0.95), ...many };
  };
}

/** `requests` are texts for the wire, each on a connection of its own; `callers` is the process that sends them. */
export async function httpLoad({ port, pid }, callers, requests, expected) {
  const call = async (connections, milliseconds) => {
    const result = await callers.run({ port, requests, expected, connections, milliseconds });
    if (result.failed > 0) throw new Error(`${result.failed} calls failed: ${result.failure}`);
    return result;
  };
  await call(IN_FLIGHT, WARM_UP_MS);
  return async () => {
    const { p50, p95 } = await call(1, ALONE_MS);
    return { p50, p95, ...(await underLoad(pid, async () => call(IN_FLIGHT, LOAD_MS))) };
  };
}

async function underLoad(pid, run) {
  const before = processorMilliseconds(pid);
  const { calls, perSecond } = await run();
  return MEASURES_PROCESSOR ? { perSecond, processor: (processorMilliseconds(pid) - before) / calls } : { perSecond };
}
