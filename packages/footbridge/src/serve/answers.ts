/** What hosts ask most, answered apart from the protocol around it: the same over every transport. */
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Catalog } from '../catalog/catalog.js';
import { findTarget } from '../catalog/target.js';
import { reasonOf } from '../errors.js';
import { type Fields, isFields } from '../json.js';
import type { Log } from '../log.js';
import { InputRequired, type ReadContext } from '../sources/resource.js';
import { isUpstreamTool } from '../sources/source.js';
import { CursorError, type Page } from '../surfaces/paging.js';
import { completeForwarded, forwardByName, onlyUpstream, whenListed } from '../surfaces/passthrough.js';
import { getSkillPrompt, listPrompts, noSuchPrompt } from '../surfaces/prompts.js';
import { completeVariable, listResources, listTemplates, readResource } from '../surfaces/resources.js';
import { callDefined } from '../surfaces/tools/defined.js';
import { callTool, isOwnTool, listTools, type ToolChoice } from '../surfaces/tools/index.js';

// What we need of each request. Our own schemas, because a breach of one is told as the protocol wants it (-32602).
const CallParams = z.looseObject({ name: z.string(), arguments: z.looseObject({}).optional() });
const ReadParams = z.looseObject({ uri: z.string() });
const ListParams = z.looseObject({ cursor: z.string().optional() });
const GetPromptParams = z.looseObject({ name: z.string() });
const CompleteParams = z.looseObject({
  ref: z.looseObject({ type: z.string(), name: z.string().optional(), uri: z.string().optional() }),
  argument: z.looseObject({ name: z.string(), value: z.string() }),
});

/** Lists that are shown page by page. */
export type ListMethod = 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list';

/** Throws an error of the protocol for what is wrong with a request. What a server behind us answers is given as it came. */
export interface Answers {
  list(method: ListMethod, params: unknown, context: ReadContext): Promise<Fields>;
  callTool(params: unknown, context: ReadContext): Promise<Fields>;
  readResource(params: unknown, context: ReadContext, modern: boolean): Promise<Fields>;
  getPrompt(params: unknown, context: ReadContext): Promise<Fields>;
  complete(params: unknown, context: ReadContext): Promise<Fields>;
}

/** `skillPrompts`: whether each skill is a prompt too. `log` is told of what the authors of tools did not foresee. */
export function answersOf(catalog: Catalog, tools: ToolChoice, skillPrompts: boolean, log: Log): Answers {
  /** What a name stands for; a server behind us that has not said yet what it has is waited for. */
  const find = async <T>(look: () => T | undefined): Promise<T | undefined> => {
    const found = look();
    if (found !== undefined) return found;
    const listing = whenListed(catalog.snapshot.upstreams);
    if (listing === undefined) return undefined;
    await listing;
    return look();
  };
  return {
    async list(method, params, context) {
      const listing = whenListed(catalog.snapshot.upstreams);
      if (listing !== undefined) await listing;
      // The first look at the tools is the only one that does not wait for what is merely remembered of folders.
      if (method !== 'tools/list' && !catalog.isSettled) await catalog.settled();
      // Servers that do not say when their lists change are asked each time.
      if (catalog.hasUpstreams) await catalog.introspect(context).catch(() => {});
      if (method === 'tools/list') return { tools: listTools(catalog.snapshot, tools) };
      const { cursor } = parse(method, ListParams, params);
      const { items, nextCursor } = page(() => LISTS[method].list(catalog, cursor, skillPrompts));
      return { [LISTS[method].field]: items, nextCursor };
    },
    async callTool(params, context) {
      const call = isCall(params) ? params : parse('tools/call', CallParams, params);
      if (!catalog.isSettled) await catalog.settled();
      const { name } = call;
      const own = isOwnTool(name);
      // Ours are about what servers have, and yield to a tool of theirs with the same name.
      const first = own ? whenListed(catalog.snapshot.upstreams) : undefined;
      if (first !== undefined) await first;
      const found = catalog.snapshot.findTool(name) ?? (own ? undefined : await find(() => catalog.snapshot.findTool(name)));
      if (found !== undefined) {
        if (isUpstreamTool(found)) return forwardByName(found, 'tools/call', call, name, context);
        return orInterruption(() => callDefined(found, call, context, (cause) => log.error(`tool ${name}: ${reasonOf(cause)}`)));
      }
      const only = own ? undefined : onlyUpstream(catalog.snapshot);
      if (only !== undefined) return forwardByName(only, 'tools/call', call, name, context);
      return orInterruption(() => callTool(catalog, name, call.arguments, context, tools));
    },
    async readResource(params, context, modern) {
      const read = isRead(params) ? params : parse('resources/read', ReadParams, params);
      if (!catalog.isSettled) await catalog.settled();
      if (catalog.snapshot.upstreams.length > 0) await find(() => findTarget(catalog.snapshot, read.uri));
      return readResource(catalog, read, context, modern);
    },
    async getPrompt(params, context) {
      const wanted = isCall(params) ? params : parse('prompts/get', GetPromptParams, params);
      if (!catalog.isSettled) await catalog.settled();
      const forwarded =
        (await find(() => catalog.snapshot.findPrompt(wanted.name))) ?? (skillPrompts ? undefined : onlyUpstream(catalog.snapshot));
      if (forwarded !== undefined) return forwardByName(forwarded, 'prompts/get', wanted, wanted.name, context);
      if (!skillPrompts) throw noSuchPrompt(wanted.name);
      return getSkillPrompt(catalog, wanted.name);
    },
    async complete(params, context) {
      const wanted = parse('completion/complete', CompleteParams, params);
      const { ref, argument } = wanted;
      if (!catalog.isSettled) await catalog.settled();
      const listing = whenListed(catalog.snapshot.upstreams);
      if (listing !== undefined) await listing;
      const forwarded = await completeForwarded(catalog, ref, wanted, context);
      if (forwarded !== undefined) return forwarded;
      return ref.type === 'ref/resource' && ref.uri !== undefined
        ? completeVariable(catalog, ref.uri, argument.name, argument.value, context)
        : { completion: { values: [], total: 0, hasMore: false } };
    },
  };
}

/** What the host has to go on with is the result. */
async function orInterruption(call: () => Promise<CallToolResult>): Promise<Fields> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof InputRequired) return error.result;
    throw error;
  }
}

type List = (catalog: Catalog, cursor: string | undefined, skillPrompts: boolean) => Page<unknown>;

const LISTS: Readonly<Record<Exclude<ListMethod, 'tools/list'>, { readonly field: string; readonly list: List }>> = {
  'prompts/list': { field: 'prompts', list: listPrompts },
  'resources/list': { field: 'resources', list: listResources },
  'resources/templates/list': { field: 'resourceTemplates', list: listTemplates },
};

// What nearly all requests are needs no schema to be told; the schemas say what is wrong with the others.
function isCall(params: unknown): params is { name: string; arguments?: Record<string, unknown> } {
  return isFields(params) && typeof params['name'] === 'string' && (params['arguments'] === undefined || isFields(params['arguments']));
}

function isRead(params: unknown): params is { uri: string } {
  return isFields(params) && typeof params['uri'] === 'string';
}

/** A page of a list; a cursor of nobody's is told as the protocol wants it. */
function page<T>(make: () => Page<T>): Page<T> {
  try {
    return make();
  } catch (error) {
    if (error instanceof CursorError)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${error.message} List again without a cursor.`);
    throw error;
  }
}

function parse<T>(method: string, schema: z.ZodType<T>, params: unknown): T {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params for ${method}: ${z.prettifyError(parsed.error)}`);
}
