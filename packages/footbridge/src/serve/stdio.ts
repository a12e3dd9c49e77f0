/** Serving one host over stdin and stdout. */
import type { Readable, Writable } from 'node:stream';
import { serveStdio as serveSdkStdio } from '@modelcontextprotocol/server/stdio';
import { reasonOf } from '../errors.js';
import { silentLog } from '../log.js';
import { answersOf } from './answers.js';
import { Gateway } from './gateway/gateway.js';
import { callerOf } from './identity.js';
import { intercept } from './intercept.js';
import { LineTransport } from './line-transport.js';
import type { Observer } from './observer.js';
import { createServer, MOST_WATCHED, type ServerOptions } from './server.js';
import { Shortcut } from './shortcut.js';
import { tellTaken } from './taken.js';
import { observe } from './telemetry/observed.js';
import { toldToStop } from './told-to-stop.js';

export interface StdioOptions extends ServerOptions {
  /** Default: those of the process. */
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  /** Resolves when serving should end although stdin is open. Default: on SIGINT, SIGTERM and SIGHUP. */
  readonly stopped?: () => Promise<void>;
  readonly observer?: Observer;
  /** Called as soon as the host is gone: it may end us soon after, whatever still runs. */
  readonly ending?: () => Promise<void>;
}

/** Serves until stdin ends or the process is told to stop; resolves then. */
export async function serveStdio({
  observer,
  ending,
  stdin = process.stdin,
  stdout = process.stdout,
  stopped = toldToStop,
  ...given
}: StdioOptions): Promise<void> {
  const options = { ...given, watched: given.watched ?? new Set<string>() };
  const transport = new LineTransport(stdin, stdout);
  if (observer !== undefined) observe(transport, observer, { transport: 'stdio' });
  shorten(transport, options);
  const handle = serveSdkStdio(({ era }) => createServer({ ...options, era, carry: false }), {
    transport,
    onerror: (error) => options.log?.debug(`protocol: ${error.message}`),
  });
  await Promise.race([transport.closed, stopped()]);
  await Promise.all([handle.close(), ending?.()]);
}

/** As near to the wire as can be: what is carried over, and a call of our own tools, does not pass through the SDK at all. */
function shorten(transport: LineTransport, options: ServerOptions & { readonly watched: ReadonlySet<string> }): void {
  const { catalog, tools = {}, prompts = false, watched, mostWatched = MOST_WATCHED, log = silentLog } = options;
  const caller = options.caller ?? callerOf(options.identity, undefined);
  const answers = answersOf(catalog, tools, prompts, log);
  if (!catalog.carries) {
    const unexpected = (cause: unknown) => log.error(`tools/call: ${reasonOf(cause)}`);
    intercept(transport, (wire) => new Shortcut(wire, { catalog, answers, caller, unexpected }));
    return;
  }
  tellTaken(catalog, tools, log);
  intercept(transport, (wire) => new Gateway(wire, { catalog, answers, callerOf: () => caller, watched, mostWatched, log }));
}
