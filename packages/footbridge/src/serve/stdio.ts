/** Serving one host over stdin and stdout. */
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { silentLog } from '../log.js';
import { compose } from './dispatch/compose.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import { catalogEvents } from './events.js';
import { callerOf } from './identity.js';
import { LineTransport } from './line-transport.js';
import type { Observer } from './observer.js';
import { SdkPeers } from './sdk/server.js';
import type { ServerOptions } from './server.js';
import { MAX_SUBSCRIPTIONS } from './session/subscriptions.js';
import { stopSignal } from './stop-signal.js';
import { warnOfTakenNames } from './taken-names.js';
import { observed } from './telemetry/observed.js';
import { connectTransport } from './transport.js';

export interface ServeStdioOptions extends ServerOptions {
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
export async function serveStdio(options: ServeStdioOptions): Promise<void> {
  const { catalog, ending, log = silentLog, maxSubscriptions = MAX_SUBSCRIPTIONS, observer, prompts = false, tools = {} } = options;
  const { stdin = process.stdin, stdout = process.stdout, stopped = stopSignal } = options;
  const caller = options.caller ?? callerOf(options.identity, undefined);
  const transport = new LineTransport(stdin, stdout);
  const events = options.events ?? catalogEvents(catalog, prompts);
  const peers = new SdkPeers({
    catalog,
    prompts: prompts || catalog.hasUpstreams,
    events,
    maxSubscriptions,
    log,
    notify: (message) => transport.send(message),
  });
  const { dispatch } = new Dispatcher({ catalog, tools, prompts, log });
  warnOfTakenNames(catalog, tools, log);
  await connectTransport(transport, {
    catalog,
    dispatch: compose(observer === undefined ? [] : [observed(observer)], dispatch),
    sdk: peers.of,
    callerOf: () => caller,
    key: options.hostKey ?? randomUUID(),
    subscribed: options.subscribed ?? new Set(),
    maxSubscriptions,
    events,
    transport: 'stdio',
  });
  await Promise.race([transport.closed, stopped()]);
  await Promise.all([peers.close().then(() => transport.close()), ending?.()]);
}
