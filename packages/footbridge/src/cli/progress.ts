/** What takes long says so: one line on stderr at a terminal, after a second, and gone when it is over. */
import type { SourcesProgress } from './options.js';
import { grouped } from './terminal.js';

/** Says what is being done now, such as `scanning… 12,000 folders`; an empty text takes the line away until there is another. */
export type Tell = (text: string) => void;

/** How long nothing is said: most of what people run is over by then. */
const SILENCE_MS = 1000;
/** How often the line is written anew at most. */
const REPAINT_MS = 80;
/** Of a terminal that does not say. */
const COLUMNS = 80;
/** What ends the program at a terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const CLEAR = '\r\u001b[K';

interface Work {
  text: string;
}

/** What is being done, the innermost last. */
const under: Work[] = [];
let began = 0;
let painted = 0;
let shown = '';
let timer: NodeJS.Timeout | undefined;
let restore: (() => void) | undefined;

/**
 * Does `work`, and says `what` it is while it takes longer than a second; `tell` says it anew, as often as it likes. Nothing is
 * written where stderr is no terminal. Of work inside work the innermost is told of.
 */
export async function withProgress<T>(what: string, work: (tell: Tell) => Promise<T>): Promise<T> {
  if (!isShown()) return work(() => {});
  const own: Work = { text: what };
  if (under.length === 0) {
    began = performance.now();
    timer = setInterval(paint, REPAINT_MS).unref();
  }
  under.push(own);
  try {
    return await work((text) => {
      own.text = text;
      // Whoever never pauses leaves no turn to a timer.
      paint();
    });
  } finally {
    under.splice(under.indexOf(own), 1);
    if (under.length === 0) {
      clearInterval(timer);
      clear();
    }
  }
}

/** What to say while sources are opened. */
export function openingSources(tell: Tell): SourcesProgress {
  let servers = 0;
  return {
    scanned: (folders) => tell(folders === undefined ? '' : `scanning… ${grouped(folders)} folders`),
    starting(waiting) {
      servers = Math.max(servers, waiting.length);
      tell(waiting.length === 0 ? '' : `starting ${waiting.join(', ')}… (${servers - waiting.length} of ${servers} ready)`);
    },
  };
}

function isShown(): boolean {
  return process.stderr.isTTY === true && process.env['TERM'] !== 'dumb' && !process.env['CI'];
}

function paint(): void {
  const now = performance.now();
  const text = [...under].reverse().find((work) => work.text !== '')?.text ?? '';
  if (text === '' || now - began < SILENCE_MS) {
    clear();
    return;
  }
  if (now - painted < REPAINT_MS || text === shown) return;
  painted = now;
  restore?.();
  // A line that is broken into two could not be taken back.
  process.stderr.write(`${CLEAR}${onOneLine(text)}`);
  shown = text;
  restore = makeWay();
}

function clear(): void {
  if (shown === '') return;
  shown = '';
  restore?.();
  process.stderr.write(CLEAR);
}

function onOneLine(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  const room = Math.max(10, (process.stderr.columns || COLUMNS) - 1);
  return plain.length <= room ? plain : `${plain.slice(0, room - 1)}…`;
}

/** Takes the line away before anything else is written, until the returned function is called. */
function makeWay(): () => void {
  const { stdout, stderr } = process;
  const before = [stdout, stderr].map((stream) => ({ stream, write: stream.write }));
  for (const { stream, write } of before) {
    stream.write = new Proxy(write, {
      apply(target, self, args) {
        clear();
        return Reflect.apply(target, self, args);
      },
    });
  }
  const signals = SIGNALS.map((signal) => ({ signal, listener: () => endBy(signal) }));
  for (const { signal, listener } of signals) process.on(signal, listener);
  process.on('exit', clear);
  return () => {
    for (const { stream, write } of before) stream.write = write;
    for (const { signal, listener } of signals) process.off(signal, listener);
    process.off('exit', clear);
    restore = undefined;
  };
}

/** Takes the line away, then leaves the signal to whoever else listens, or to what it does by itself. */
function endBy(signal: NodeJS.Signals): void {
  clear();
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}
