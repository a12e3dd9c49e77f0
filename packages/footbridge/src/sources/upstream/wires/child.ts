/** A server that is started by a command: one message a line over its stdin and stdout. */
import type { ChildProcess } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { systemCode } from '../../../errors.js';
import { type Fields, isDeep, isFields } from '../../../json.js';
import { LineReader } from '../../../lines.js';
import type { Log } from '../../../log.js';
import type { CommandServer } from '../options.js';
import { takeHeadStart } from './head-start.js';
import { endTree, endWithUs, isAlive, killTree, outlive } from './process-tree.js';
import { startChild } from './start-child.js';
import type { Wire, WireEvents } from './wire.js';

/** A longer line is no message that anybody would take. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** What a server may leave unread. */
const MOST_UNREAD = 128 * 1024 * 1024;

export interface ChildOptions {
  /** For the log. */
  readonly name: string;
  /** Whether what it writes to stderr goes to ours as it is; else each line is logged. */
  readonly inherit: boolean;
  readonly log: Log;
}

/** A longer line of stderr is cut. */
const LONGEST_REMARK = 4096;

/** How long what a server said before it ended may take to arrive. */
const LAST_WORDS_MS = 1000;

export function childWire(server: CommandServer, { name, inherit, log }: ChildOptions): Wire {
  let child: ChildProcess | undefined;
  let ending: Promise<void> | undefined;
  let outgoing = '';
  let noisy = false;
  let gaveUp: string | undefined;

  /** Ends a server that cannot be spoken with, and says why. */
  const giveUp = (reason: string) => {
    gaveUp ??= reason;
    if (child !== undefined) killTree(child);
  };
  const flush = () => {
    const text = outgoing;
    outgoing = '';
    child?.stdin?.write(text);
    if ((child?.stdin?.writableLength ?? 0) > MOST_UNREAD) giveUp('It did not read what it was told.');
  };
  const end = async () => {
    if (child === undefined) return;
    await endTree(child);
    outlive(child);
  };
  const warnOnce = (problem: string) => {
    if (!noisy) log.warn(`${name}: ${problem} Its stdout is for messages alone; stderr is for all else.`);
    noisy = true;
  };
  const listen = (started: ChildProcess, { receive, closed }: WireEvents) => {
    const take = (line: string) => {
      const message = parse(line);
      if (message === undefined) warnOnce('The server wrote what is no message to its stdout.');
      else receive(message);
    };
    const lines = new LineReader(LONGEST_LINE, take, () => giveUp(`It wrote a line of over ${LONGEST_LINE} bytes.`));
    started.stdout?.on('data', lines.push);
    const remark = (line: string) => log.info(`${name}: ${plain(line).slice(0, LONGEST_REMARK)}`);
    started.stderr?.on('data', new LineReader(LONGEST_LINE, remark, () => {}).push);
    // Its end is told by 'exit'.
    started.stdin?.on('error', () => {});
    let over = false;
    const finish = (code: number | null, signal: NodeJS.Signals | null) => {
      outlive(started);
      const outcome = signal === null ? `It ended with exit code ${code}.` : `It was ended by ${signal}.`;
      if (ending === undefined && !over) closed(gaveUp ?? outcome);
      over = true;
    };
    started.on('exit', (code, signal) => {
      // What it started may be left behind, and hold on to its stdout.
      if (ending === undefined) killTree(started);
      setTimeout(finish, LAST_WORDS_MS, code, signal).unref();
    });
    started.on('close', finish);
  };

  return {
    async start(events) {
      const early = inherit ? takeHeadStart(server) : undefined;
      if (early !== undefined) {
        child = early;
        endWithUs(early);
        // Loading leaves the event loop no turn in which it could hear that the process has ended.
        await setImmediate();
        if (ending !== undefined) throw new Error('The connection was closed.');
        if (isAlive(early)) return listen(early, events);
        killTree(early);
        outlive(early);
      }
      const started = startChild(server, inherit);
      child = started;
      endWithUs(started);
      listen(started, events);
      await new Promise<void>((resolve, reject) => {
        started.once('spawn', resolve);
        started.once('error', (cause) => reject(new Error(explain(cause))));
      });
    },
    send(message) {
      const line = `${JSON.stringify(message)}\n`;
      // All that is sent in one go is written in one go.
      if (outgoing === '') process.nextTick(flush);
      outgoing += line;
    },
    close() {
      ending ??= end();
      return ending;
    },
  };
}

/** What could steer a terminal is left out. */
function plain(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}]/gu, '');
}

function explain(cause: unknown): string {
  const code = systemCode(cause);
  if (code === 'ENOENT') return 'There is no such command, or its working folder does not exist.';
  if (code === 'EACCES') return 'The command may not be run.';
  return `The command cannot be started (${code ?? 'unknown reason'}).`;
}

function parse(line: string): Fields | undefined {
  try {
    const value: unknown = isDeep(line) ? undefined : JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
