// Runs commands of Footbridge in this process, one after the other, as its parent asks: each with its own input, folders and variables.
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

const { Io } = await import('../packages/footbridge/dist/cli/io.js');
const { main } = await import('../packages/footbridge/dist/cli/main.js');

/** How long a host waits for its answers. */
const RUN_TIMEOUT_MS = 60_000;
const LONGEST_PONG = 100;

/** Sends a ping with this id to the command that runs, unless it is starting or ending. */
let ping = notServed;

process.on('message', async (message) => {
  if (message.ping !== undefined) return ping(message.ping);
  if (message.run === undefined) return;
  const { args, cwd, home, env, input, answers, files } = message.run;
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const outputs = [text(stdout), text(stderr)];
  const ended = main(
    args,
    new Io({ stdin, stdout, stderr, env: { ...process.env, ...env }, cwd, home, stop: new AbortController().signal }),
  );
  stdin.write(input);
  // A host closes its side when it has its answers, or gives up.
  const timer = setTimeout(() => stdin.end(), RUN_TIMEOUT_MS);
  let left = answers;
  const pings = new Set();
  createInterface({ input: stdout }).on('line', (line) => {
    const pinged = line.length < LONGEST_PONG ? /"id":"(ping-\d+)"/.exec(line)?.[1] : undefined;
    if (pings.delete(pinged)) process.send({ pinged, isServed: true });
    else if (!/^\{(?:"jsonrpc":"2\.0",)?"method":/.test(line)) left--;
    // `initialize` was answered.
    if (left === answers - 1) ping = send;
    if (left <= 0 && pings.size === 0) stdin.end();
  });
  const send = (id) => {
    if (stdin.writableEnded) return notServed(id);
    pings.add(id);
    stdin.write(`{"jsonrpc":"2.0","id":"${id}","method":"ping"}\n`);
  };
  if (left === 0) stdin.end();
  const code = await ended;
  ping = notServed;
  for (const id of pings) notServed(id);
  clearTimeout(timer);
  stdout.end();
  stderr.end();
  // As messages to the parent, long ones would take as long as a turn may.
  await Promise.all(outputs.map(async (output, at) => writeFile(files[at], await output)));
  process.send({ ran: { code } });
});

function notServed(pinged) {
  process.send({ pinged, isServed: false });
}

// The probe does not keep a program alive; what is asked of this one does.
process.channel.ref();
process.send({ ready: true });
