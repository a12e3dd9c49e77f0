// The wrapped server over HTTP: one server per session and streamed responses, which is the SDK's default.
import { randomUUID } from 'node:crypto';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createUpstream } from './upstream.mjs';

const sessions = new Map();

async function begin() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  await createUpstream().connect(transport);
  return transport;
}

export async function answer(request, response) {
  const transport = sessions.get(request.headers['mcp-session-id']) ?? (await begin());
  await transport.handleRequest(request, response);
}
