/** The log of the HTTP server: a line for each request, as JSON for machines or as text for people. */
import { destination as fileDestination, type Level, type LoggerOptions, pino, stdTimeFunctions } from 'pino';
import { createLog, type Log, type LogLevel } from '../../log.js';
import { shown } from './shown.js';

export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** One HTTP request that is over: never its headers, its body or its query. */
export interface RequestEntry {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** How long the answer was, where that is known. */
  readonly bytes?: number | undefined;
  readonly caller?: string | undefined;
  /** What the protocol's message asked for. */
  readonly mcpMethod?: string | undefined;
  /** The tool, prompt or URI it is about. */
  readonly target?: string | undefined;
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

/** A log that writes what is of `level` and above. */
export function createRequestLog(level: LogLevel, options: RequestLogOptions = {}): RequestLog {
  const { format = process.stderr.isTTY ? 'text' : 'json', destination } = options;
  const write = destination === undefined ? undefined : (line: string) => destination.write(line);
  return format === 'text' ? textLog(level, write) : jsonLog(level, destination);
}

function textLog(level: LogLevel, write: ((line: string) => void) | undefined): RequestLog {
  const log = createLog(level, write);
  return withRequests(log, level, (at, { id, method, path, status, milliseconds, bytes, caller, mcpMethod, target }) => {
    const parts = [method, path, status, mcpMethod, target, `${milliseconds} ms`, bytes === undefined ? undefined : `${bytes} bytes`];
    const who = caller === undefined ? undefined : `by ${caller}`;
    log[at]([...parts, who, `(${id})`].filter((part) => part !== undefined).join(' '));
  });
}

function jsonLog(level: LogLevel, destination: RequestLogOptions['destination']): RequestLog {
  const settings: LoggerOptions = {
    level,
    base: null,
    messageKey: 'message',
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  // Written at once: a line that waits in a buffer is lost when the process ends badly.
  const logger = pino(settings, destination ?? fileDestination({ dest: 2, sync: true }));
  const at = (name: Level) => (message: string) => logger[name](message.replace(/\p{Cc}+/gu, ' '));
  const log = { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug'), debugs: level === 'debug' };
  return withRequests(log, level, (name, entry) => logger[name](entry, 'request'));
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

function safely({ id, method, path, status, milliseconds, bytes, caller, mcpMethod, target }: RequestEntry): RequestEntry {
  return {
    // Looking for secrets in an id that no other request has would cost more than the rest of the line.
    id: PLAIN_ID.test(id) ? id : shown(id),
    method: shown(method),
    path: shownPath(path),
    status,
    milliseconds: Math.round(milliseconds * 100) / 100,
    bytes,
    caller: caller === undefined ? undefined : shown(caller),
    mcpMethod: mcpMethod === undefined ? undefined : shown(mcpMethod),
    target: target === undefined ? undefined : shown(target),
  };
}

/** Each segment by itself, since a path of a URL is none of this machine; no more of them than our own have. */
function shownPath(path: string): string {
  const [bare = ''] = path.split(/[?#]/, 1);
  const segments = bare.split('/', MOST_SEGMENTS + 1);
  return [...segments.slice(0, MOST_SEGMENTS).map(shown), ...(segments.length > MOST_SEGMENTS ? ['…'] : [])].join('/');
}
