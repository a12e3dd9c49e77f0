// Runs commands of Footbridge in this process, one after the other, as its parent asks: each with its own input, folders and variables.
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

const { Io } = await import('../packages/footbridge/dist/cli/io.js');
const { main } = await import('../packages/footbridge/dist/cli/main.js');

/** How long a host waits for its answers. */
const PATIENCE_MS = 60_000;

process.on('message', async (message) => {
  if (message.run === undefined) return;
  const { args, cwd, home, env, input, answers } = message.run;
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const outputs = [text(stdout), text(stderr)];
  const ended = main(
    args,
    new Io({ stdin, stdout, stderr, env: { ...process.env, ...env }, cwd, home, stop: new AbortController().signal }),
  );
  stdin.write(input);
  // A host closes its side when it has its answers, or gives up.
  const patience = setTimeout(() => stdin.end(), PATIENCE_MS);
  let left = answers;
  createInterface({ input: stdout }).on('line', (line) => {
    if (!/^[^"]*"method":/.test(line) && --left <= 0) stdin.end();
  });
  if (left === 0) stdin.end();
  const code = await ended;
  clearTimeout(patience);
  stdout.end();
  stderr.end();
  const [out, errors] = await Promise.all(outputs);
  process.send({ ran: { code, out, errors } });
});
// The probe does not keep a program alive; what is asked of this one does.
process.channel.ref();
process.send({ ready: true });
