/** Serves one host over stdin and stdout. */
import type { Readable, Writable } from 'node:stream';
import { silentLog } from '../log.js';
import { HostViews } from '../surfaces/hosts/view.js';
import { connectTransport } from './connection.js';
import { catalogEvents } from './events.js';
import { callerOf } from './identity.js';
import { LineTransport } from './line-transport.js';
import type { InternalServerOptions } from './server.js';
import { stopSignal } from './stop-signal.js';
import { warnOfTakenNames } from './taken-names.js';
import { debugLogged } from './telemetry/debug-log.js';
import { type Observer, observed } from './telemetry/observer.js';

interface ServeStdioOptions extends InternalServerOptions {
  /** Default: those of the process. */
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  /** Resolves when serving should end although stdin is open. Default: on SIGINT, SIGTERM and SIGHUP. */
  readonly stopped?: () => Promise<void>;
  readonly observer?: Observer;
  /** Called as soon as the host disconnects: it may kill this process soon after, even during calls. */
  readonly ending?: () => Promise<void>;
}

/** Serves until stdin ends or the process is asked to stop; resolves then. */
export async function serveStdio(options: ServeStdioOptions): Promise<void> {
  const { catalog, ending, hosts = new HostViews(), log = silentLog, observer, prompts = false, tools = {} } = options;
  const { stdin = process.stdin, stdout = process.stdout, stopped = stopSignal } = options;
  const caller = options.caller ?? callerOf(options.identity, undefined);
  const transport = new LineTransport(stdin, stdout);
  transport.onerror = (error) => log.debug(`protocol: ${error.message}`);
  warnOfTakenNames(catalog, tools, log);
  const connection = await connectTransport(transport, {
    catalog,
    tools,
    hosts,
    prompts,
    log,
    middleware: [...(observer === undefined ? [] : [observed(observer)]), ...(log.debugs === false ? [] : [debugLogged(log)])],
    callerOf: () => caller,
    maxSubscriptions: options.maxSubscriptions,
    events: catalogEvents(catalog, prompts, hosts, tools),
    transport: 'stdio',
  });
  await Promise.race([transport.closed, stopped()]);
  const close = async () => {
    await transport.finish();
    await connection.close();
    await transport.close();
  };
  await Promise.all([close(), ending?.()]);
}
