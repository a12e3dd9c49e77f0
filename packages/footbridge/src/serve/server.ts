/** One MCP server over the catalog: each method answered by the surface it belongs to. */
import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  type McpServer,
  type MessageExtraInfo,
  type ProtocolEra,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import * as z from 'zod/v4';
import type { Catalog } from '../catalog/catalog.js';
import type { Snapshot } from '../catalog/snapshot.js';
import { type Log, silentLog } from '../log.js';
import type { Caller, ReadContext, Route } from '../sources/resource.js';
import { skillSource } from '../surfaces/skills-extension.js';
import { checkChoice, isOwnTool, type ToolChoice } from '../surfaces/tools/index.js';
import { LONGEST_URI } from '../uri-template.js';
import { answersOf, type ListMethod, SERVER_INFO } from './answers.js';
import { catalogEvents, type EventFeed } from './events.js';
import { Gateway } from './gateway/gateway.js';
import { callerOf, type Identity } from './identity.js';
import { intercept } from './intercept.js';
import { LeanMcpServer } from './lean-server.js';
import { ownExchange } from './own-exchange.js';

export interface ServerOptions {
  readonly catalog: Catalog;
  /** Whether each skill is a prompt too. Default false. */
  readonly prompts?: boolean;
  /** Whether the client is told of each list that changes, until the connection ends. Default true. */
  readonly announce?: boolean;
  /** Where changes are heard of. Default: from the catalog. */
  readonly events?: EventFeed;
  /** The resources that the client watches, for whoever goes on with the connection elsewhere. */
  readonly watched?: Set<string>;
  /** How many resources a connection may watch. Default 1,024. */
  readonly mostWatched?: number;
  /** Which of our tools to offer; each unless it is set to false. */
  readonly tools?: ToolChoice;
  /** Who the caller is. Default: by the request's token; without one the owner over stdio, and nobody over HTTP. */
  readonly identity?: Identity;
  /** Who the caller is, where that is known for sure; goes before `identity`. */
  readonly caller?: Caller;
  /** What requests have in common for which servers behind us may keep something. Default: the connection. */
  readonly hostKey?: string;
  /** Whether requests to servers behind us are carried over; else whoever connects the server sees to it. Default true. */
  readonly carry?: boolean;
  /** The protocol era of the connection, as the SDK tells a factory. Default: legacy. */
  readonly era?: ProtocolEra;
  readonly log?: Log;
}

// What we need of each request. Our own schemas, because a breach of one is told as the protocol wants it (-32602).
const Params = z.looseObject({});
const ReadParams = z.looseObject({ uri: z.string() });

const INSTRUCTIONS =
  'Footbridge serves Agent Skills and resources. Before a task, look for a fitting skill in the description of the tool `skill` or with `list_skills`, load it with `skill`, and get the files it names with `get_skill`. Any other resource is listed and read with `get_resource`.';

export const MOST_WATCHED = 1024;

/** A server for one connection or one request, of either protocol era. */
export function createServer({
  catalog,
  prompts = false,
  announce = true,
  events = catalogEvents(catalog, prompts),
  watched = new Set(),
  mostWatched = MOST_WATCHED,
  log = silentLog,
  tools = {},
  identity,
  caller,
  hostKey,
  carry = true,
  era,
}: ServerOptions): McpServer {
  const mcp = new LeanMcpServer(SERVER_INFO, { instructions: INSTRUCTIONS });
  const { server } = mcp;
  checkChoice(tools);
  new SkillsExtension({
    source: skillSource(catalog),
    onWarning: (warning) => log.debug(`skills extension: ${warning.path}: ${warning.message}`),
  }).attach(mcp);

  // A server behind us may come to have prompts later.
  const hasPrompts = prompts || catalog.carries;
  server.registerCapabilities({
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    completions: {},
    ...(hasPrompts ? { prompts: { listChanged: true } } : {}),
  });

  const contextOf = ({ http, mcpReq }: ServerContext, route: Route = 'resource'): ReadContext => ({
    caller: caller ?? callerOf(identity, http),
    signal: mcpReq.signal,
    authInfo: http?.authInfo,
    route,
  });
  const answers = answersOf(catalog, tools, prompts, log);
  const list = <M extends ListMethod>(method: M) =>
    server.setRequestHandler(method, { params: Params }, (params, context) => answers.list(method, params, contextOf(context)));
  list('tools/list');
  list('resources/list');
  list('resources/templates/list');
  const ownKey = hostKey ?? randomUUID();
  server.setRequestHandler('tools/call', { params: Params }, async (params, context) => {
    // Only a tool that is code of others tells and asks in the course of a call.
    if (!mayBeOthers(catalog.snapshot, params['name'])) return answers.callTool(params, contextOf(context, 'tool'));
    const { exchange, told } = ownExchange(context, server, ownKey);
    const result = await answers.callTool(params, { ...contextOf(context, 'tool'), request: exchange });
    await told();
    return result;
  });
  server.setRequestHandler('resources/read', { params: ReadParams }, (params, context) =>
    answers.readResource(params, contextOf(context), context.mcpReq.envelope !== undefined),
  );
  server.setRequestHandler('completion/complete', { params: Params }, (params, context) => answers.complete(params, contextOf(context)));
  server.setRequestHandler('resources/subscribe', { params: ReadParams }, ({ uri }) => {
    if (uri.length > LONGEST_URI) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `A URI has at most ${LONGEST_URI} characters.`);
    if (watched.size >= mostWatched && !watched.has(uri))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        `A connection may subscribe to ${mostWatched} resources. Unsubscribe from one first.`,
      );
    watched.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', { params: ReadParams }, ({ uri }) => {
    watched.delete(uri);
    return {};
  });
  if (hasPrompts) {
    list('prompts/list');
    server.setRequestHandler('prompts/get', { params: Params }, (params, context) => answers.getPrompt(params, contextOf(context)));
  }
  // A modern host subscribes at the connection, which lets through what it asked for.
  if (announce) announceChanges(mcp, events, hasPrompts, (uri) => era === 'modern' || watched.has(uri));
  if (catalog.carries && carry) {
    mcp.toolInputSchemaJson = (name) => catalog.snapshot.findTool(name)?.entry.inputSchema;
    const connect = mcp.connect.bind(mcp);
    mcp.connect = (transport) => {
      const whose = (extra: MessageExtraInfo | undefined) => caller ?? callerOf(identity, httpOf(extra));
      intercept(transport, (wire) => {
        const gateway = new Gateway(wire, { catalog, answers, callerOf: whose, hostKey, watched, mostWatched, log });
        gateways.set(mcp, gateway);
        return gateway;
      });
      return connect(transport);
    };
  }
  return mcp;
}

/** Whether a tool of this name may not be one of ours. */
function mayBeOthers(snapshot: Snapshot, name: unknown): boolean {
  if (snapshot.tools.length === 0) return false;
  return typeof name !== 'string' || !isOwnTool(name) || snapshot.findTool(name) !== undefined;
}

const gateways = new WeakMap<McpServer, Gateway>();

/** What stands between a server that is connected and its host; undefined where there are no servers behind us. */
export function gatewayOf(server: McpServer): Gateway | undefined {
  return gateways.get(server);
}

/** What a transport over HTTP knows of a request. */
function httpOf(extra: MessageExtraInfo | undefined): { authInfo?: AuthInfo | undefined } | undefined {
  return extra?.request === undefined && extra?.authInfo === undefined ? undefined : { authInfo: extra.authInfo };
}

function announceChanges(mcp: McpServer, events: EventFeed, prompts: boolean, wants: (uri: string) => boolean): void {
  mcp.server.onclose = events.subscribe((event) => {
    if (event.kind === 'tools_list_changed') mcp.sendToolListChanged();
    else if (event.kind === 'resources_list_changed') mcp.sendResourceListChanged();
    else if (event.kind === 'prompts_list_changed') prompts && mcp.sendPromptListChanged();
    // A connection that is just closing is told nothing.
    else if (wants(event.uri)) mcp.server.sendResourceUpdated({ uri: event.uri }).catch(() => {});
  });
}
