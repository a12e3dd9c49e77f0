/** The stdio transport: one message per line. */
import type { ChildProcess } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { echo, systemCode } from '../../../errors.js';
import { DEEPEST, MAX_VALUES } from '../../../json.js';
import { takeJson } from '../../../json-pieces.js';
import { JsonQueue } from '../../../json-queue.js';
import { fieldsOf, type ParsedJson } from '../../../json-turns.js';
import { LineReader } from '../../../lines.js';
import type { Log } from '../../../log.js';
import { redact } from '../../../redact.js';
import { UpstreamError, type UpstreamFailure } from '../failure.js';
import type { CommandServer } from '../options.js';
import { failedAnswer } from './failed-answer.js';
import { takeHeadStart } from './head-start.js';
import { endTree, endWithUs, isAlive, killTree, outlive, startChild } from './process-tree.js';
import { LONGEST_MESSAGE, type TransportEvents, type UpstreamTransport } from './transport.js';

/** Unread bytes before the server is killed. */
const MAX_UNREAD = 128 * 1024 * 1024;

export interface StdioTransportOptions {
  /** For the log. */
  readonly name: string;
  /** Gets each line of its stderr. */
  readonly stderr: (line: string) => void;
  /** How long it may take to exit after its stdin is closed. */
  readonly exitMs?: number | undefined;
  readonly log: Log;
}

/** Longest line of stderr; the rest is cut. */
const LONGEST_REMARK = 4096;

/** How long to wait for buffered output after the exit. */
const LAST_WORDS_MS = 1000;

export function stdioTransport(server: CommandServer, { name, stderr, exitMs, log }: StdioTransportOptions): UpstreamTransport {
  let child: ChildProcess | undefined;
  let ending: Promise<void> | undefined;
  let outgoing = '';
  let noisy = false;
  let gaveUp: UpstreamFailure | undefined;

  /** Kills a server that violates the limits. */
  const giveUp = (message: string) => {
    gaveUp ??= { kind: 'protocol', message };
    if (child !== undefined) killTree(child);
  };
  const flush = () => {
    const text = outgoing;
    outgoing = '';
    child?.stdin?.write(text);
    if ((child?.stdin?.writableLength ?? 0) > MAX_UNREAD) giveUp('The process stopped reading its stdin.');
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
    const take = (parsed: ParsedJson, line: string) => {
      const message = fieldsOf(parsed);
      if (message !== undefined) return receive(message);
      warnOnce(line);
      const id = ANSWERED.exec(line.slice(0, LONGEST_REMARK))?.[1];
      if (id !== undefined)
        receive(failedAnswer(Number(id), { kind: 'protocol', message: 'The server sent an answer that cannot be read.' }));
    };
    const input = { pause: () => started.stdout?.pause(), resume: () => started.stdout?.resume() };
    const texts = new JsonQueue(input, { values: MAX_VALUES, depth: DEEPEST }, take);
    const lines = new LineReader(
      LONGEST_MESSAGE,
      (line) => texts.push(line),
      () => giveUp(`The process wrote a line longer than ${LONGEST_MESSAGE} bytes.`),
    );
    started.stdout?.on('data', lines.push);
    const remarks = new LineReader(
      LONGEST_MESSAGE,
      (line) => stderr(plain(line).slice(0, LONGEST_REMARK)),
      () => {},
    );
    started.stderr?.on('data', remarks.push);
    started.stderr?.on('end', () => remarks.end());
    // 'exit' reports its end.
    started.stdin?.on('error', () => {});
    let over = false;
    const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
      // Its last output may still be in the parser.
      if (texts.idle !== undefined) return void texts.idle.then(() => finish(code, signal));
      outlive(started);
      const message = signal === null ? `The process exited with code ${code}.` : `The process was killed by ${signal}.`;
      if (ending === undefined && !over) closed(gaveUp ?? { kind: 'exited', message });
      over = true;
    };
    started.on('exit', (code, signal) => {
      // Its descendants may hold its stdout open.
      if (ending === undefined) killTree(started);
      setTimeout(finish, LAST_WORDS_MS, code, signal).unref();
    });
    started.on('close', finish);
  };

  return {
    async start(events) {
      const reason = await server.mayStart?.();
      if (reason !== undefined) throw new UpstreamError('untrusted', reason);
      if (ending !== undefined) throw new UpstreamError('disconnected', 'The connection was closed.');
      const early = takeHeadStart(server);
      if (early !== undefined) {
        child = early;
        endWithUs(early);
        // The exit may not have been reported while modules were loading.
        await setImmediate();
        if (ending !== undefined) throw new UpstreamError('disconnected', 'The connection was closed.');
        if (isAlive(early)) return listen(early, events);
        killTree(early);
        outlive(early);
      }
      const started = startChild(server);
      child = started;
      endWithUs(started);
      listen(started, events);
      await new Promise<void>((resolve, reject) => {
        started.once('spawn', resolve);
        started.once('error', (cause) => reject(explain(cause)));
      });
    },
    send(message) {
      const line = `${takeJson(message)}\n`;
      // Batches the messages of one tick.
      if (outgoing === '') process.nextTick(flush);
      outgoing += line;
    },
    close() {
      ending ??= end();
      return ending;
    },
  };
}

/** Removes control characters. */
function plain(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
}

function explain(cause: unknown): UpstreamError {
  const code = systemCode(cause);
  if (code === 'ENOENT') return new UpstreamError('not-found', 'Command not found, or its working folder does not exist.');
  if (code === 'EACCES') return new UpstreamError('spawn', 'The command is not executable.');
  return new UpstreamError('spawn', `The command could not be started (${code ?? 'unknown reason'}).`);
}

/** The id of the request that an invalid line answers, which would otherwise wait forever. */
const ANSWERED = /^\{ ?(?:"jsonrpc": ?"2\.0", ?)?"id": ?(\d{1,15}), ?"(?:result|error)"/;
