/** Footbridge as a server of the SDK, for programs with their own transport. */
import type { AuthInfo, McpServer, MessageExtraInfo, ProtocolEra } from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/catalog.js';
import { type Log, silentLog } from '../log.js';
import type { Caller } from '../sources/resource.js';
import { HostViews } from '../surfaces/hosts/view.js';
import { checkChoice, type ToolChoice } from '../surfaces/tools/index.js';
import { connectTransport } from './connection.js';
import { catalogEvents } from './events.js';
import { callerOf, type Identity } from './identity.js';
import { SdkPeer } from './sdk/peer.js';
import { createSdkServer } from './sdk/server.js';

export interface ServerOptions {
  readonly catalog: Catalog;
  /** Whether skills are also prompts. Default: false. */
  readonly prompts?: boolean;
  /** Whether the client is notified of changed lists. Default: true. */
  readonly announce?: boolean;
  /** The limit on subscribed resources. Default: 1,024. */
  readonly maxSubscriptions?: number;
  /** Set a tool to false to leave it out. */
  readonly tools?: ToolChoice;
  /** The caller. Default: by the token of the request; without one the owner over stdio, and anonymous over HTTP. */
  readonly identity?: Identity;
  /** Takes precedence over `identity`. */
  readonly caller?: Caller;
  /** The protocol era of the connection, as the SDK gives it to a factory. Default: legacy. */
  readonly era?: ProtocolEra;
  readonly log?: Log;
}

/** Options that only our own programs set. */
export interface InternalServerOptions extends ServerOptions {
  /** How the catalog is shown to each host. Default: as measured. */
  readonly hosts?: HostViews | undefined;
}

/** A server for one connection or one request, of either protocol era. */
export function createServer(options: ServerOptions): McpServer {
  return serverWith(options);
}

/** The same, with the options of our own programs. */
export function serverWith(options: InternalServerOptions): McpServer {
  const {
    announce = true,
    caller,
    catalog,
    era,
    hosts = new HostViews(),
    identity,
    log = silentLog,
    prompts = false,
    tools = {},
  } = options;
  checkChoice(tools);
  const hasPrompts = prompts || catalog.hasUpstreams;
  const mcp = createSdkServer({ catalog, prompts: hasPrompts, log });
  mcp.toolInputSchemaJson = (name) => catalog.snapshot.findTool(name)?.entry.inputSchema;
  const connect = mcp.connect.bind(mcp);
  // The SDK gets only the messages that the dispatcher does not handle.
  mcp.connect = async (transport) => {
    const peer = new SdkPeer(
      (channel) => {
        channel.close = () => transport.close();
        return connect(channel);
      },
      (message) => transport.send(message),
      (version) => transport.setProtocolVersion?.(version),
    );
    const { onclose } = transport;
    transport.onclose = () => {
      peer.closed();
      onclose?.();
    };
    await connectTransport(transport, {
      catalog,
      tools,
      hosts,
      prompts,
      log,
      callerOf: (extra) => caller ?? callerOf(identity, httpOf(extra)),
      maxSubscriptions: options.maxSubscriptions,
      events: catalogEvents(catalog, hasPrompts, hosts, tools),
      transport: 'stdio',
      sdk: { peer, era, announce },
    });
  };
  return mcp;
}

/** Undefined for a transport other than HTTP. */
function httpOf(extra: MessageExtraInfo | undefined): { authInfo?: AuthInfo | undefined } | undefined {
  return extra?.request === undefined && extra?.authInfo === undefined ? undefined : { authInfo: extra.authInfo };
}
