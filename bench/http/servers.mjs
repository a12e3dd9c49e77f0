// HTTP servers as processes of their own, and the processes that put them under load.

import { fork, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const command = join(import.meta.dirname, '..', '..', 'packages', 'footbridge', 'bin', 'footbridge.cjs');
const START_MS = 30_000;
/** The program takes up to ten seconds to finish what it is asked. */
const EXIT_MS = 12_000;

const running = new Set();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Footbridge over HTTP; `folder` is where it runs, and finds its configuration. */
export const footbridgeHttp = (skills, folder) => ({
  args: [command, 'serve', '--http', '0', '--skills', skills],
  environment: { FOOTBRIDGE_CACHE: 'off' },
  folder,
});

/** One of the peers; what it answers is in a file. */
export const peerHttp = (name, ...given) => ({ args: [join(import.meta.dirname, '..', 'peers', `${name}.mjs`), ...given] });

/** A folder with a configuration in which each token has a caller of its own. */
export function protectedFolder(workspace, tokens, limits) {
  const folder = workspace.folder('protected');
  const entries = tokens.map((token) => ({ name: token, sha256: createHash('sha256').update(token).digest('hex') }));
  writeFileSync(join(folder, 'footbridge.json'), JSON.stringify({ http: { tokens: entries, limits } }));
  return folder;
}

/** Starts a server; resolves with its port and process id when it says where it listens. */
export async function startHttp(workspace, { args, environment = {}, folder = workspace.workingFolder }) {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...workspace.environment, ...environment },
    // A line for each request is written, as it is by default, and nobody looks at it.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const port = await new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`The server did not start: ${args.join(' ')}`));
    const timer = setTimeout(fail, START_MS);
    let output = '';
    child.once('exit', fail);
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const found = /http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(output);
      if (found === null) return;
      clearTimeout(timer);
      child.off('exit', fail);
      resolve(Number(found[1]));
    });
    keep(child);
  });
  return { port, pid: child.pid, close: () => end(child) };
}

/** Starts a script of this folder, to be given tasks one after the other; each is answered by one message. */
export function startWorker(workspace, name) {
  const child = keep(fork(join(import.meta.dirname, name), [], { cwd: workspace.workingFolder, env: workspace.environment }));
  return {
    run(task) {
      return new Promise((resolve, reject) => {
        const fail = () => reject(new Error(`${name} ended before it was done.`));
        child.once('exit', fail);
        child.once('message', (result) => {
          child.off('exit', fail);
          resolve(result);
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
