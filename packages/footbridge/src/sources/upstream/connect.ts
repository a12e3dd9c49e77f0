/** Connecting to a server: in the era that suits the host, else in the one that the server has. */
import { LATEST_PROTOCOL_VERSION, type ProtocolEra, SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import type { Log } from '../../log.js';
import { VERSION } from '../../version.js';
import { type Cancellation, Context, within } from '../context.js';
import type { Handshake, Host } from '../forwarding.js';
import { OWNER, type ReadContext } from '../resource.js';
import { ServerError } from '../server/channel.js';
import { type ConnectionEvents, UpstreamConnection } from './connection.js';
import { type Envelope, MODERN, metaOf, toModern } from './eras.js';
import { failureOf, UpstreamError, type UpstreamFailure } from './failure.js';
import { isGone, type Loss } from './json-rpc.js';
import type { UpstreamTransport } from './transports/transport.js';

export interface ConnectOptions {
  readonly openTransport: () => UpstreamTransport;
  /** Asked before each start: a server that ends when it is spoken to in one era is started again for the other. */
  readonly mayStart: () => boolean;
  readonly cancellation: Cancellation;
  /** Whom the connection is for; absent where many share it. */
  readonly host: Host | undefined;
  /** Who connects, where there is no host. Default: Footbridge. */
  readonly identity?: Envelope;
  /** The era in which the host that the connection is made for speaks, where there is one. */
  readonly preferredEra: ProtocolEra;
  /** The era that the server is known not to have. */
  readonly refusedEra: ProtocolEra | undefined;
  readonly timeoutMs: number;
  readonly events: ConnectionEvents;
  /** Says to whoever waits that the connection was lost. */
  readonly explain: (failure: UpstreamFailure) => Loss;
  readonly log: Log;
}

/** How long an older server may leave a question of the newer era unanswered: some never answer what they do not know. */
const PROBE_MS = 3000;

const SELF: Envelope = { clientInfo: { name: 'footbridge', version: VERSION }, capabilities: {} };

/** Resolves with a connection on which the server has greeted. Rejects with an `UpstreamError`, or with the reason of the cancellation. */
export async function connect(options: ConnectOptions): Promise<UpstreamConnection> {
  const { cancellation, preferredEra, refusedEra, timeoutMs } = options;
  const context = new Context({ caller: OWNER }, cancellation);
  const other = preferredEra === 'modern' ? 'legacy' : 'modern';
  const eras: readonly ProtocolEra[] = preferredEra === refusedEra ? [other, preferredEra] : [preferredEra, other];
  try {
    return await within(timeoutMs, context, (limited) => connectIn(eras, options, limited));
  } catch (cause) {
    if (cause instanceof DOMException && !cancellation.aborted)
      throw new UpstreamError('timeout', `Timed out after ${timeoutMs} ms while starting.`);
    throw cause;
  }
}

async function connectIn(eras: readonly ProtocolEra[], options: ConnectOptions, context: Context): Promise<UpstreamConnection> {
  let connection: UpstreamConnection | undefined;
  let refusal: unknown;
  try {
    for (const era of eras) {
      if (connection === undefined || connection.isClosed) {
        if (!options.mayStart()) break;
        connection = open(options);
        await started(connection, context);
      }
      try {
        await (era === 'modern' ? discover(connection, options, context) : initialize(connection, options, context));
        return connection;
      } catch (cause) {
        if (context.cancellation.aborted) throw context.cancellation.reason;
        // The first reason is the better one: it is of the era that the server was expected to have.
        refusal ??= isGone(cause) && connection.whyClosed !== undefined ? toError(connection.whyClosed) : cause;
        // Older servers may end when they are spoken to in the newer era; that `initialize` ends one has another reason.
        if (isGone(cause) && era === 'legacy') break;
      }
    }
  } catch (cause) {
    await connection?.close();
    throw cause;
  }
  await connection?.close();
  const failure = failureOf(refusal);
  throw toError(
    refusal instanceof ServerError && failure.kind === 'protocol'
      ? { ...failure, message: `The handshake was refused: ${failure.message}` }
      : failure,
  );
}

function toError({ kind, message }: UpstreamFailure): UpstreamError {
  return new UpstreamError(kind, message);
}

function open(options: ConnectOptions): UpstreamConnection {
  const { openTransport, host, events, explain, log } = options;
  return new UpstreamConnection(openTransport(), { host, identity: identityOf(options), events, explain, log });
}

function identityOf({ host, identity = SELF }: ConnectOptions): Envelope {
  return host === undefined ? identity : { clientInfo: host.clientInfo, capabilities: host.capabilities };
}

/** A program that hangs before it even runs is given up, too. */
function started(connection: UpstreamConnection, { cancellation }: Context): Promise<void> {
  return new Promise((resolve, reject) => {
    cancellation.listen(() => reject(cancellation.reason));
    connection.start().then(resolve, reject);
  });
}

async function initialize(connection: UpstreamConnection, options: ConnectOptions, context: ReadContext): Promise<void> {
  const { clientInfo, capabilities } = identityOf(options);
  const { host } = options;
  const protocolVersion = host?.era === 'legacy' ? host.protocolVersion : LATEST_PROTOCOL_VERSION;
  const result = await connection.ask('initialize', { protocolVersion, capabilities, clientInfo }, context);
  const agreed = typeof result['protocolVersion'] === 'string' ? result['protocolVersion'] : protocolVersion;
  connection.agreed('legacy', agreed, greetingOf(result, result['serverInfo']));
  connection.notify('notifications/initialized', undefined);
}

async function discover(connection: UpstreamConnection, options: ConnectOptions, context: Context): Promise<void> {
  const ask = (limited: ReadContext) => connection.ask('server/discover', toModern({}, identityOf(options)), limited);
  const result = await (options.refusedEra === 'legacy' ? ask(context) : within(PROBE_MS, context, ask));
  const versions = result['supportedVersions'];
  if (Array.isArray(versions) && !versions.includes(MODERN))
    throw new ServerError(-32022, `Protocol version ${MODERN} is not supported.`, undefined);
  connection.agreed('modern', MODERN, greetingOf(result, metaOf(result)?.[SERVER_INFO_META_KEY] ?? result['serverInfo']));
}

function greetingOf(result: Fields, serverInfo: unknown): Handshake {
  const { capabilities, instructions } = result;
  return {
    serverInfo: isFields(serverInfo) ? serverInfo : {},
    capabilities: isFields(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
    result,
  };
}
