// A client that sends JSON-RPC lines without the SDK: its own cost is small, and the same for every server.
import { spawn } from 'node:child_process';

const LINE_END = 0x0a;
const REQUEST_MS = 120_000;
const EXIT_MS = 5000;
/** Text that only a failed response contains: inside a JSON string the quotes would be escaped. */
const FAILED = ['"isError":true', '"error":{'];

const running = new Set();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a server process. `stderr` can be ignored for servers that log every message. */
export function connect(workspace, { args, environment = {}, stderr = 'inherit' }) {
  const child = spawn(process.execPath, args, {
    cwd: workspace.workingFolder,
    env: { ...workspace.environment, ...environment },
    stdio: ['pipe', 'pipe', stderr],
  });
  const waiting = new Map();
  let pending = [];
  const listeners = new Set();
  let nextId = 1;
  let load;

  running.add(child);
  const exited = new Promise((resolve) => {
    child.once('close', () => {
      running.delete(child);
      for (const { reject } of waiting.values()) reject(new Error(`The server exited before it responded: ${args.join(' ')}`));
      resolve();
    });
  });
  child.stdin.on('error', () => {});

  child.stdout.on('data', (chunk) => {
    // First of all, so that parsing a long response is not counted.
    const at = performance.now();
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      const line = Buffer.concat([...pending, chunk.subarray(from, end)]);
      pending = [];
      from = end + 1;
      receive(line, at);
    }
    if (from < chunk.length) pending.push(chunk.subarray(from));
  });

  function receive(line, at) {
    if (load !== undefined) return load(line);
    const message = JSON.parse(line.toString('utf8'));
    const request = waiting.get(message.id);
    if (request === undefined) {
      if (message.method !== undefined) for (const listener of listeners) listener(message, at);
      return;
    }
    waiting.delete(message.id);
    clearTimeout(request.timer);
    if (message.error !== undefined) request.reject(new Error(message.error.message));
    else request.resolve({ result: message.result, at, bytes: line.length });
  }

  return {
    pid: child.pid,
    /** Resolves with the time of the next notification that `wanted` accepts. */
    notification(wanted) {
      return new Promise((resolve) => {
        const listener = (message, at) => {
          if (!wanted(message)) return;
          listeners.delete(listener);
          resolve(at);
        };
        listeners.add(listener);
      });
    },
    /** Resolves with the result, the time its line was complete, and the line's bytes. Notifications in `before` share the write. */
    request(method, params, before = []) {
      const id = nextId++;
      const messages = [
        ...before.map((notification) => ({ jsonrpc: '2.0', method: notification })),
        { jsonrpc: '2.0', id, method, params },
      ];
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`No response to ${method} within ${REQUEST_MS / 1000} s`)), REQUEST_MS);
        waiting.set(id, { resolve, reject, timer });
        child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
      });
    },
    /**
     * Keeps `inFlight` requests running for so many milliseconds and resolves with the number of calls. A request is the text of
     * `"method": …, "params": …`. Responses are searched, not parsed, so that the client is not what limits the throughput.
     */
    keepInFlight(requests, inFlight, milliseconds) {
      const begin = performance.now();
      const end = begin + milliseconds;
      let [sent, received] = [0, 0];
      const send = () => child.stdin.write(`{"jsonrpc":"2.0","id":${nextId++},${requests[sent++ % requests.length]}}\n`);
      return new Promise((resolve, reject) => {
        const finish = (settle, value) => {
          load = undefined;
          settle(value);
        };
        load = (line) => {
          if (!line.includes('"id":')) return;
          if (FAILED.some((text) => line.includes(text)))
            return finish(reject, new Error(`A call failed: ${line.toString('utf8', 0, 300)}`));
          received++;
          if (performance.now() < end) send();
          else if (received === sent) finish(resolve, { calls: received, perSecond: (received / (performance.now() - begin)) * 1000 });
        };
        for (let index = 0; index < inFlight; index++) send();
      });
    },
    /** Stops the server as a host does, and waits, so that it does not disturb the next measurement. */
    async close() {
      const timer = setTimeout(() => child.kill('SIGKILL'), EXIT_MS);
      child.stdin.end();
      await exited;
      clearTimeout(timer);
    },
  };
}
