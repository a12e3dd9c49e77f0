/** The log of the HTTP server: a line for each request, as JSON for machines or as text for people. */
import { createLog, type Log, type LogLevel, leveled } from '../../log.js';
import { shown } from './shown.js';
import { stderrLines } from './stderr-lines.js';

export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** One HTTP request that is over: never its headers, its body or its query. */
export interface RequestEntry {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly caller?: string | undefined;
  /** What the protocol's message asked for. */
  readonly mcpMethod?: string | undefined;
  /** The tool, prompt or URI it is about. */
  readonly target?: string | undefined;
  /** Why it was turned away, and the address it came from, where it was. */
  readonly refused?: string | undefined;
  readonly remote?: string | undefined;
}

export interface RequestLog extends Log {
  /** Tells of a request at `info`, or at `debug` when only a machine looks after us. */
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
const MOST_SEGMENTS = 8;
/** Where hosts connect: most requests are for these. */
const ENDPOINTS: ReadonlySet<string> = new Set(['/mcp', '/messages', '/sse']);

/** A log that writes what is of `level` and above. Nothing is lost when the process ends, but what nobody reads is dropped. */
export function createRequestLog(level: LogLevel, options: RequestLogOptions = {}): RequestLog {
  const { format = process.stderr.isTTY ? 'text' : 'json', destination } = options;
  const logTo = format === 'text' ? textLog : jsonLog;
  if (destination !== undefined) return logTo(level, (line) => destination.write(line));
  const toStderr = stderrLines((count, write) =>
    logTo('warn', write).warn(`${count} ${count === 1 ? 'line' : 'lines'} of this log were dropped: nobody read them in time`),
  );
  return logTo(level, toStderr);
}

type Write = (line: string) => void;

function textLog(level: LogLevel, write: Write): RequestLog {
  const log = createLog(level, write);
  return withRequests(log, level, (at, { id, method, path, status, milliseconds, caller, mcpMethod, target, refused, remote }) => {
    const about = `${mcpMethod === undefined ? '' : ` ${mcpMethod}`}${target === undefined ? '' : ` ${target}`}`;
    const who = `${caller === undefined ? '' : ` by ${caller}`}${remote === undefined ? '' : ` from ${remote}`}${refused === undefined ? '' : `: ${refused}`}`;
    write(`footbridge ${at}: ${method} ${path} ${status}${about} ${milliseconds} ms${who} (${id})\n`);
  });
}

function jsonLog(level: LogLevel, write: Write): RequestLog {
  const now = clock();
  const log = leveled(level, (at, message) => write(`${JSON.stringify({ level: at, time: now(), message })}\n`));
  return withRequests(log, level, (at, { id, method, path, status, milliseconds, caller, mcpMethod, target, refused, remote }) => {
    const message = 'request';
    const line = { level: at, time: now(), id, method, path, status, milliseconds, caller, remote, mcpMethod, target, refused, message };
    write(`${JSON.stringify(line)}\n`);
  });
}

/** The time as ISO 8601 has it, made anew only when it is another: many lines share a millisecond. */
function clock(): () => string {
  let last = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== last) text = new Date(now).toISOString();
    last = now;
    return text;
  };
}

function withRequests(log: Log, level: LogLevel, tell: (at: 'info' | 'debug', entry: RequestEntry) => void): RequestLog {
  if (level !== 'info' && level !== 'debug') return { ...log, request: () => {} };
  return {
    ...log,
    request(entry) {
      const safe = safely(entry);
      const at = PROBES.has(safe.path) ? 'debug' : 'info';
      if (at === 'info' || level === 'debug') tell(at, safe);
    },
  };
}

function safely({ id, method, path, status, milliseconds, caller, mcpMethod, target, refused, remote }: RequestEntry): RequestEntry {
  return {
    // Looking for secrets in an id that no other request has would cost more than the rest of the line.
    id: PLAIN_ID.test(id) ? id : shown(id),
    method: shown(method),
    path: shownPath(path),
    status,
    milliseconds: Math.round(milliseconds * 100) / 100,
    caller: caller === undefined ? undefined : shown(caller),
    mcpMethod: mcpMethod === undefined ? undefined : shown(mcpMethod),
    target: target === undefined ? undefined : shown(target),
    refused: refused === undefined ? undefined : shown(refused),
    remote,
  };
}

/** Each segment by itself, since a path of a URL is none of this machine; no more of them than our own have. */
function shownPath(path: string): string {
  if (ENDPOINTS.has(path)) return path;
  const [bare = ''] = path.split(/[?#]/, 1);
  const segments = bare.split('/', MOST_SEGMENTS + 1);
  return [...segments.slice(0, MOST_SEGMENTS).map(shown), ...(segments.length > MOST_SEGMENTS ? ['…'] : [])].join('/');
}
