/** A server with the memory of the container in deploy/, and clients that do not read its answers. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { World } from './folders.js';
import { type HttpProcess, type HttpProcessOptions, startHttp, until } from './http-server.js';

/** Of the container, with room for what Node does not count. In MiB. */
export const MAX_MEMORY = 512 - 64;

/** Started as Node limits itself in the container. */
export function startLimited(world: World, options: HttpProcessOptions = {}): Promise<HttpProcess> {
  return startHttp(world, { ...options, env: { ...options.env, NODE_OPTIONS: '--max-old-space-size=256' } });
}

/** The most memory that it ever used, in MiB. */
export function peakOf({ child }: HttpProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** What its calls hold, in bytes. */
export async function heldBy({ origin }: HttpProcess): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^footbridge_held_bytes (\d+)$/m.exec(text)?.[1]);
}

export interface UnreadAnswer {
  readonly socket: Socket;
  /** The status, of an answer that has begun. */
  readonly status: number;
}

/** Sends a request, and reads nothing after the beginning of the answer. */
export async function requestUnread(origin: string, method: string, path: string, body?: object): Promise<UnreadAnswer> {
  const { host, port } = new URL(origin);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = [`host: ${host}`, 'accept: application/json, text/event-stream', 'content-type: application/json'];
  socket.write(`${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  const head = await new Promise<string>((resolve) => {
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      // A stream may be open long before there is an answer.
      if (!received.includes('{')) return;
      socket.pause();
      resolve(received);
    });
    socket.once('close', () => resolve(received));
  });
  return { socket, status: Number(head.slice(9, 12)) };
}

/** Opens a stream of the transport of 2024 that nobody reads; resolves with the address for messages. */
export async function openUnreadSse(origin: string): Promise<string> {
  const { host, port } = new URL(origin);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (text.includes('sessionId=')) socket.pause();
  });
  socket.write(`GET /sse HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  await until(() => /sessionId=[\w-]+\n/.test(text));
  return `${origin}/messages?${/sessionId=[\w-]+/.exec(text)?.[0]}`;
}

/** Posts a message; resolves with the status. */
export async function postMessage(address: string, message: object): Promise<number> {
  const response = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(message) });
  await response.arrayBuffer();
  return response.status;
}
