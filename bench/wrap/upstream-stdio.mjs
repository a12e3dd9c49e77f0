// The wrapped server, over stdio.
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createUpstream } from './upstream.mjs';

await createUpstream().connect(new StdioServerTransport());
