// One keep-alive HTTP connection on a raw socket: its own cost is small, and the same for every server.
import { connect } from 'node:net';

const HEAD_END = '\r\n\r\n';
const LINE_END = '\r\n';
/** Idle timeout while a response is pending. */
const IDLE_MS = 15_000;

/** Connects, for one request at a time. */
export async function open(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  let reading;

  const fail = (reason) => {
    const failed = reading;
    reading = undefined;
    socket.destroy();
    failed?.reject(new Error(reason));
  };
  socket.on('error', (error) => fail(error.message));
  socket.on('close', () => fail('connection closed'));
  socket.on('timeout', () => fail(`no response within ${IDLE_MS / 1000} s`));
  socket.on('data', (chunk) => {
    if (reading === undefined) return fail('unexpected data');
    const answer = reading.take(chunk);
    if (answer === undefined) return;
    const { resolve } = reading;
    reading = undefined;
    resolve(answer);
  });

  const begin = (bytes, onPart) =>
    new Promise((resolve, reject) => {
      if (socket.destroyed) return reject(new Error('connection closed'));
      reading = { take: reader(onPart), resolve, reject };
      socket.write(bytes);
    });

  return {
    /** Resolves with `{ status, head, body }` when the response is complete; rejects if the connection fails. */
    send(bytes) {
      socket.setTimeout(IDLE_MS);
      return begin(bytes);
    },
    /** Requests a stream: `onPart` receives each part of its body. Resolves or rejects when it ends. */
    stream(bytes, onPart) {
      socket.setTimeout(0);
      return begin(bytes, onPart);
    },
    close: () => socket.destroy(),
  };
}

/** One request on its own connection. */
export async function askOnce(port, bytes) {
  const connection = await open(port);
  const answer = await connection.send(bytes);
  connection.close();
  return answer;
}

/** A function that takes chunks and returns the response once it is complete. */
function reader(onPart) {
  let buffer;
  let answer;
  let length;
  let parts;
  return (chunk) => {
    buffer = buffer === undefined ? chunk : Buffer.concat([buffer, chunk]);
    if (answer === undefined) {
      const end = buffer.indexOf(HEAD_END);
      if (end === -1) return undefined;
      const head = buffer.latin1Slice(0, end);
      answer = { status: Number(head.slice(9, 12)), head };
      if (/\r\ntransfer-encoding: *chunked/i.test(head)) parts = [];
      else length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      buffer = buffer.subarray(end + HEAD_END.length);
    }
    if (parts === undefined) return buffer.length < length ? undefined : { ...answer, body: buffer.subarray(0, length) };
    return takeChunks() ? { ...answer, body: parts.length === 1 ? parts[0] : Buffer.concat(parts) } : undefined;
  };

  /** Whether the last chunk has arrived. */
  function takeChunks() {
    for (;;) {
      const line = buffer.indexOf(LINE_END);
      if (line === -1) return false;
      const size = Number.parseInt(buffer.latin1Slice(0, line), 16);
      const end = line + LINE_END.length + size;
      if (buffer.length < end + LINE_END.length) return false;
      if (size === 0) return true;
      const part = buffer.subarray(end - size, end);
      if (onPart === undefined) parts.push(part);
      else onPart(part);
      buffer = buffer.subarray(end + LINE_END.length);
    }
  }
}
