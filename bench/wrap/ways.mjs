// How the wrapped server is reached: through Footbridge, through the floor, and through proxies from npm.
import { join } from 'node:path';
import { freePort } from '../http/servers.mjs';

const bench = join(import.meta.dirname, '..');
const command = join(bench, '..', 'packages', 'footbridge', 'bin', 'footbridge.cjs');
const floor = join(bench, 'peers', 'relay-floor.mjs');
const installed = (path) => join(bench, 'npm', 'node_modules', ...path.split('/'));

const server = join(import.meta.dirname, 'upstream-stdio.mjs');
const started = ['--', process.execPath, server];
const endpoint = (port) => `http://127.0.0.1:${port}/mcp`;

export const direct = { args: [server] };
export const directHttp = { args: [join(import.meta.dirname, 'upstream-http.mjs')] };
/** The same, for callers with a token. */
export const protectedHttp = { args: [join(import.meta.dirname, 'upstream-protected.mjs')] };

/** The same, as an entry of `mcpServers`. */
export const toolServer = { command: process.execPath, args: [server] };
/** A server with many tools, as such an entry. */
export const manyTools = (count, seed) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, 'many-tools.mjs'), String(count), String(seed)],
});

/** A server with the tools that a file has of it, as such an entry. */
export const listedTools = (file, name) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, 'listed-tools.mjs'), file, name],
});

/** `cache` is a folder, or `off`. */
const ours = (given, cache, program = command) => ({ args: [program, 'wrap', ...given], environment: { FOOTBRIDGE_CACHE: cache } });

export const stdioToStdio = {
  ours: (cache, program) => ours(started, cache, program),
  floor: { args: [floor, ...started] },
};

export const httpToStdio = {
  ours: (cache, program) => ours(['--http', '0', ...started], cache, program),
  floor: { args: [floor, '--http', '0', ...started], says: 'stderr' },
  /** It does not print its port, so it is given one. */
  async mcpProxy() {
    const port = await freePort();
    const given = ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream'];
    return { args: [installed('mcp-proxy/dist/bin/mcp-proxy.mjs'), ...given, ...started], port };
  },
};

export const stdioToHttp = {
  ours: (port, cache, program) => ours([endpoint(port)], cache, program),
  floor: (port) => ({ args: [floor, endpoint(port)] }),
  /** Even when silent, it prints a memory-leak warning after many calls. */
  mcpRemote: (port) => ({
    args: [installed('mcp-remote/dist/proxy.js'), endpoint(port), '--transport', 'http-only', '--silent'],
    stderr: 'ignore',
  }),
};
