/** Reads everything that a server lists, with every field. */
import type { Fields } from '../../json.js';
import type { Log } from '../../log.js';
import { METHOD_NOT_FOUND, ServerError } from '../../sources/server/channel.js';
import { UpstreamClient } from '../../sources/upstream/client.js';
import { UpstreamError } from '../../sources/upstream/failure.js';
import type { UpstreamServer } from '../../sources/upstream/options.js';
import { plain } from '../terminal.js';
import { canonicalList, type Entry, LISTS, type ListName, type Surface, SurfaceFailure } from './canonical.js';
import { shortened } from './report.js';

/** A server with more pages than this repeats itself. */
const MAX_PAGES = 10_000;
/** How long to wait for a list that the server does not declare. */
const UNDECLARED_MS = 5000;

interface ReadSurfaceOptions {
  /** For each answer. */
  readonly timeoutMs: number;
  /** Rejects when the user interrupts; the server is ended first. */
  readonly interrupted: Promise<never>;
  readonly log: Log;
  /** Gets each line of the server's stderr. */
  readonly stderr: (line: string) => void;
}

/** Rejects with a `SurfaceFailure` after the server has exited. */
export async function readSurface(server: UpstreamServer, { timeoutMs, interrupted, log, stderr }: ReadSurfaceOptions): Promise<Surface> {
  const client = new UpstreamClient(server, { clientName: 'footbridge-surface', timeoutMs, log, stderr });
  const reading = readAll(client, timeoutMs);
  try {
    return await Promise.race([reading, interrupted]);
  } catch (cause) {
    throw cause instanceof UpstreamError ? explained(cause, server) : cause;
  } finally {
    reading.catch(() => {});
    await client.close();
  }
}

async function readAll(client: UpstreamClient, timeoutMs: number): Promise<Surface> {
  const { handshake } = await client.connect();
  const list = (name: ListName) => readEntries(client, handshake.capabilities, name, timeoutMs);
  return {
    tools: await list('tools'),
    resources: await list('resources'),
    resourceTemplates: await list('resourceTemplates'),
    prompts: await list('prompts'),
  };
}

/** All pages of a list; empty if the server has none. Rejects with a `SurfaceFailure` or an `UpstreamError`. */
export async function readEntries(
  client: UpstreamClient,
  capabilities: Fields,
  name: ListName,
  timeoutMs: number,
): Promise<readonly Entry[]> {
  const { method, capability, key } = LISTS[name];
  const declared = capabilities[capability] !== undefined;
  const values: unknown[] = [];
  const cursors = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    let result: Fields;
    try {
      result = await client.request(
        method,
        cursor === undefined ? {} : { cursor },
        declared ? timeoutMs : Math.min(timeoutMs, UNDECLARED_MS),
      );
    } catch (cause) {
      if (!declared || (cause instanceof ServerError && cause.code === METHOD_NOT_FOUND && cursor === undefined)) return [];
      throw cause instanceof ServerError ? refused(method, cause) : cause;
    }
    const items = result[name];
    const entries = Array.isArray(items) ? canonicalList(name, items) : undefined;
    if (entries === undefined) throw malformed(`The answer to ${method} is not a list of ${name} with a ${key} each.`);
    for (const entry of entries) values.push(entry.fields);
    // Some servers mark the last page with an empty text or with null.
    const next = result['nextCursor'];
    if (typeof next !== 'string' || next === '') return canonicalList(name, values) ?? [];
    if (cursors.has(next) || cursors.size === MAX_PAGES) throw malformed(`${method} never reaches its last page.`);
    cursors.add(next);
    cursor = next;
  }
}

function malformed(message: string): SurfaceFailure {
  return new SurfaceFailure(message, 'Fix the server: hosts cannot use this answer either.');
}

function refused(method: string, { code, message }: ServerError): SurfaceFailure {
  return new SurfaceFailure(`The server refused ${method}: ${shortened(plain(message), 300)} (${code}).`, 'Check the log of the server.');
}

function explained({ kind, message }: UpstreamError, server: UpstreamServer): SurfaceFailure {
  const advice =
    'command' in server
      ? 'Check that the command starts an MCP server on stdin and stdout; its stderr is above.'
      : 'Check that a Streamable HTTP server listens at this URL; its path is often /mcp.';
  const action = () => {
    if (kind === 'auth') return 'Pass credentials with --header.';
    if (kind === 'timeout') return `${advice} Or allow more time with --timeout.`;
    if (kind === 'not-found' && 'command' in server) return 'Check its name. The command and its arguments go after --.';
    return advice;
  };
  return new SurfaceFailure(shortened(plain(message), 600), action());
}
