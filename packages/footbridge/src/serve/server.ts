/** One MCP server over the catalog: each method answered by the surface it belongs to. */
import { type McpServer, type ProtocolEra, ProtocolError, ProtocolErrorCode, type ServerContext } from '@modelcontextprotocol/server';
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import * as z from 'zod/v4';
import type { Catalog } from '../catalog/catalog.js';
import { type Log, silentLog } from '../log.js';
import type { Caller, ReadContext, Road } from '../sources/resource.js';
import { CursorError, type Page } from '../surfaces/paging.js';
import { getPrompt, listPrompts } from '../surfaces/prompts.js';
import { completeVariable, listResources, listTemplates } from '../surfaces/resources.js';
import { skillSource } from '../surfaces/skills-extension.js';
import { checkChoice, type ToolChoice } from '../surfaces/tools/index.js';
import { LONGEST_URI } from '../uri-template.js';
import { answersOf, SERVER_INFO } from './answers.js';
import { catalogEvents, type EventFeed } from './events.js';
import { callerOf, type Identity } from './identity.js';
import { LeanMcpServer } from './lean-server.js';

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
  /** The protocol era of the connection, as the SDK tells a factory. Default: legacy. */
  readonly era?: ProtocolEra;
  readonly log?: Log;
}

// What we need of each request. Our own schemas, because a breach of one is told as the protocol wants it (-32602).
const Params = z.looseObject({});
const ListParams = z.looseObject({ cursor: z.string().optional() });
const ReadParams = z.looseObject({ uri: z.string() });
const GetPromptParams = z.looseObject({ name: z.string() });
const CompleteParams = z.looseObject({
  ref: z.looseObject({ type: z.string(), uri: z.string().optional() }),
  argument: z.looseObject({ name: z.string(), value: z.string() }),
});

const INSTRUCTIONS =
  'Footbridge serves Agent Skills and resources. Before a task, look for a fitting skill in the description of the tool `skill` or with `list_skills`, load it with `skill`, and get the files it names with `get_skill`. Any other resource is listed and read with `get_resource`.';

const MOST_WATCHED = 1024;

/** A server for one connection or one request, of either protocol era. */
export function createServer({
  catalog,
  prompts = false,
  announce = true,
  events = catalogEvents(catalog),
  watched = new Set(),
  mostWatched = MOST_WATCHED,
  log = silentLog,
  tools = {},
  identity,
  caller,
  era,
}: ServerOptions): McpServer {
  const mcp = new LeanMcpServer(SERVER_INFO, { instructions: INSTRUCTIONS });
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
    caller: caller ?? callerOf(identity, http),
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
  const answers = answersOf(catalog, tools);
  server.setRequestHandler('tools/list', { params: Params }, () => answers.listTools());
  server.setRequestHandler('tools/call', { params: Params }, (params, context) => answers.callTool(params, contextOf(context, 'tool')));
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
  server.setRequestHandler('resources/read', { params: ReadParams }, (params, context) =>
    answers.readResource(params, contextOf(context), context.mcpReq.envelope !== undefined),
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
  if (announce) announceChanges(mcp, events, prompts, (uri) => era === 'modern' || watched.has(uri));
  return mcp;
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

function page<T>(make: () => Page<T>): Page<T> {
  try {
    return make();
  } catch (error) {
    if (error instanceof CursorError)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${error.message} List again without a cursor.`);
    throw error;
  }
}
