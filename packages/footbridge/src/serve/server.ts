/** Footbridge as a server of the SDK, for programs with their own transport. */
import type { AuthInfo, McpServer, MessageExtraInfo, ProtocolEra } from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/catalog.js';
import { type Log, silentLog } from '../log.js';
import type { Caller } from '../sources/resource.js';
import { HostViews } from '../surfaces/hosts/view.js';
import { checkChoice, type ToolChoice } from '../surfaces/tools/index.js';
import { connectTransport } from './connection.js';
import { catalogEvents, type EventFeed } from './events.js';
import { callerOf, type Identity } from './identity.js';
import { SdkPeer } from './sdk/peer.js';
import { createSdkServer } from './sdk/server.js';

export interface ServerOptions {
  readonly catalog: Catalog;
  /** Whether skills are also prompts. Default: false. */
  readonly prompts?: boolean;
  /** Whether the client is notified of changed lists. Default: true. */
  readonly announce?: boolean;
  /** Default: the events of the catalog. */
  readonly events?: EventFeed;
  /** The URIs of the resources that the client subscribes to. */
  readonly subscribed?: Set<string>;
  /** The limit on subscribed resources. Default: 1,024. */
  readonly maxSubscriptions?: number;
  /** Set a tool to false to leave it out. */
  readonly tools?: ToolChoice;
  /** How the catalog is shown to each host. Default: as measured. */
  readonly hosts?: HostViews | undefined;
  /** The caller. Default: by the token of the request; without one the owner over stdio, and anonymous over HTTP. */
  readonly identity?: Identity;
  /** Takes precedence over `identity`. */
  readonly caller?: Caller;
  /** Requests with the same key share the state that an upstream keeps per client. Default: one key per connection. */
  readonly hostKey?: string;
  /** The protocol era of the connection, as the SDK gives it to a factory. Default: legacy. */
  readonly era?: ProtocolEra;
  readonly log?: Log;
}

/** A server for one connection or one request, of either protocol era. */
export function createServer(options: ServerOptions): McpServer {
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
      key: options.hostKey,
      subscribed: options.subscribed,
      maxSubscriptions: options.maxSubscriptions,
      events: options.events ?? catalogEvents(catalog, hasPrompts, hosts, tools),
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
