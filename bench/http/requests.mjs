// Requests as clients of each era send them, as text ready for a socket.

const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
/** The `_meta` of every 2026-07-28 request. */
export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const ACCEPT = 'application/json, text/event-stream';

/** A 2026-07-28 request. */
export function modern(method, params = {}, headers = {}) {
  const name = params.name ?? params.uri;
  const named = name === undefined ? {} : { 'mcp-name': name };
  return post(
    { method, params: { ...params, _meta: ENVELOPE } },
    { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...named, ...headers },
  );
}

/** A request of an older revision, with or without a session. Concurrent requests in one session need different `id`s. */
export function legacy(method, params = {}, session = undefined, id = 1) {
  return post({ id, method, params }, { 'mcp-protocol-version': LEGACY, ...sessionHeader(session) });
}

/** The two messages of an older client's handshake; the SSE transport has another path for them. */
export const initialize = (path = undefined) =>
  post(
    { method: 'initialize', params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } } },
    {},
    path,
  );
export const initialized = (session, path = undefined) =>
  post({ id: undefined, method: 'notifications/initialized' }, sessionHeader(session), path);

/** The notification stream of a session. */
export const sessionStream = (session) =>
  head('GET', '/mcp', { accept: 'text/event-stream', 'mcp-protocol-version': LEGACY, ...sessionHeader(session) });

/** The notification stream of 2026-07-28. */
export const modernStream = () => modern('subscriptions/listen', { notifications: { toolsListChanged: true } });

/** The SSE stream of 2024-11-05. Its first event contains the path for messages. */
export const oldStream = () => head('GET', '/sse', { accept: 'text/event-stream' });

function post(message, headers = {}, path = '/mcp') {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
  const length = Buffer.byteLength(body);
  return `${head('POST', path, { 'content-type': 'application/json', accept: ACCEPT, 'content-length': length, ...headers })}${body}`;
}

/** Starts a session; resolves with its id. */
export async function beginSession(connection) {
  const { head, status } = await connection.send(initialize());
  const session = /\r\nmcp-session-id: *(\S+)/i.exec(head)?.[1];
  if (status !== 200 || session === undefined) throw new Error(`No session: status ${status}`);
  const { status: accepted } = await connection.send(initialized(session));
  if (accepted !== 202) throw new Error(`The session was not opened: status ${accepted}`);
  return session;
}

function sessionHeader(session) {
  return session === undefined ? {} : { 'mcp-session-id': session };
}

function head(method, path, headers) {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
