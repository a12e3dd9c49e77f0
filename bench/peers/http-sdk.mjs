// The SDK's own HTTP handler, which builds a server for each request, on Node as the SDK's adapter does it.
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createMinimalServer, listen } from './http-server.mjs';

const handler = createMcpHandler(createMinimalServer);

listen(getRequestListener((request) => handler.fetch(request)));
