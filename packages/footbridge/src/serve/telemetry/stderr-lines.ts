/** Non-blocking output to stderr: lines that are not read in time are dropped and counted. */
import { writeSync } from 'node:fs';
import { systemCode } from '../../errors.js';

/** In characters. */
const MAX_PENDING = 1024 * 1024;
const RETRY_MS = 50;
/** How long the exit waits for a reader that reads nothing. */
const EXIT_TIMEOUT_MS = 1000;
const PAUSE_MS = 10;

type Write = (line: string) => void;

/** Returns a function that takes lines with their line ends and writes those of one turn together. `reportDropped` writes the count of lost lines. */
export function stderrWriter(reportDropped: (count: number, write: Write) => void): Write {
  // Accessing the stream makes a pipe non-blocking: a write to a full one then fails with EAGAIN.
  const { fd } = process.stderr;
  let lines: string[] = [];
  let pending = 0;
  let dropped = 0;
  /** The rest of a partial write. */
  let rest: Uint8Array = new Uint8Array();
  let isStarted = false;
  let isScheduled = false;

  /** Writes as much as possible; returns whether that was everything. */
  function flush(): boolean {
    while (rest.length > 0 || lines.length > 0 || dropped > 0) {
      if (rest.length === 0) gather();
      try {
        rest = rest.subarray(writeSync(fd, rest));
      } catch (error) {
        if (systemCode(error) === 'EAGAIN') return false;
        // A closed pipe or a full disk must not stop the server.
        rest = new Uint8Array();
      }
    }
    return true;
  }

  function gather(): void {
    if (dropped > 0) reportDropped(dropped, (line) => lines.push(line));
    rest = Buffer.from(lines.join(''));
    lines = [];
    pending = 0;
    dropped = 0;
  }

  function flushSoon(): void {
    isScheduled = !flush();
    if (isScheduled) setTimeout(flushSoon, RETRY_MS).unref();
  }

  /** On exit: waits as long as the reader makes progress. */
  function finish(): void {
    let left = rest.length;
    for (let waited = 0; !flush() && waited < EXIT_TIMEOUT_MS; waited += PAUSE_MS) {
      if (rest.length !== left) waited = 0;
      left = rest.length;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }

  return (line) => {
    if (pending + line.length > MAX_PENDING) {
      dropped++;
      return;
    }
    pending += line.length;
    lines.push(line);
    if (!isStarted) process.once('exit', finish);
    isStarted = true;
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(flushSoon);
  };
}
