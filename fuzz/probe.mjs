// Loaded first into a program that is fuzzed, with --import: measures how long one turn of its event loop computes.
import { openSync, readSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A turn is what happens between two ticks: one round of the event loop, and at most this long before it. */
const TICK_MS = 4;
const cpuMs = ownClock();
let last = cpuMs();
let at = performance.now();
let longest = { cpu: 0, wall: 0 };

setInterval(tick, TICK_MS).unref();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

// The parent process requests the longest turn since its last request, and the memory in use.
process.on('message', (message) => {
  if (message?.probe === 'used') return reportUsed();
  if (message?.probe !== 'turn') return;
  tick();
  process.send?.({ probe: 'turn', ...longest });
  longest = { cpu: 0, wall: 0 };
});
process.channel?.unref();

function reportUsed() {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ used: heapUsed + external });
  // It was not the program's doing.
  last = cpuMs();
}

function tick() {
  const [cpu, now] = [cpuMs(), performance.now()];
  if (cpu - last > longest.cpu) longest = { cpu: cpu - last, wall: now - at };
  last = cpu;
  at = now;
}

/** The processor time of the main thread, which waits for no other process. Where it is unknown, that of all threads. */
function ownClock() {
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    const bytes = Buffer.alloc(64);
    return () => Number(bytes.toString('latin1', 0, readSync(file, bytes, 0, 64, 0)).split(' ', 1)[0]) / 1e6;
  } catch {
    return () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    };
  }
}
