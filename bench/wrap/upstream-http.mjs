// The wrapped server, over HTTP.
import { createServer } from 'node:http';
import { answer } from './sessions.mjs';

const server = createServer(answer);
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`));
