/** A server over HTTP, which both protocol eras share. */
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { HttpCase, HttpRequest } from '../case.js';
import { invalidMessage, leaksIn } from '../checks.js';
import { jsonOf, textOf } from '../value.js';
import { READER, type World } from '../world.js';
import { longestPing } from './ping.js';
import { Program } from './program.js';
import type { Places, Target } from './target.js';

/** How long the answer to a request is read: a stream may be open for ever. */
const READ_MS = 150;
const MAX_READ = 32 * 1024 * 1024;
/** Characters of a response before those of a stream begin. */
const LONGEST_HEAD = 16 * 1024;

const HEALTH = Buffer.from('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');

/** The part `http` of the configuration: one caller with a role, and limits that leave room for many requests. */
export const HTTP_CONFIG = {
  publicUrl: 'https://mcp.example.org',
  tokens: [{ name: 'reader', sha256: createHash('sha256').update(READER).digest('hex'), roles: ['reader'] }],
  roles: { reader: { skills: ['git', 'l*'], resources: ['docs://*', 'skill://*'], tools: ['*'], prompts: ['*'] } },
  limits: { callsPerMinute: 1_000_000, burst: 1_000_000 },
};

export async function startHttp(world: World, { command, probe }: Places, config: string): Promise<Target<HttpCase>> {
  const args = [command, 'serve', '--http', '0', '--config', config];
  const program = new Program({ args, cwd: world.project, env: world.env, probe });
  const port = await new Promise<number>((resolve, reject) => {
    let output = '';
    program.child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const found = /:(\d+)\/mcp/.exec(output)?.[1] ?? /listening on \S+:(\d+)/i.exec(output)?.[1];
      if (output.includes('Ctrl-C') && found !== undefined) resolve(Number(found));
    });
    program.child.once('exit', () => reject(new Error(`The server did not start: ${output}${program.stderr}`)));
  });
  let session: string | undefined;
  return {
    program,
    async run({ requests }, timeoutMs) {
      const problems: string[] = [];
      if (requests.some((request) => request.session === true)) session ??= await openSession(port, timeoutMs);
      const stream = requests.some(({ sse }) => sse === true) ? await openStream(port, timeoutMs) : undefined;
      if (requests.some(({ sse, unread }) => sse === true && unread !== true)) stream?.socket.resume();
      const sent = requests.map((request) =>
        bytesOf(request.sse === true && stream !== undefined ? { ...request, path: stream.path } : request, session),
      );
      let isOver = false;
      const answers = Promise.all(sent.map((bytes, index) => exchange(port, bytes, timeoutMs, requests[index]?.unread))).finally(() => {
        isOver = true;
        stream?.socket.destroy();
      });
      const unhealthy = new Set<string>();
      const ping = async () => {
        const { text } = await exchange(port, HEALTH, timeoutMs);
        if (!text.startsWith('HTTP/1.1 200')) unhealthy.add(`/healthz answers ${JSON.stringify(text.slice(0, 100))}`);
        return true;
      };
      const pingMs = await longestPing({ program, isOver: () => isOver, ping });
      problems.push(...unhealthy);
      for (const [index, answer] of (await answers).entries()) {
        const asked = sent[index]?.toString('utf8') ?? '';
        problems.push(...leaksIn(answer.text, asked, world, false), ...problemsOf(answer, requests[index]?.method));
        if (answer.text.startsWith('HTTP/1.1 404') && requests[index]?.session === true) session = undefined;
      }
      return { problems, pingMs };
    },
  };
}

function bytesOf({ method, path, headers, body, session: inSession }: HttpRequest, session: string | undefined): Buffer {
  const content = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : jsonOf(body));
  const given = headers.map(([name, value]) => `${name}: ${oneLine(textOf(value))}\r\n`).join('');
  const has = (name: string) => headers.some(([other]) => other.toLowerCase() === name);
  const own = [
    has('host') ? '' : 'host: localhost\r\n',
    has('authorization') ? '' : `authorization: Bearer ${READER}\r\n`,
    inSession === true && session !== undefined ? `mcp-session-id: ${session}\r\n` : '',
    content === undefined || has('content-length') || has('transfer-encoding') ? '' : `content-length: ${content.length}\r\n`,
  ].join('');
  const head = `${method} ${oneLine(textOf(path))} HTTP/1.1\r\nconnection: close\r\n${own}${given}\r\n`;
  return Buffer.concat([Buffer.from(head, 'utf8'), content ?? Buffer.alloc(0)]);
}

/** Line breaks would end a header: what follows would be another request, and its answer would not be ours. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]/g, ' ');
}

interface Answer {
  /** Its head and its body, without the marks of chunks. */
  readonly text: string;
  /** `cut` where the server closed the connection before the end of the body, `open` where we did. */
  readonly end: 'whole' | 'cut' | 'open';
}

/** All that is answered until the connection closes, or until nothing has come or was read for a while. */
function exchange(port: number, bytes: Buffer, timeoutMs: number, isUnread = false): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    let size = 0;
    let expected: number | undefined;
    const finish = (isClosed: boolean) => {
      clearTimeout(total);
      clearTimeout(idle);
      socket.destroy();
      resolve(answerOf(Buffer.concat(chunks), isClosed && size <= MAX_READ));
    };
    const done = () => finish(false);
    const total = setTimeout(done, timeoutMs);
    let idle: NodeJS.Timeout | undefined;
    socket.on('data', (chunk) => {
      size += chunk.length;
      if (size <= MAX_READ) chunks.push(chunk);
      expected ??= wholeSize(chunk);
      if (expected !== undefined && size >= expected) return done();
      clearTimeout(idle);
      idle = setTimeout(done, READ_MS);
      if (isUnread) socket.pause();
    });
    socket.on('close', () => finish(true)).on('error', () => {});
    socket.write(bytes);
  });
}

function answerOf(bytes: Buffer, isClosed: boolean): Answer {
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.toString('utf8', 0, end === -1 ? bytes.length : end + 4);
  const received = end === -1 ? Buffer.alloc(0) : bytes.subarray(end + 4);
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  const { body, isWhole } = /^transfer-encoding: chunked/im.test(head)
    ? joined(received)
    : { body: received, isWhole: length === undefined ? isClosed : received.length >= Number(length) };
  return { text: head + body.toString('utf8'), end: isWhole ? 'whole' : isClosed ? 'cut' : 'open' };
}

/** A body that is sent in chunks, as far as it has come. */
function joined(received: Buffer): { readonly body: Buffer; readonly isWhole: boolean } {
  const chunks: Buffer[] = [];
  for (let at = 0; at < received.length; ) {
    const end = received.indexOf('\r\n', at);
    const size = end === -1 ? Number.NaN : Number.parseInt(received.toString('latin1', at, end), 16);
    if (size === 0) return { body: Buffer.concat(chunks), isWhole: true };
    if (Number.isNaN(size)) break;
    chunks.push(received.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return { body: Buffer.concat(chunks), isWhole: false };
}

/** The size of a response whose head begins with this chunk. */
function wholeSize(chunk: Buffer): number | undefined {
  const head = chunk.indexOf('\r\n\r\n');
  const length = head === -1 ? undefined : /^content-length: (\d+)/im.exec(chunk.toString('latin1', 0, head))?.[1];
  return length === undefined ? undefined : head + 4 + Number(length);
}

/** A stream of the transport of 2024, of which nothing is read after the address for messages. */
function openStream(port: number, timeoutMs: number): Promise<{ readonly socket: Socket; readonly path: string } | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const give = (path?: string) => {
      clearTimeout(timer);
      resolve(path === undefined ? undefined : { socket, path });
    };
    const timer = setTimeout(() => {
      socket.destroy();
      give();
    }, timeoutMs);
    let text = '';
    socket.on('data', (chunk) => {
      if (text.length < LONGEST_HEAD) text += chunk.toString();
      const path = /^data: (\/messages\S+)$/m.exec(text)?.[1];
      if (path === undefined) return;
      socket.pause().removeAllListeners('data');
      give(path);
    });
    socket.on('close', () => give()).on('error', () => {});
    socket.write(bytesOf({ method: 'GET', path: '/sse', headers: [['accept', 'text/event-stream']] }, undefined));
  });
}

async function openSession(port: number, timeoutMs: number): Promise<string | undefined> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } };
  const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  const headers = [
    ['content-type', 'application/json'],
    ['accept', 'application/json, text/event-stream'],
  ] as const;
  const { text } = await exchange(port, bytesOf({ method: 'POST', path: '/mcp', headers, body }, undefined), timeoutMs);
  return /^mcp-session-id: (\S+)/im.exec(text)?.[1];
}

/** What is wrong with an answer as HTTP, and with a message in it. No answer at all is right for what is not a request. */
function problemsOf({ end, text }: Answer, method: string | undefined): string[] {
  if (text === '') return [];
  if (!/^HTTP\/1\.1 [1-5]\d\d /.test(text)) return [`not an HTTP response: ${JSON.stringify(text.slice(0, 100))}`];
  if (/^HTTP\/1\.1 500/.test(text)) return [`500: ${JSON.stringify(text.slice(0, 600))}`];
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  if (!/^content-type: application\/json/im.test(head) || method === 'HEAD') return [];
  if (end === 'cut') return [`a body that ends too early, after ${body.length} characters: ${JSON.stringify(body.slice(-200))}`];
  if (end === 'open' || !body.includes('"jsonrpc"')) return [];
  try {
    const message: unknown = JSON.parse(body);
    return (Array.isArray(message) ? message : [message]).flatMap((each) => {
      const wrong = invalidMessage(each);
      return wrong === undefined ? [] : [`not a JSON-RPC message (${wrong}): ${body.slice(0, 200)}`];
    });
  } catch {
    return [`not JSON: ${JSON.stringify(body.slice(0, 200))}`];
  }
}
