// The minimum in Node: reads JSON and responds with JSON to any request.
import { content, listen } from './http-server.mjs';

const result = { content: [{ type: 'text', text: content.text }], resultType: 'complete' };

listen((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const body = JSON.stringify({ result, jsonrpc: '2.0', id });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
});
