/** The log of the HTTP server: one line per request, as JSON or text. */
import { createLog, type Log, type LogLevel, leveled } from '../../log.js';
import { safeText } from './safe-text.js';
import { stderrWriter } from './stderr-lines.js';

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
    const { id, method, path, status, milliseconds, caller, mcpMethod, target, refused, remote } = entry;
    const parts = [
      `footbridge ${at}: ${method} ${path} ${status}`,
      mcpMethod,
      target,
      `${milliseconds} ms`,
      caller && `by ${caller}`,
      remote && `from ${remote}`,
    ];
    write(`${parts.filter(Boolean).join(' ')}${refused === undefined ? '' : `: ${refused}`} (${id})\n`);
  });
}

function jsonLog(level: LogLevel, write: Write): RequestLog {
  const now = clock();
  const log = leveled(level, (at, message) => write(`${JSON.stringify({ level: at, time: now(), message })}\n`));
  return withRequests(log, level, (at, entry) => write(`${JSON.stringify({ level: at, time: now(), ...entry, message: 'request' })}\n`));
}

/** ISO 8601, cached because many lines share a millisecond. */
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

function safely({ id, method, path, status, milliseconds, caller, mcpMethod, target, refused, remote }: RequestEntry): RequestEntry {
  return {
    // Redacting a generated ID would cost more than the rest of the line.
    id: PLAIN_ID.test(id) ? id : safeText(id),
    method: safeText(method),
    path: safePath(path),
    status,
    milliseconds: Math.round(milliseconds * 100) / 100,
    caller: caller === undefined ? undefined : safeText(caller),
    remote,
    mcpMethod: mcpMethod === undefined ? undefined : safeText(mcpMethod),
    target: target === undefined ? undefined : safeText(target),
    refused: refused === undefined ? undefined : safeText(refused),
  };
}

/** Redacted by segment, so that a URL path is not taken for a local file. */
function safePath(path: string): string {
  if (ENDPOINTS.has(path)) return path;
  const [bare = ''] = path.split(/[?#]/, 1);
  const segments = bare.split('/', MAX_SEGMENTS + 1);
  return [...segments.slice(0, MAX_SEGMENTS).map(safeText), ...(segments.length > MAX_SEGMENTS ? ['…'] : [])].join('/');
}
