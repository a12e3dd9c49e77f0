/** A real Redis for a test, which keeps nothing and can be killed at any moment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { freePort } from './programs.js';

export interface Redis {
  readonly url: string;
  /** Kills it, as a crash would. */
  stop(): Promise<void>;
  /** Starts it again, empty, on the same port. */
  restart(): Promise<void>;
  /** Suspends it with its connections open, and resumes it. */
  freeze(): void;
  thaw(): void;
  /** Records every command from now on, including those of scripts, until the test ends. */
  monitor(): Promise<() => string>;
}

/** Starts the program at `path`; it ends with the test. `running: false` only reserves the port. */
export async function startRedis(path: string, { password = '', running = true } = {}): Promise<Redis> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'footbridge-redis-'));
  let server: ChildProcess | undefined;
  const redis: Redis = {
    url: `redis://${password === '' ? '' : `:${password}@`}127.0.0.1:${port}`,
    async stop() {
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    },
    async restart() {
      await redis.stop();
      const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
      server = spawn(path, [...options, ...(password === '' ? [] : ['--requirepass', password])], { stdio: ['ignore', 'pipe', 'inherit'] });
      await listening(server);
    },
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
    async monitor() {
      let seen = '';
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      socket.setEncoding('latin1').on('data', (text) => {
        seen += text;
      });
      socket.write(`${password === '' ? '' : `AUTH ${password}\r\n`}MONITOR\r\n`);
      await once(socket, 'data');
      return () => seen;
    },
  };
  onTestFinished(async () => {
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  if (running) await redis.restart();
  return redis;
}

function listening(server: ChildProcess): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    server.once('error', reject).once('exit', () => reject(new Error(`Redis did not start: ${said}`)));
    server.stdout?.on('data', (chunk) => {
      said += chunk;
      if (/ready to accept connections/i.test(said)) resolve();
    });
  });
}
