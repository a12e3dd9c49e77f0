// HTTP servers as separate processes, and the processes that put them under load.

import { fork, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { open } from './connection.mjs';

const command = join(import.meta.dirname, '..', '..', 'packages', 'footbridge', 'bin', 'footbridge.cjs');
const START_MS = 30_000;
const POLL_MS = 50;
/** The program takes up to ten seconds to finish pending requests. */
const EXIT_MS = 12_000;

const running = new Set();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Footbridge over HTTP; `folder` contains its configuration. */
export const footbridgeHttp = (skills, folder, program = command) => ({
  args: [program, 'serve', '--http', '0', '--skills', skills, ...(folder === undefined ? [] : ['--config', 'footbridge.json'])],
  environment: { FOOTBRIDGE_CACHE: 'off' },
  folder,
});

/** One of the peers; a file contains its response. */
export const peerHttp = (name, ...given) => ({ args: [join(import.meta.dirname, '..', 'peers', `${name}.mjs`), ...given] });

/** A folder with a configuration in which each token is a separate caller. */
export function protectedFolder(workspace, tokens, limits) {
  const folder = workspace.folder('protected');
  const entries = tokens.map((token) => ({ name: token, sha256: createHash('sha256').update(token).digest('hex') }));
  writeFileSync(join(folder, 'footbridge.json'), JSON.stringify({ http: { tokens: entries, limits } }));
  return folder;
}

/**
 * Starts a server; resolves with its port and process id once it prints where it listens, to the stream `says`. A server that does
 * not print its port is given one.
 */
export async function startHttp(workspace, { args, environment = {}, folder = workspace.workingFolder, says = 'stdout', port }) {
  // The request log is enabled, as by default, and ignored.
  const stdio = ['ignore', says === 'stdout' ? 'pipe' : 'ignore', says === 'stderr' ? 'pipe' : 'ignore'];
  const child = keep(spawn(process.execPath, args, { cwd: folder, env: { ...workspace.environment, ...environment }, stdio }));
  const failed = new AbortController();
  const timer = setTimeout(() => failed.abort(), START_MS);
  child.once('exit', () => failed.abort());
  const listening = port === undefined ? reported(child[says], failed.signal) : accepting(port, failed.signal);
  const found = await listening.catch((cause) => {
    child.kill('SIGKILL');
    throw new Error(`The server did not start: ${args.join(' ')}`, { cause });
  });
  clearTimeout(timer);
  return { port: found, pid: child.pid, close: () => end(child) };
}

/** The port that a server prints. */
function reported(stream, signal) {
  return new Promise((resolve, reject) => {
    let output = '';
    signal.addEventListener('abort', () => reject(new Error(output)));
    stream.on('data', function look(chunk) {
      output += chunk;
      const found = /http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(output);
      if (found === null) return;
      // Further output is read and dropped, so that the pipe does not fill up.
      stream.off('data', look).resume();
      resolve(Number(found[1]));
    });
  });
}

/** The port, once connections to it are accepted. */
async function accepting(port, signal) {
  for (;;) {
    signal.throwIfAborted();
    try {
      (await open(port)).close();
      return port;
    } catch {
      await wait(POLL_MS);
    }
  }
}

/** A free port. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a script, of this folder unless its path is absolute, that takes one task at a time and answers each with one message. */
export function startWorker(workspace, name, args = []) {
  const child = keep(fork(resolve(import.meta.dirname, name), args, { cwd: workspace.workingFolder, env: workspace.environment }));
  return {
    run(task) {
      return new Promise((done, reject) => {
        const fail = () => reject(new Error(`${name} ended before it was done.`));
        child.once('exit', fail);
        child.once('message', (result) => {
          child.off('exit', fail);
          done(result);
        });
        child.send(task);
      });
    },
    close: () => end(child),
  };
}

function keep(child) {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), EXIT_MS);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(timer);
}
