/** Serving one host over stdin and stdout. */
import { serveStdio as serveSdkStdio } from '@modelcontextprotocol/server/stdio';
import { LineTransport } from './line-transport.js';
import type { Observer } from './observer.js';
import { createServer, type ServerOptions } from './server.js';
import { observe } from './telemetry/observed.js';

/** Serves until stdin ends or the process is told to stop; resolves then. */
export async function serveStdio({ observer, ...options }: ServerOptions & { readonly observer?: Observer }): Promise<void> {
  const transport = new LineTransport(process.stdin, process.stdout);
  if (observer !== undefined) observe(transport, observer, { transport: 'stdio' });
  const handle = serveSdkStdio(({ era }) => createServer({ ...options, era }), {
    transport,
    onerror: (error) => options.log?.debug(`protocol: ${error.message}`),
  });
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  await Promise.race([transport.closed, stopped]);
  await handle.close();
}
