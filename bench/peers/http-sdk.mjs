// The SDK's own HTTP handler, which creates a server for each request, with the SDK's Node adapter.
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createMinimalServer, listen } from './http-server.mjs';

const handler = createMcpHandler(createMinimalServer);

listen(getRequestListener((request) => handler.fetch(request)));
