// A process with many clients of every kind, each with its own connection, that call now and then while others listen.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { open } from './connection.mjs';
import { openListener } from './listeners.mjs';
import { beginSession, legacy, modern } from './requests.mjs';

/** How many connect at once: the length of the server's accept queue is not what is measured. */
const BATCH = 50;
/** Time from a response to the client's next call, in milliseconds. */
const PAUSE = [300, 900];
/** When new skills are written, in milliseconds from the start: during the calls, and before memory is compared. */
const CHANGES = [8000, 11_000, 14_000];
const HEARD_WITHIN_MS = 10_000;

/** How each kind of client builds a request. It is given its connection, because some need a session. */
const KINDS = [
  async () => modern,
  async () => legacy,
  async (connection) => {
    const session = await beginSession(connection);
    return (method, params) => legacy(method, params, session);
  },
];

let crowd;

process.on('message', async (task) => {
  if (crowd === undefined) {
    crowd = await gather(task);
    process.send({});
  } else process.send(await run(crowd, task));
});

/** Opens all connections. Failures to connect are reported with the failed calls. */
async function gather({ port, clients, listeners, calls }) {
  const failures = [];
  const enter = async (index) => {
    const connection = await open(port);
    const request = await KINDS[index % KINDS.length](connection);
    const own = calls.map(({ method, params, expected }) => ({ bytes: request(method, params), expected: Buffer.from(expected) }));
    // A server closes a connection without a first request after a short time.
    await connection.send(own[0].bytes);
    return { connection, calls: own };
  };
  const inBatches = async (count, make) => {
    const made = [];
    for (let first = 0; first < count; first += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => make(first + index));
      made.push(...(await Promise.allSettled(batch)));
    }
    failures.push(...made.filter(({ status }) => status === 'rejected').map(({ reason }) => reason.message));
    return made.filter(({ status }) => status === 'fulfilled').map(({ value }) => value);
  };
  return {
    failures,
    clients: await inBatches(clients, enter),
    listeners: await inBatches(listeners, (index) => openListener(port, index)),
  };
}

/** Resolves with the number of calls, the failures, and how long it took until every listener was notified of each change. */
async function run({ clients, failures, listeners }, { milliseconds, skills }) {
  const begin = performance.now();
  const end = begin + milliseconds;
  let made = 0;

  async function call({ connection, calls }, index) {
    // Spread over the longest pause, so that they do not call in step.
    await setTimeout((PAUSE[1] * index) / clients.length);
    for (let turn = index; performance.now() < end; turn++) {
      const { bytes, expected } = calls[turn % calls.length];
      made++;
      const { status, body } = await connection.send(bytes);
      if (status !== 200 || !body.includes(expected)) failures.push(`status ${status}: ${body.toString('utf8', 0, 200)}`);
      await setTimeout(PAUSE[0] + ((turn * 7919) % (PAUSE[1] - PAUSE[0])));
    }
  }

  const [heard] = await Promise.all([
    change(listeners, skills, begin),
    ...clients.map((client, index) => call(client, index).catch((error) => failures.push(error.message))),
  ]);
  const ended = listeners.filter((listener) => listener.ended !== undefined);
  failures.push(...ended.map(({ ended: reason, way }) => `a stream (${way}) ended: ${reason}`));
  return { made, failed: failures.length, failure: failures[0], heard };
}

/** Writes new skills one after the other; resolves with the milliseconds until all listeners were notified of each. */
async function change(listeners, skills, begin) {
  const heard = [];
  for (const [index, at] of CHANGES.entries()) {
    await setTimeout(Math.max(0, begin + at - performance.now()));
    const folder = join(skills, `new-${index}`);
    mkdirSync(folder);
    const written = performance.now();
    writeFileSync(join(folder, 'SKILL.md'), `---\nname: new-${index}\ndescription: It was not there before.\n---\n\nRead it.\n`);
    const waiting = () => listeners.filter(({ heardAt }) => heardAt < written).length;
    while (waiting() > 0 && performance.now() < written + HEARD_WITHIN_MS) await setTimeout(5);
    // null if some never were: JSON has no infinity.
    heard.push(waiting() > 0 ? null : Math.max(...listeners.map(({ heardAt }) => heardAt)) - written);
  }
  return heard;
}
