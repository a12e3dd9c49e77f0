/** Progress at a terminal: one line on stderr, shown after half a second and removed when the work is done. */
import { DEFAULT_COLUMNS, type Io } from './io.js';
import type { SourcesProgress } from './options.js';
import { grouped } from './terminal.js';

/** An empty text removes the line. */
export type ShowProgress = (text: string) => void;

/** Most commands finish before this. */
const SILENCE_MS = 500;
const REPAINT_MS = 80;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const CLEAR = '\r\u001b[K';

/**
 * Runs `work`, and shows `what` if it takes longer than half a second; `show` replaces the text. Silent unless stderr is a
 * terminal. Of nested work the innermost is shown.
 */
export async function withProgress<T>(what: string, work: (show: ShowProgress) => Promise<T>, io: Io): Promise<T> {
  const isShown = io.stderr.isTTY === true && io.env['TERM'] !== 'dumb' && !io.env['CI'];
  if (!isShown) return work(() => {});
  const line = lines.get(io) ?? new ProgressLine(io);
  lines.set(io, line);
  return line.during(what, work);
}

export function openingSources(show: ShowProgress): SourcesProgress {
  let servers = 0;
  return {
    scanned: (folders) => show(folders === undefined ? '' : `scanning… ${grouped(folders)} folders`),
    starting(waiting) {
      servers = Math.max(servers, waiting.length);
      show(waiting.length === 0 ? '' : `starting ${waiting.join(', ')}… (${servers - waiting.length} of ${servers} ready)`);
    },
  };
}

const lines = new WeakMap<Io, ProgressLine>();

class ProgressLine {
  readonly #io: Io;
  /** The innermost last. */
  readonly #tasks: { text: string }[] = [];
  #startedAt = 0;
  #paintedAt = 0;
  #shown = '';
  #timer: NodeJS.Timeout | undefined;
  #restore: (() => void) | undefined;

  constructor(io: Io) {
    this.#io = io;
  }

  async during<T>(what: string, work: (show: ShowProgress) => Promise<T>): Promise<T> {
    const task = { text: what };
    if (this.#tasks.length === 0) {
      this.#startedAt = performance.now();
      this.#timer = setInterval(() => this.#paint(), REPAINT_MS).unref();
    }
    this.#tasks.push(task);
    try {
      return await work((text) => {
        task.text = text;
        // The timer does not run during synchronous work.
        this.#paint();
      });
    } finally {
      this.#tasks.splice(this.#tasks.indexOf(task), 1);
      if (this.#tasks.length === 0) {
        clearInterval(this.#timer);
        this.#clear();
      }
    }
  }

  #paint(): void {
    const now = performance.now();
    const text = this.#tasks.findLast((task) => task.text !== '')?.text ?? '';
    if (text === '' || now - this.#startedAt < SILENCE_MS) {
      this.#clear();
      return;
    }
    if (now - this.#paintedAt < REPAINT_MS || text === this.#shown) return;
    this.#paintedAt = now;
    this.#restore?.();
    this.#io.stderr.write(`${CLEAR}${this.#fit(text)}`);
    this.#shown = text;
    this.#restore = this.#clearBeforeOutput();
  }

  #clear(): void {
    if (this.#shown === '') return;
    this.#shown = '';
    this.#restore?.();
    this.#io.stderr.write(CLEAR);
  }

  /** A line that wraps could not be cleared. */
  #fit(text: string): string {
    const plain = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
    const width = Math.max(10, (this.#io.stderr.columns || DEFAULT_COLUMNS) - 1);
    return plain.length <= width ? plain : `${plain.slice(0, width - 1)}…`;
  }

  /** Clears the line before anything else is written, until the returned function is called. */
  #clearBeforeOutput(): () => void {
    const clear = () => this.#clear();
    const { stdout, stderr } = this.#io;
    const before = [stdout, stderr].map((stream) => ({ stream, write: stream.write }));
    for (const { stream, write } of before)
      stream.write = new Proxy(write, {
        apply(target, self, args) {
          clear();
          return Reflect.apply(target, self, args);
        },
      });
    const signals = SIGNALS.map((signal) => ({ signal, listener: () => this.#endBy(signal) }));
    for (const { signal, listener } of signals) process.on(signal, listener);
    process.on('exit', clear);
    return () => {
      for (const { stream, write } of before) stream.write = write;
      for (const { signal, listener } of signals) process.off(signal, listener);
      process.off('exit', clear);
      this.#restore = undefined;
    };
  }

  /** Clears the line, then leaves the signal to its other listeners or to its default action. */
  #endBy(signal: NodeJS.Signals): void {
    this.#clear();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  }
}
