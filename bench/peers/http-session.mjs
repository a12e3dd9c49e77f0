// The SDK's transport with sessions, each with its own server. With `json` as second argument, it responds without a stream.
import { randomUUID } from 'node:crypto';
import { getRequestListener } from '@hono/node-server';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { createMinimalServer, listen } from './http-server.mjs';

const enableJsonResponse = process.argv[3] === 'json';
const sessions = new Map();

async function begin() {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await createMinimalServer().connect(transport);
  return transport;
}

listen(
  getRequestListener(async (request) => {
    const transport = sessions.get(request.headers.get('mcp-session-id')) ?? (await begin());
    return transport.handleRequest(request);
  }),
);
