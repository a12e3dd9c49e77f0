/** The methods that are answered from the catalog, without the protocol around them. */
import { type ProtocolEra, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Catalog } from '../../catalog/catalog.js';
import { preloadSearch, preloadToolSearch } from '../../catalog/search/preload.js';
import { findTarget } from '../../catalog/target.js';
import { reasonOf } from '../../errors.js';
import { type Fields, isFields } from '../../json.js';
import { keepJson } from '../../json-pieces.js';
import type { Log } from '../../log.js';
import { lookedFor } from '../../sources/forwarding.js';
import type { ReadContext } from '../../sources/resource.js';
import { type ContributedTool, isUpstreamTool } from '../../sources/source.js';
import { prepareCatalogue } from '../../surfaces/catalogue/ranked.js';
import type { HostView, HostViews } from '../../surfaces/hosts/view.js';
import { type Page, protocolPage } from '../../surfaces/paging.js';
import { completeForwarded, forwardByName, onlyUpstream, whenListed } from '../../surfaces/passthrough.js';
import { findShownPrompt, getSkillPrompt, listPrompts, noSuchPrompt } from '../../surfaces/prompts.js';
import { completeVariable, listResources, listTemplates, readResource } from '../../surfaces/resources.js';
import { searchedTools } from '../../surfaces/tool-search/listing.js';
import { resolveCall } from '../../surfaces/tools/call-tool.js';
import { callDefined } from '../../surfaces/tools/defined.js';
import { callTool, isOwnTool, listTools, ownToolNames, type ToolChoice } from '../../surfaces/tools/index.js';
import { callUnavailable, UNAVAILABLE_TOOL } from '../../surfaces/tools/unavailable-server.js';
import { type CallingToolName, isCallingTool, resemblesOwnTool } from '../../tool-names.js';
import type { Method } from './dispatcher.js';

// The required parameters of each request. Our own schemas, so that invalid params get -32602, as the protocol requires.
const CallParams = z.looseObject({ name: z.string(), arguments: z.looseObject({}).optional() });
const ReadParams = z.looseObject({ uri: z.string() });
const ListParams = z.looseObject({ cursor: z.string().optional() });
const GetPromptParams = z.looseObject({ name: z.string() });
const CompleteParams = z.looseObject({
  ref: z.looseObject({ type: z.string(), name: z.string().optional(), uri: z.string().optional() }),
  argument: z.looseObject({ name: z.string(), value: z.string() }),
});

/** Lists with pagination. */
type ListMethod = 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list';

/** What the catalog's methods need of a request's scope. */
export interface CatalogScope {
  readonly era: ProtocolEra;
  /** `clientInfo.name`, if known. */
  readonly clientName: string | undefined;
  /** Whether the host runs on this machine, in our working folder. */
  readonly isLocal: boolean;
  /** For reads and calls on behalf of the request. */
  context(): ReadContext;
}

export interface CatalogMethodsOptions {
  readonly catalog: Catalog;
  readonly tools: () => ToolChoice;
  /** How the catalog is shown to each host. */
  readonly hosts: HostViews;
  /** Whether each skill is a prompt too. */
  readonly prompts: boolean;
  /** Logs unexpected errors of tools. */
  readonly log: Log;
}

/** The methods by name. */
export function catalogMethods(options: CatalogMethodsOptions): ReadonlyMap<string, Method<CatalogScope>> {
  const { catalog, hosts, prompts } = options;
  const answers = answersFrom(options);
  const viewFor = ({ clientName, isLocal }: CatalogScope) => hosts.of(clientName, isLocal);
  const list =
    (method: ListMethod): Method<CatalogScope> =>
    ({ params = NO_PARAMS }, scope) =>
      answers.list(method, params, scope.context(), viewFor(scope));
  const methods = new Map<string, Method<CatalogScope>>([
    ['tools/list', list('tools/list')],
    ['tools/call', ({ params = NO_PARAMS }, scope) => answers.callTool(params, scope.context(), viewFor(scope))],
    ['resources/list', list('resources/list')],
    ['resources/templates/list', list('resources/templates/list')],
    ['resources/read', ({ params = NO_PARAMS }, scope) => answers.readResource(params, scope.context(), scope.era === 'modern')],
    ['completion/complete', ({ params = NO_PARAMS }, scope) => answers.complete(params, scope.context())],
  ]);
  // An upstream may add prompts later.
  if (prompts || catalog.hasUpstreams)
    methods
      .set('prompts/list', list('prompts/list'))
      .set('prompts/get', ({ params = NO_PARAMS }, scope) => answers.getPrompt(params, scope.context()));
  return methods;
}

const NO_PARAMS: Fields = {};

interface Call {
  readonly [field: string]: unknown;
  readonly name: string;
  readonly arguments?: Record<string, unknown> | undefined;
}

/** Each throws a protocol error for an invalid request, and returns what an upstream answers unchanged. */
interface Answers {
  list(method: ListMethod, params: unknown, context: ReadContext, view: HostView): Promise<Fields>;
  callTool(params: unknown, context: ReadContext, view: HostView): Promise<Fields> | Fields;
  readResource(params: unknown, context: ReadContext, modern: boolean): Promise<Fields>;
  getPrompt(params: unknown, context: ReadContext): Promise<Fields>;
  complete(params: unknown, context: ReadContext): Promise<Fields>;
}

function answersFrom({ catalog, log, prompts: skillPrompts, tools }: CatalogMethodsOptions): Answers {
  /** Looks again when the upstreams have listed what they have; a stopped one may have come to have the tool or prompt of a `name`. */
  const find = async <T>(look: () => T | undefined, name?: string): Promise<T | undefined> => {
    const found = look();
    if (found !== undefined) return found;
    await whenListed(catalog.snapshot.upstreams);
    if (name !== undefined && look() === undefined) await lookedFor(catalog.snapshot.upstreams, name);
    return look();
  };
  /** Waits for servers that have not listed the tool yet. */
  const resolve = async (by: CallingToolName, input: Fields, view: HostView) => {
    const { name } = input;
    if (typeof name === 'string') await find(() => catalog.snapshot.findTool(name), name);
    return resolveCall(by, input, catalog.snapshot, () => ownToolNames(catalog.snapshot, view, tools()));
  };
  /** Calls a tool; `found` is the contributed one of its name. */
  const callFound = (found: ContributedTool | undefined, call: Call, context: ReadContext, view: HostView): Promise<Fields> | Fields => {
    const { snapshot } = catalog;
    const { name } = call;
    if (found !== undefined && isUpstreamTool(found)) return forwardByName(found, 'tools/call', call, name, context);
    if (found !== undefined) return callDefined(found, call, context, (cause) => log.error(`tool ${name}: ${reasonOf(cause)}`));
    if (name === UNAVAILABLE_TOOL && catalog.hasUpstreams) return callUnavailable(snapshot);
    const isOurs = isOwnTool(name) || (snapshot.hasOwnContent && resemblesOwnTool(name));
    const only = isOurs ? undefined : onlyUpstream(snapshot);
    if (only !== undefined) return forwardByName(only, 'tools/call', call, name, context);
    return callTool(catalog, name, call.arguments, context, view, tools());
  };
  const answers: Answers = {
    async list(method, params, context, view) {
      const listing = whenListed(catalog.snapshot.upstreams);
      if (listing !== undefined) await listing;
      // Hosts wait for their tools: these may come from the last run, before the folders are read again.
      if (method !== 'tools/list' && !catalog.isSettled) await catalog.settled();
      // Upstreams that do not announce changes are asked each time.
      if (catalog.hasUpstreams) await catalog.introspect(context).catch(() => {});
      if (method === 'tools/list') {
        const { resources, skills, templates } = catalog.snapshot;
        if (skills.length + resources.length + templates.length > 0) preloadSearch(catalog);
        if (searchedTools(catalog.snapshot, view, tools()).size > 0) preloadToolSearch(catalog);
        await prepareCatalogue(catalog.snapshot, view);
        return { tools: listTools(catalog.snapshot, view, tools()) };
      }
      const { cursor } = parse(method, ListParams, params);
      const { items, nextCursor } = protocolPage(() => LISTS[method].list(catalog, cursor, skillPrompts));
      // The first page is the same for all requests until something changes.
      if (method === 'resources/list' && cursor === undefined) await keepJson(items);
      return { [LISTS[method].field]: items, nextCursor };
    },
    // Nearly all calls are of our own tools, and wait for nothing here.
    callTool(params, context, view) {
      const call = isCall(params) ? params : parse('tools/call', CallParams, params);
      if (!catalog.isSettled) return catalog.settled().then(() => answers.callTool(call, context, view));
      const { name } = call;
      if (isCallingTool(name) && tools()[name] !== false && catalog.snapshot.findTool(name) === undefined)
        return resolve(name, call.arguments ?? {}, view).then((resolved) =>
          // The call itself, as if the host had listed the tool.
          'result' in resolved ? resolved.result : answers.callTool({ ...call, ...resolved }, context, view),
        );
      const look = () => catalog.snapshot.findTool(name);
      const isOurs = isOwnTool(name);
      if (!isOurs && look() === undefined) return find(look, name).then((found) => callFound(found, call, context, view));
      // Our tools yield to the tool of an upstream that is alone.
      const listing = isOurs ? whenListed(catalog.snapshot.upstreams) : undefined;
      return listing === undefined ? callFound(look(), call, context, view) : listing.then(() => callFound(look(), call, context, view));
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
        (await find(() => findShownPrompt(catalog.snapshot, wanted.name, skillPrompts), wanted.name)) ??
        (skillPrompts ? undefined : onlyUpstream(catalog.snapshot));
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
      const forwarded = await completeForwarded(catalog, ref, wanted, context, skillPrompts);
      if (forwarded !== undefined) return forwarded;
      return ref.type === 'ref/resource' && ref.uri !== undefined
        ? completeVariable(catalog, ref.uri, argument.name, argument.value, context)
        : { completion: { values: [], total: 0, hasMore: false } };
    },
  };
  return answers;
}

type List = (catalog: Catalog, cursor: string | undefined, skillPrompts: boolean) => Page<unknown>;

const LISTS: Readonly<Record<Exclude<ListMethod, 'tools/list'>, { readonly field: string; readonly list: List }>> = {
  'prompts/list': { field: 'prompts', list: listPrompts },
  'resources/list': { field: 'resources', list: listResources },
  'resources/templates/list': { field: 'resourceTemplates', list: listTemplates },
};

// Nearly all requests are valid, and are recognised without a schema. The schemas report what is wrong with the others.
function isCall(params: unknown): params is Call {
  return isFields(params) && typeof params['name'] === 'string' && (params['arguments'] === undefined || isFields(params['arguments']));
}

function isRead(params: unknown): params is { uri: string } {
  return isFields(params) && typeof params['uri'] === 'string';
}

function parse<T>(method: string, schema: z.ZodType<T>, params: unknown): T {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params for ${method}: ${z.prettifyError(parsed.error)}`);
}
