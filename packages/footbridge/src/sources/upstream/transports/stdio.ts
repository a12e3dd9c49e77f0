/** A server that is started by a command: one message a line over its stdin and stdout. */
import type { ChildProcess } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { echo, systemCode } from '../../../errors.js';
import { type Fields, isDeep, isFields } from '../../../json.js';
import { LineReader } from '../../../lines.js';
import type { Log } from '../../../log.js';
import { redact } from '../../../redact.js';
import { UpstreamError, type UpstreamFailure } from '../failure.js';
import type { CommandServer } from '../options.js';
import { takeHeadStart } from './head-start.js';
import { endTree, endWithUs, isAlive, killTree, outlive } from './process-tree.js';
import { startChild } from './start-child.js';
import type { TransportEvents, UpstreamTransport } from './transport.js';

/** A longer line is no message that anybody would take. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** What a server may leave unread. */
const MOST_UNREAD = 128 * 1024 * 1024;

export interface StdioOptions {
  /** For the log. */
  readonly name: string;
  /** Where its stderr goes: to ours, or line by line to a function. */
  readonly stderr: 'inherit' | ((line: string) => void);
  /** How long it may take to exit after its stdin is closed. */
  readonly exitMs?: number | undefined;
  readonly log: Log;
}

/** A longer line of stderr is cut. */
const LONGEST_REMARK = 4096;

/** How long what a server said before it ended may take to arrive. */
const LAST_WORDS_MS = 1000;

export function stdioTransport(server: CommandServer, { name, stderr, exitMs, log }: StdioOptions): UpstreamTransport {
  let child: ChildProcess | undefined;
  let ending: Promise<void> | undefined;
  let outgoing = '';
  let noisy = false;
  let gaveUp: UpstreamFailure | undefined;

  /** Ends a server that cannot be spoken with, and says why. */
  const giveUp = (message: string) => {
    gaveUp ??= { kind: 'protocol', message };
    if (child !== undefined) killTree(child);
  };
  const flush = () => {
    const text = outgoing;
    outgoing = '';
    child?.stdin?.write(text);
    if ((child?.stdin?.writableLength ?? 0) > MOST_UNREAD) giveUp('The process stopped reading its stdin.');
  };
  const end = async () => {
    if (child === undefined) return;
    await endTree(child, exitMs);
    outlive(child);
  };
  const warnOnce = (line: string) => {
    if (!noisy)
      log.warn(
        `The server '${name}' wrote a line to stdout that is not a JSON-RPC message: ${echo(redact(plain(line.slice(0, LONGEST_REMARK))))}`,
      );
    noisy = true;
  };
  const listen = (started: ChildProcess, { receive, closed }: TransportEvents) => {
    const take = (line: string) => {
      const message = parse(line);
      if (message === undefined) warnOnce(line);
      else receive(message);
    };
    const lines = new LineReader(LONGEST_LINE, take, () => giveUp(`The process wrote a line longer than ${LONGEST_LINE} bytes.`));
    started.stdout?.on('data', lines.push);
    if (stderr !== 'inherit') {
      const remark = (line: string) => stderr(plain(line).slice(0, LONGEST_REMARK));
      started.stderr?.on('data', new LineReader(LONGEST_LINE, remark, () => {}).push);
    }
    // Its end is told by 'exit'.
    started.stdin?.on('error', () => {});
    let over = false;
    const finish = (code: number | null, signal: NodeJS.Signals | null) => {
      outlive(started);
      const message = signal === null ? `The process exited with code ${code}.` : `The process was killed by ${signal}.`;
      if (ending === undefined && !over) closed(gaveUp ?? { kind: 'exited', message });
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
      const early = stderr === 'inherit' ? takeHeadStart(server) : undefined;
      if (early !== undefined) {
        child = early;
        endWithUs(early);
        // Loading leaves the event loop no turn in which it could hear that the process has ended.
        await setImmediate();
        if (ending !== undefined) throw new UpstreamError('disconnected', 'The connection was closed.');
        if (isAlive(early)) return listen(early, events);
        killTree(early);
        outlive(early);
      }
      const started = startChild(server, stderr === 'inherit');
      child = started;
      endWithUs(started);
      listen(started, events);
      await new Promise<void>((resolve, reject) => {
        started.once('spawn', resolve);
        started.once('error', (cause) => reject(explain(cause)));
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

function explain(cause: unknown): UpstreamError {
  const code = systemCode(cause);
  if (code === 'ENOENT') return new UpstreamError('not-found', 'Command not found, or its working folder does not exist.');
  if (code === 'EACCES') return new UpstreamError('spawn', 'The command is not executable.');
  return new UpstreamError('spawn', `The command could not be started (${code ?? 'unknown reason'}).`);
}

function parse(line: string): Fields | undefined {
  try {
    const value: unknown = isDeep(line) ? undefined : JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
