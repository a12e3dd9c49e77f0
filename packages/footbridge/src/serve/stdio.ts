/** Serving one host over stdin and stdout. */
import { serveStdio as serveSdkStdio } from '@modelcontextprotocol/server/stdio';
import { LineTransport } from './line-transport.js';
import { createServer, type ServerOptions } from './server.js';

/** Serves until stdin ends or the process is told to stop; resolves then. */
export async function serveStdio(options: ServerOptions): Promise<void> {
  const handle = serveSdkStdio(() => createServer(options), {
    transport: new LineTransport(process.stdin, process.stdout),
    onerror: (error) => options.log?.debug(`protocol: ${error.message}`),
  });
  await new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    process.stdout.once('error', () => resolve());
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  await handle.close();
}
