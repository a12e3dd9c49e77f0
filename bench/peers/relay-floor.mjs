// The floor: a relay that only rewrites the ids of requests and restores them in responses.
// `-- COMMAND ARGS` relays stdio to stdio, `--http 0 -- COMMAND ARGS` HTTP to stdio, and a URL stdio to HTTP.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { Agent, createServer, request as httpRequest } from 'node:http';

const ACCEPT = 'application/json, text/event-stream';
const LINE_END = 0x0a;

const given = process.argv.slice(2);
const [command, ...args] = given.slice(given.indexOf('--') + 1);

if (given[0] === '--') stdioToStdio();
else if (given[0] === '--http') httpToStdio();
else stdioToHttp(given[0]);

function stdioToStdio() {
  const upstream = startUpstream();
  readLines(process.stdin, (message) => upstream.send(message, (answer) => writeLine(process.stdout, answer)));
  process.stdin.once('end', () => upstream.end());
}

function httpToStdio() {
  const upstream = startUpstream();
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const message = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const session = request.headers['mcp-session-id'] ?? randomUUID();
      upstream.send(message, (answer) => {
        const body = JSON.stringify(answer);
        const length = Buffer.byteLength(body);
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': length, 'mcp-session-id': session });
        response.end(body);
      });
      if (message.id === undefined) response.writeHead(202).end();
    });
  });
  server.listen(0, '127.0.0.1', () => process.stderr.write(`http://127.0.0.1:${server.address().port}/mcp\n`));
}

function stdioToHttp(url) {
  const agent = new Agent({ keepAlive: true, noDelay: true });
  const numbers = renumber();
  let session;
  readLines(process.stdin, (message) => {
    const body = JSON.stringify(numbers.ask(message, (answer) => writeLine(process.stdout, answer)));
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), accept: ACCEPT };
    if (session !== undefined) headers['mcp-session-id'] = session;
    const request = httpRequest(url, { method: 'POST', agent, headers }, (response) => {
      session ??= response.headers['mcp-session-id'];
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        for (const answer of messagesOf(response, Buffer.concat(chunks).toString('utf8'))) numbers.answer(answer);
      });
    });
    request.end(body);
  });
  process.stdin.once('end', () => process.exit());
}

/** The messages of a body: one, several from a stream, or none. */
function messagesOf(response, body) {
  if (body === '') return [];
  if (response.headers['content-type']?.startsWith('text/event-stream') !== true) return [JSON.parse(body)];
  const lines = body.split('\n').filter((line) => line.startsWith('data:'));
  return lines.map((line) => line.slice('data:'.length).trim()).flatMap((data) => (data === '' ? [] : [JSON.parse(data)]));
}

function startUpstream() {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const numbers = renumber();
  readLines(child.stdout, numbers.answer);
  child.once('exit', () => process.exit());
  process.once('SIGTERM', () => child.stdin.end());
  return {
    send: (message, onAnswer) => writeLine(child.stdin, numbers.ask(message, onAnswer)),
    end: () => child.stdin.end(),
  };
}

/** New ids for requests, each with a handler for the response. */
function renumber() {
  const waiting = new Map();
  let last = 0;
  return {
    ask(message, onAnswer) {
      if (message.id === undefined) return message;
      waiting.set(++last, { id: message.id, onAnswer });
      message.id = last;
      return message;
    },
    answer(message) {
      const asked = waiting.get(message.id);
      // Notifications are dropped.
      if (asked === undefined) return;
      waiting.delete(message.id);
      message.id = asked.id;
      asked.onAnswer(message);
    },
  };
}

function writeLine(stream, message) {
  stream.write(`${JSON.stringify(message)}\n`);
}

function readLines(stream, onMessage) {
  let rest = Buffer.alloc(0);
  stream.on('data', (chunk) => {
    const buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = buffer.indexOf(LINE_END); end !== -1; end = buffer.indexOf(LINE_END, from)) {
      onMessage(JSON.parse(buffer.toString('utf8', from, end)));
      from = end + 1;
    }
    rest = buffer.subarray(from);
  });
}
