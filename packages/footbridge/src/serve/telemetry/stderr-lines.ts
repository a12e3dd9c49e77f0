/** Lines to stderr that hold nobody up: what is not read in time is dropped, and counted. */
import { writeSync } from 'node:fs';
import { systemCode } from '../../errors.js';

/** How much may wait for a reader, in characters. */
const MOST_WAITING = 1024 * 1024;
const RETRY_MS = 50;
/** How long the end of the process waits for a reader who takes nothing. */
const PATIENCE_MS = 1000;
const PAUSE_MS = 10;

type Write = (line: string) => void;

/** Takes lines, each with its end, and writes those of one turn together. `tellDropped` writes how many were lost. */
export function stderrLines(tellDropped: (count: number, write: Write) => void): Write {
  // Node makes a pipe non-blocking when its stream is asked for; a full one then refuses what is written.
  const { fd } = process.stderr;
  let lines: string[] = [];
  let waiting = 0;
  let dropped = 0;
  /** What a pipe took only in part. */
  let rest: Uint8Array = new Uint8Array();
  let isBegun = false;
  let isPlanned = false;

  /** Writes what can be written now; whether that was all. */
  function flush(): boolean {
    while (rest.length > 0 || lines.length > 0 || dropped > 0) {
      if (rest.length === 0) gather();
      try {
        rest = rest.subarray(writeSync(fd, rest));
      } catch (error) {
        if (systemCode(error) === 'EAGAIN') return false;
        // The reader has gone, or the disk is full: no reason to stop serving.
        rest = new Uint8Array();
      }
    }
    return true;
  }

  function gather(): void {
    if (dropped > 0) tellDropped(dropped, (line) => lines.push(line));
    rest = Buffer.from(lines.join(''));
    lines = [];
    waiting = 0;
    dropped = 0;
  }

  function flushSoon(): void {
    isPlanned = !flush();
    if (isPlanned) setTimeout(flushSoon, RETRY_MS).unref();
  }

  /** At the end of the process, which gives a reader time as long as they take something. */
  function finish(): void {
    let left = rest.length;
    for (let waited = 0; !flush() && waited < PATIENCE_MS; waited += PAUSE_MS) {
      if (rest.length !== left) waited = 0;
      left = rest.length;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }

  return (line) => {
    if (waiting + line.length > MOST_WAITING) {
      dropped++;
      return;
    }
    waiting += line.length;
    lines.push(line);
    if (!isBegun) process.once('exit', finish);
    isBegun = true;
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(flushSoon);
  };
}
