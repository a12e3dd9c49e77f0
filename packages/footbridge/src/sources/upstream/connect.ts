/** Connects to a server, preferably in the host's protocol era. */
import { LATEST_PROTOCOL_VERSION, type ProtocolEra, SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { type Fields, isFields, weightOf } from '../../json.js';
import type { Log } from '../../log.js';
import { VERSION } from '../../version.js';
import { type Cancellation, Context, within } from '../context.js';
import type { Handshake, HostPeer } from '../forwarding.js';
import { OWNER, type ReadContext } from '../resource.js';
import { ServerError } from '../server/channel.js';
import { UpstreamConnection } from './connection.js';
import { type Envelope, MODERN, metaOf, toModern } from './eras.js';
import { failureOf, toUpstreamError, UpstreamError, type UpstreamFailure } from './failure.js';
import { isGone, type Loss } from './json-rpc.js';
import type { ConnectionEvents } from './server-messages.js';
import type { UpstreamTransport } from './transports/transport.js';

export interface ConnectOptions {
  readonly openTransport: () => UpstreamTransport;
  /** Called before each start: a server that exits at a request of one era is started again for the other. */
  readonly mayStart: () => boolean;
  readonly cancellation: Cancellation;
  /** The only host of the connection; absent where several share it. */
  readonly host: HostPeer | undefined;
  /** The client info without a host. Default: Footbridge. */
  readonly identity?: Envelope;
  readonly preferredEra: ProtocolEra;
  /** An era that the server is known not to support. */
  readonly refusedEra: ProtocolEra | undefined;
  readonly timeoutMs: number;
  readonly events: ConnectionEvents;
  /** The error for pending requests when the connection is lost. */
  readonly explain: (failure: UpstreamFailure) => Loss;
  readonly log: Log;
}

/** For `server/discover`: some legacy servers never answer unknown methods. */
const PROBE_MS = 3000;

const SELF: Envelope = { clientInfo: { name: 'footbridge', version: VERSION }, capabilities: {} };

/** Resolves after the handshake. Rejects with an `UpstreamError`, or with the reason of the cancellation. */
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
        if (cause instanceof LargeHandshake) throw cause;
        // The first error is of the era that the server was expected to support.
        refusal ??= isGone(cause) && connection.closeReason !== undefined ? toUpstreamError(connection.closeReason) : cause;
        // Legacy servers may exit at an unknown method, but not at `initialize`.
        if (isGone(cause) && era === 'legacy') break;
      }
    }
  } catch (cause) {
    await connection?.close();
    throw cause;
  }
  await connection?.close();
  const failure = failureOf(refusal);
  throw toUpstreamError(
    refusal instanceof ServerError && failure.kind === 'protocol'
      ? { ...failure, message: `The handshake was refused: ${failure.message}` }
      : failure,
  );
}

function open(options: ConnectOptions): UpstreamConnection {
  const { openTransport, host, events, explain, log } = options;
  return new UpstreamConnection(openTransport(), { host, identity: identityOf(options), events, explain, log });
}

function identityOf({ host, identity = SELF }: ConnectOptions): Envelope {
  return host === undefined ? identity : { clientInfo: host.clientInfo, capabilities: host.capabilities };
}

/** Also cancels a start that hangs. */
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
  const result = await connection.sendRequest('initialize', { protocolVersion, capabilities, clientInfo }, context);
  const agreed = typeof result['protocolVersion'] === 'string' ? result['protocolVersion'] : protocolVersion;
  connection.agreed('legacy', agreed, handshakeOf(result, result['serverInfo']));
  connection.notify('notifications/initialized', undefined);
}

async function discover(connection: UpstreamConnection, options: ConnectOptions, context: Context): Promise<void> {
  const ask = (limited: ReadContext) => connection.sendRequest('server/discover', toModern({}, identityOf(options)), limited);
  const result = await (options.refusedEra === 'legacy' ? ask(context) : within(PROBE_MS, context, ask));
  const versions = result['supportedVersions'];
  if (Array.isArray(versions) && !versions.includes(MODERN))
    throw new ServerError(-32022, `Protocol version ${MODERN} is not supported.`, undefined);
  connection.agreed('modern', MODERN, handshakeOf(result, metaOf(result)?.[SERVER_INFO_META_KEY] ?? result['serverInfo']));
}

/** The maximum length as JSON. It is stored, compared and forwarded as a whole. */
export const LARGEST_HANDSHAKE = 256 * 1024;

class LargeHandshake extends UpstreamError {
  constructor() {
    super('protocol', `The handshake has more than ${LARGEST_HANDSHAKE} characters.`);
  }
}

function handshakeOf(result: Fields, serverInfo: unknown): Handshake {
  // Escapes make a text six times as long as its characters.
  const isLarge = weightOf(result, LARGEST_HANDSHAKE) > LARGEST_HANDSHAKE || JSON.stringify(result).length > LARGEST_HANDSHAKE;
  if (isLarge) throw new LargeHandshake();
  const { capabilities, instructions } = result;
  return {
    serverInfo: isFields(serverInfo) ? serverInfo : {},
    capabilities: isFields(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
    result,
  };
}
