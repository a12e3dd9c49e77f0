/** One MCP server over the catalog: each method answered by the surface it belongs to. */
import { McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import * as z from 'zod/v4';
import type { Catalog } from '../catalog/catalog.js';
import { type Log, silentLog } from '../log.js';
import { listChanges } from '../surfaces/changes.js';
import { CursorError, type Page } from '../surfaces/paging.js';
import { getPrompt, listPrompts } from '../surfaces/prompts.js';
import { completePath, listResources, readResource, SKILL_TEMPLATE } from '../surfaces/resources.js';
import { skillSource } from '../surfaces/skills-extension.js';
import { callTool, listTools } from '../surfaces/tools/index.js';
import { VERSION } from '../version.js';

export interface ServerOptions {
  readonly catalog: Catalog;
  /** Whether each skill is a prompt too. Default false. */
  readonly prompts?: boolean;
  /** Whether the client is told of each list that changes, until the connection ends. Default true. */
  readonly announce?: boolean;
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
  'Footbridge serves Agent Skills. Before a task, look for a fitting skill in the description of the tool `skill` or with `list_skills`, load it with `skill`, and get the files it names with `get_skill`.';

/** A server for one connection or one request, of either protocol era. */
export function createServer({ catalog, prompts = false, announce = true, log = silentLog }: ServerOptions): McpServer {
  const mcp = new McpServer({ name: 'footbridge', title: 'Footbridge', version: VERSION }, { instructions: INSTRUCTIONS });
  const { server } = mcp;
  new SkillsExtension({
    source: skillSource(catalog),
    onWarning: (warning) => log.debug(`skills extension: ${warning.path}: ${warning.message}`),
  }).attach(mcp);

  server.registerCapabilities({
    tools: { listChanged: true },
    resources: { listChanged: true },
    completions: {},
    ...(prompts ? { prompts: { listChanged: true } } : {}),
  });

  /** Runs a handler once nothing is merely remembered; only the first look at the tools is quicker than that. */
  const settled =
    <P, R>(handler: (params: P) => R | Promise<R>) =>
    async (params: P): Promise<R> => {
      await catalog.settled();
      return handler(params);
    };
  server.setRequestHandler('tools/list', { params: Params }, () => ({ tools: listTools(catalog.snapshot) }));
  // Not set as the others are: the SDK would hold what goes in and what comes out against schemas of the whole protocol,
  // which costs as much as the rest of a call. What goes in is checked here, and what comes out is our own.
  server.fallbackRequestHandler = async ({ method, params }) => {
    if (method !== 'tools/call') throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    const call = CallParams.safeParse(params);
    if (!call.success)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params for tools/call: ${z.prettifyError(call.error)}`);
    await catalog.settled();
    return callTool(catalog, call.data.name, call.data.arguments);
  };
  server.setRequestHandler(
    'resources/list',
    { params: ListParams },
    settled(({ cursor }) => {
      const { items, nextCursor } = page(() => listResources(catalog, cursor));
      return { resources: [...items], ...(nextCursor === undefined ? {} : { nextCursor }) };
    }),
  );
  server.setRequestHandler('resources/templates/list', { params: Params }, () => ({ resourceTemplates: [SKILL_TEMPLATE] }));
  server.setRequestHandler(
    'resources/read',
    { params: ReadParams },
    settled(({ uri }) => readResource(catalog, uri)),
  );
  server.setRequestHandler(
    'completion/complete',
    { params: CompleteParams },
    settled(({ ref, argument }) =>
      ref.type === 'ref/resource' && ref.uri === SKILL_TEMPLATE.uriTemplate && argument.name === 'path'
        ? completePath(catalog, argument.value)
        : { completion: { values: [], total: 0, hasMore: false } },
    ),
  );
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
  if (announce) announceChanges(mcp, catalog, prompts);
  return mcp;
}

function announceChanges(mcp: McpServer, catalog: Catalog, prompts: boolean): void {
  const stop = catalog.onChange((change) => {
    const changed = listChanges(change);
    if (changed.tools) mcp.sendToolListChanged();
    if (changed.resources) mcp.sendResourceListChanged();
    if (changed.prompts && prompts) mcp.sendPromptListChanged();
  });
  mcp.server.onclose = stop;
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
