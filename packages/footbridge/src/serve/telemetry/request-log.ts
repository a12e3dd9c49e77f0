/** The log of the HTTP server: one line per request, as JSON or text. */
import { writeSync } from 'node:fs';
import { systemCode } from '../../errors.js';
import { isoTime } from '../../iso-time.js';
import { createLog, type Log, type LogLevel, leveled } from '../../log.js';
import { safeText } from './safe-text.js';

export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** A finished HTTP request, without headers, body or query. */
export interface RequestEntry {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly caller?: string | undefined;
  readonly mcpMethod?: string | undefined;
  /** The tool, prompt or URI. */
  readonly target?: string | undefined;
  /** The skill or resource that a tool call reads. */
  readonly subject?: string | undefined;
  /** For a rejected request: why, and the remote address. */
  readonly refused?: string | undefined;
  readonly remote?: string | undefined;
}

export interface RequestLog extends Log {
  /** Logs a request at `info`, health checks and metrics at `debug`. */
  request(entry: RequestEntry): void;
}

export interface RequestLogOptions {
  /** Default: text when stderr is a terminal, else JSON. */
  readonly format?: LogFormat;
  /** Default: stderr. */
  readonly destination?: { write(line: string): void };
}

const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);
const PLAIN_ID = /^[\da-f-]{1,36}$/;
const MAX_SEGMENTS = 8;
const ENDPOINTS: ReadonlySet<string> = new Set(['/mcp', '/messages', '/sse']);

/** Writes entries of `level` and above. Flushed on exit; lines that are not read in time are dropped. */
export function createRequestLog(level: LogLevel, options: RequestLogOptions = {}): RequestLog {
  const { format = process.stderr.isTTY ? 'text' : 'json', destination } = options;
  const logTo = format === 'text' ? textLog : jsonLog;
  if (destination !== undefined) return logTo(level, (line) => destination.write(line));
  const toStderr = stderrWriter((count, write) =>
    logTo('warn', write).warn(`Dropped ${count} log ${count === 1 ? 'line' : 'lines'} that were not read in time`),
  );
  return logTo(level, toStderr);
}

type Write = (line: string) => void;

function textLog(level: LogLevel, write: Write): RequestLog {
  return withRequests(createLog(level, write), level, (at, entry) => {
    const { id, method, path, status, milliseconds, caller, mcpMethod, target, subject, refused, remote } = entry;
    const request = `footbridge ${at}: ${method} ${path} ${status}`;
    const parts = [request, mcpMethod, target, subject, `${milliseconds} ms`, caller && `by ${caller}`, remote && `from ${remote}`];
    write(`${parts.filter(Boolean).join(' ')}${refused === undefined ? '' : `: ${refused}`} (${id})\n`);
  });
}

function jsonLog(level: LogLevel, write: Write): RequestLog {
  const log = leveled(level, (at, message) => write(`${JSON.stringify({ level: at, time: isoTime(Date.now()), message })}\n`));
  return withRequests(log, level, (at, entry) => {
    // A literal, field by field: copying an entry takes longer than writing it.
    const { id, method, path, status, milliseconds, caller, remote, mcpMethod, target, subject, refused } = entry;
    const line = {
      level: at,
      time: isoTime(Date.now()),
      id,
      method,
      path,
      status,
      milliseconds,
      caller,
      remote,
      mcpMethod,
      target,
      subject,
      refused,
      message: 'request',
    };
    write(`${JSON.stringify(line)}\n`);
  });
}

function withRequests(log: Log, level: LogLevel, write: (at: 'info' | 'debug', entry: RequestEntry) => void): RequestLog {
  if (level !== 'info' && level !== 'debug') return { ...log, request: () => {} };
  return {
    ...log,
    request(entry) {
      const safe = safely(entry);
      const at = PROBES.has(safe.path) ? 'debug' : 'info';
      if (at === 'info' || level === 'debug') write(at, safe);
    },
  };
}

function safely({
  id,
  method,
  path,
  status,
  milliseconds,
  caller,
  mcpMethod,
  target,
  subject,
  refused,
  remote,
}: RequestEntry): RequestEntry {
  return {
    // Redacting a generated ID would cost more than the rest of the line.
    id: PLAIN_ID.test(id) ? id : safeText(id),
    method: safeText(method),
    path: safePath(path),
    status,
    milliseconds: Math.round(milliseconds * 100) / 100,
    caller: caller && safeText(caller),
    remote,
    mcpMethod: mcpMethod && safeText(mcpMethod),
    target: target && safeText(target),
    subject: subject && safeText(subject),
    refused: refused && safeText(refused),
  };
}

/** Redacted by segment, so that a URL path is not taken for a local file. */
function safePath(path: string): string {
  if (ENDPOINTS.has(path)) return path;
  const [bare = ''] = path.split(/[?#]/, 1);
  const segments = bare.split('/', MAX_SEGMENTS + 1);
  return [...segments.slice(0, MAX_SEGMENTS).map(safeText), ...(segments.length > MAX_SEGMENTS ? ['…'] : [])].join('/');
}

/** In characters. */
const MAX_PENDING = 1024 * 1024;
const RETRY_MS = 50;
/** How long the exit waits for a reader that reads nothing. */
const EXIT_TIMEOUT_MS = 1000;
const PAUSE_MS = 10;

/** Returns a function that takes lines with their line ends and writes those of one turn together. `reportDropped` writes the count of lost lines. */
function stderrWriter(reportDropped: (count: number, write: Write) => void): Write {
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
