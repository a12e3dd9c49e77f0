/** One MCP server over the catalog: each method answered by the surface it belongs to. */
import { McpServer, type ProtocolEra, ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server';
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import * as z from 'zod/v4';
import type { Catalog } from '../catalog/catalog.js';
import { type Log, silentLog } from '../log.js';
import type { ReadContext, Road } from '../sources/resource.js';
import { listChanges } from '../surfaces/changes.js';
import { CursorError, type Page } from '../surfaces/paging.js';
import { getPrompt, listPrompts } from '../surfaces/prompts.js';
import { completeVariable, listResources, listTemplates, readResource } from '../surfaces/resources.js';
import { skillSource } from '../surfaces/skills-extension.js';
import { callTool, checkChoice, listTools, type ToolChoice } from '../surfaces/tools/index.js';
import { VERSION } from '../version.js';
import { callerOf, type Identity } from './identity.js';

export interface ServerOptions {
  readonly catalog: Catalog;
  /** Whether each skill is a prompt too. Default false. */
  readonly prompts?: boolean;
  /** Whether the client is told of each list that changes, until the connection ends. Default true. */
  readonly announce?: boolean;
  /** Which of our tools to offer; each unless it is set to false. */
  readonly tools?: ToolChoice;
  /** Who the caller is. Default: by the request's token; without one the owner over stdio, and nobody over HTTP. */
  readonly identity?: Identity;
  /** The protocol era of the connection, as the SDK tells a factory. Default: legacy. */
  readonly era?: ProtocolEra;
  readonly log?: Log;
}

// What we need of each request. Our own schemas, because a breach of one is told as the protocol wants it (-32602).
const Params = z.looseObject({});
const ListParams = z.looseObject({ cursor: z.string().optional() });
const CallParams = z.looseObject({ name: z.string(), arguments: z.looseObject({}).optional() });
const ReadParams = z.looseObject({ uri: z.string() });
const GetPromptParams = z.looseObject({ name: z.string() });
const CompleteParams = z.looseObject({
  ref: z.looseObject({ type: z.string(), uri: z.string().optional() }),
  argument: z.looseObject({ name: z.string(), value: z.string() }),
});

const INSTRUCTIONS =
  'Footbridge serves Agent Skills and resources. Before a task, look for a fitting skill in the description of the tool `skill` or with `list_skills`, load it with `skill`, and get the files it names with `get_skill`. Any other resource is listed and read with `get_resource`.';

/** Resources that one connection may subscribe to. */
const MOST_SUBSCRIPTIONS = 1024;

/** A server for one connection or one request, of either protocol era. */
export function createServer({
  catalog,
  prompts = false,
  announce = true,
  log = silentLog,
  tools = {},
  identity,
  era,
}: ServerOptions): McpServer {
  const mcp = new McpServer({ name: 'footbridge', title: 'Footbridge', version: VERSION }, { instructions: INSTRUCTIONS });
  const { server } = mcp;
  checkChoice(tools);
  new SkillsExtension({
    source: skillSource(catalog),
    onWarning: (warning) => log.debug(`skills extension: ${warning.path}: ${warning.message}`),
  }).attach(mcp);

  server.registerCapabilities({
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    completions: {},
    ...(prompts ? { prompts: { listChanged: true } } : {}),
  });

  const contextOf = ({ http, mcpReq }: ServerContext, road: Road = 'resource'): ReadContext => ({
    caller: callerOf(identity, http),
    signal: mcpReq.signal,
    authInfo: http?.authInfo,
    road,
  });
  /** Runs a handler once nothing is merely remembered; only the first look at the tools is quicker than that. */
  const settled =
    <P, R>(handler: (params: P, context: ServerContext) => R | Promise<R>) =>
    async (params: P, context: ServerContext): Promise<R> => {
      await catalog.settled();
      return handler(params, context);
    };
  server.setRequestHandler('tools/list', { params: Params }, () => ({ tools: listTools(catalog.snapshot, tools) }));
  // Not set as the others are: the SDK would hold what goes in and what comes out against schemas of the whole protocol,
  // which costs as much as the rest of a call. What goes in is checked here, and what comes out is our own.
  server.fallbackRequestHandler = async ({ method, params }, context) => {
    if (method !== 'tools/call') throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    const call = CallParams.safeParse(params);
    if (!call.success)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params for tools/call: ${z.prettifyError(call.error)}`);
    await catalog.settled();
    return callTool(catalog, call.data.name, call.data.arguments, contextOf(context, 'tool'), tools);
  };
  server.setRequestHandler(
    'resources/list',
    { params: ListParams },
    settled(({ cursor }) => {
      const { items, nextCursor } = page(() => listResources(catalog, cursor));
      return { resources: [...items], ...(nextCursor === undefined ? {} : { nextCursor }) };
    }),
  );
  server.setRequestHandler(
    'resources/templates/list',
    { params: ListParams },
    settled(({ cursor }) => {
      const { items, nextCursor } = page(() => listTemplates(catalog, cursor));
      return { resourceTemplates: [...items], ...(nextCursor === undefined ? {} : { nextCursor }) };
    }),
  );
  server.setRequestHandler(
    'resources/read',
    { params: ReadParams },
    settled(({ uri }, context) => readResource(catalog, uri, contextOf(context), context.mcpReq.envelope !== undefined)),
  );
  server.setRequestHandler(
    'completion/complete',
    { params: CompleteParams },
    settled(({ ref, argument }, context) =>
      ref.type === 'ref/resource' && ref.uri !== undefined
        ? completeVariable(catalog, ref.uri, argument.name, argument.value, contextOf(context))
        : { completion: { values: [], total: 0, hasMore: false } },
    ),
  );
  const subscribed = new Set<string>();
  server.setRequestHandler('resources/subscribe', { params: ReadParams }, ({ uri }) => {
    if (subscribed.size >= MOST_SUBSCRIPTIONS && !subscribed.has(uri))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidRequest,
        `A connection may subscribe to ${MOST_SUBSCRIPTIONS} resources. Unsubscribe from one first.`,
      );
    subscribed.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', { params: ReadParams }, ({ uri }) => {
    subscribed.delete(uri);
    return {};
  });
  if (prompts) {
    server.setRequestHandler(
      'prompts/list',
      { params: ListParams },
      settled(({ cursor }) => {
        const { items, nextCursor } = page(() => listPrompts(catalog, cursor));
        return { prompts: [...items], ...(nextCursor === undefined ? {} : { nextCursor }) };
      }),
    );
    server.setRequestHandler(
      'prompts/get',
      { params: GetPromptParams },
      settled(({ name }) => getPrompt(catalog, name)),
    );
  }
  // A modern host subscribes at the connection, which lets through what it asked for.
  const wants = (uri: string) => era === 'modern' || subscribed.has(uri);
  if (announce) announceChanges(mcp, catalog, prompts, wants);
  return mcp;
}

function announceChanges(mcp: McpServer, catalog: Catalog, prompts: boolean, wants: (uri: string) => boolean): void {
  const stopChanges = catalog.onChange((change) => {
    const changed = listChanges(change);
    if (changed.tools) mcp.sendToolListChanged();
    if (changed.resources) mcp.sendResourceListChanged();
    if (changed.prompts && prompts) mcp.sendPromptListChanged();
  });
  const stopUpdates = catalog.onUpdate((uri) => {
    // A connection that is just closing is told nothing.
    if (wants(uri)) mcp.server.sendResourceUpdated({ uri }).catch(() => {});
  });
  mcp.server.onclose = () => {
    stopChanges();
    stopUpdates();
  };
}

function page<T>(make: () => Page<T>): Page<T> {
  try {
    return make();
  } catch (error) {
    if (error instanceof CursorError)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${error.message} List again without a cursor.`);
    throw error;
  }
}
