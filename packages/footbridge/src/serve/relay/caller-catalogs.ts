/** One catalog per caller of a connection, since a server may show different content to different callers. */
import { setTimeout } from 'node:timers/promises';
import type { MessageExtraInfo, Tool } from '@modelcontextprotocol/server';
import { Catalog } from '../../catalog/catalog.js';
import type { ReadCounters } from '../../catalog/counters.js';
import { asText, isFields } from '../../json.js';
import type { ReadLimits } from '../../limits.js';
import type { Log } from '../../log.js';
import { Cancellation, Context, within } from '../../sources/context.js';
import type { Caller, InternalReadContext, ReadContext } from '../../sources/resource.js';
import { contentsOf, listAll } from '../../sources/server/channel.js';
import type { ResourceRule } from '../../sources/server/entries.js';
import { serverSource } from '../../sources/server/index.js';
import type { Source } from '../../sources/source.js';
import { lease } from '../../sources/transforms/index.js';
import type { HostView, HostViews } from '../../surfaces/hosts/view.js';
import { isOwnTool, listTools, TOOL_NAMES, type ToolChoice } from '../../surfaces/tools/index.js';
import { catalogMethods } from '../dispatch/catalog-methods.js';
import { Dispatcher } from '../dispatch/dispatcher.js';
import { callerOf, type Identity } from '../identity.js';
import type { Answer } from '../messages.js';
import type { RelayScope } from './scope.js';
import type { ServerRequests } from './server-requests.js';

export interface RelayOptions {
  readonly tools: ToolChoice;
  /** How the tools are shown to each host. */
  readonly hosts: HostViews;
  readonly rules: readonly ResourceRule[];
  readonly limits: Partial<ReadLimits>;
  readonly identity: Identity | undefined;
  /** Skill folders; each catalog leases them. */
  readonly sources: readonly Source[];
  /** Throws when the server's own transport would refuse this read. */
  readonly guard: ((uri: string, context: InternalReadContext) => Promise<void> | undefined) | undefined;
  /** Called with the name of each built-in tool that the server defines itself. */
  readonly onTaken: (name: string) => void;
  /** Shared by all connections. */
  readonly counters: ReadCounters;
  readonly log: Log;
}

/** How long a tool list may be delayed. */
const LIST_TIMEOUT_MS = 1000;
/** Per connection. */
const MAX_CALLERS = 64;

export class CallerCatalogs {
  readonly #callers = new Map<string, CallerCatalog>();
  readonly #options: RelayOptions;
  readonly #create: () => CallerCatalog;
  #latest: CallerCatalog | undefined;

  constructor(requests: ServerRequests, options: RelayOptions, onChange: () => void) {
    this.#options = options;
    this.#create = () => new CallerCatalog(requests, options, onChange);
  }

  /** Whether this is the name of an enabled built-in tool. */
  isOurs(name: unknown): boolean {
    return typeof name === 'string' && isOwnTool(name) && this.#options.tools[name] !== false;
  }

  /** The catalog of the caller; call `leave` when the request has ended. */
  enter({ caller: who, extra }: RelayScope): CallerCatalog {
    const key = keyOf(who, extra);
    const caller = this.#callers.get(key) ?? this.#create();
    if (caller !== this.#latest) {
      // Least recently used first.
      this.#callers.delete(key);
      this.#callers.set(key, caller);
      this.#latest = caller;
    }
    caller.users++;
    return caller;
  }

  leave(caller: CallerCatalog): void {
    caller.users--;
    for (const [key, other] of this.#callers) {
      if (this.#callers.size <= MAX_CALLERS) return;
      if (other.users > 0) continue;
      other.close();
      this.#callers.delete(key);
      if (other === this.#latest) this.#latest = undefined;
    }
  }

  /** Counts a `resources/read` of the host. */
  observe(extra: MessageExtraInfo | undefined, uri: string, milliseconds: number, answer: Answer): void {
    const opened = this.#callers.get(keyOf(this.callerOf(extra), extra))?.opened;
    opened?.observe(uri, milliseconds, 'error' in answer ? undefined : contentsOf(answer.result));
  }

  forgetTools(): void {
    for (const caller of this.#callers.values()) caller.forgetTools();
  }

  close(): void {
    for (const caller of this.#callers.values()) caller.close();
    this.#callers.clear();
  }

  callerOf(extra: MessageExtraInfo | undefined): Caller {
    return callerOf(this.#options.identity, isOverHttp(extra) ? { authInfo: extra?.authInfo } : undefined);
  }
}

export class CallerCatalog {
  /** The number of running requests. */
  users = 0;
  readonly catalog: Promise<Catalog>;
  /** Set once the catalog is open. */
  opened: Catalog | undefined;
  /** The names of the server's own tools, once known. */
  names: ReadonlySet<string> | undefined;
  readonly #requests: ServerRequests;
  readonly #options: RelayOptions;
  readonly #onChange: () => void;
  #taken: Promise<ReadonlySet<string>> | undefined;
  #choice: { readonly isReadable: boolean; readonly tools: ToolChoice } | undefined;
  #dispatcher: Dispatcher<RelayScope> | undefined;

  constructor(requests: ServerRequests, options: RelayOptions, onChange: () => void) {
    this.#requests = requests;
    this.#options = options;
    this.#onChange = onChange;
    const { rules, guard, limits, log, sources, counters } = options;
    const server = serverSource({ channel: requests, rules, guard });
    this.catalog = Catalog.open([server, ...sources.map(lease)], { limits, log, counters });
    this.catalog.then(
      (catalog) => {
        this.opened = catalog;
        if (sources.length > 0) catalog.onChange(({ previous, snapshot }) => previous.skills !== snapshot.skills && onChange());
      },
      (cause: unknown) => log.warn(`Footbridge's tools are unavailable: ${String(cause)}`),
    );
  }

  /** The built-in tools for this caller, including those that the server defines too. */
  async ownTools(context: ReadContext, view: HostView): Promise<readonly Tool[]> {
    const catalog = await this.catalog;
    // Some hosts give up on a slow list; they are notified when the resources are known.
    const look = catalog.introspect(context).catch((cause: unknown) => this.#options.log.debug(`lists: ${String(cause)}`));
    await Promise.race([look, setTimeout(LIST_TIMEOUT_MS, undefined, { ref: false })]);
    const { snapshot } = catalog;
    look.then(() => catalog.snapshot !== snapshot && this.#onChange());
    return listTools(catalog.snapshot, view, this.choice(catalog));
  }

  /** Disables the skill tools without skill folders, and the resource tools if the server has no resources. */
  choice(catalog: Catalog): ToolChoice {
    const { sources, tools } = this.#options;
    const isReadable = catalog.isReadable;
    if (this.#choice?.isReadable !== isReadable) {
      const noSkills = sources.length === 0 ? { skill: false, list_skills: false, get_skill: false } : {};
      const noResources = isReadable ? {} : { get_resource: false, get_resources: false };
      this.#choice = { isReadable, tools: { ...noSkills, ...noResources, ...tools } };
    }
    return this.#choice.tools;
  }

  /** Dispatches a call of a built-in tool; undefined if it is left to the server, which has a tool of that name. */
  call(scope: RelayScope): Promise<Answer | undefined> {
    const { names, opened } = this;
    // Both are known after the first call.
    if (names !== undefined && opened !== undefined) return this.#dispatch(scope, opened, names);
    return this.catalog.then(async (catalog) => this.#dispatch(scope, catalog, await this.taken(scope.context())));
  }

  #dispatch(scope: RelayScope, catalog: Catalog, taken: ReadonlySet<string>): Promise<Answer | undefined> {
    const { hosts, log } = this.#options;
    const name = asText(scope.message.params?.['name']);
    if (!isOwnTool(name) || this.choice(catalog)[name] === false || taken.has(name)) return UNANSWERED;
    const tools = () => this.choice(catalog);
    this.#dispatcher ??= new Dispatcher<RelayScope>({ common: catalogMethods({ catalog, tools, hosts, prompts: false, log }) }, log);
    return this.#dispatcher.dispatch(scope.message, scope);
  }

  /** The names of the server's own tools; empty when they cannot be listed. */
  taken(context: ReadContext): Promise<ReadonlySet<string>> {
    if (this.#taken === undefined) {
      const listing = this.#listNames(context);
      this.#taken = listing;
      listing.then(
        (names) => this.#taken === listing && this.remember(names),
        () => this.#taken === listing && this.forgetTools(),
      );
    }
    return this.#taken.catch(() => NONE);
  }

  remember(names: ReadonlySet<string>): void {
    this.#taken = Promise.resolve(names);
    this.names = names;
    for (const name of TOOL_NAMES) if (names.has(name) && this.#options.tools[name] !== false) this.#options.onTaken(name);
  }

  forgetTools(): void {
    this.#taken = undefined;
    this.names = undefined;
  }

  close(): void {
    this.catalog.then((catalog) => catalog.close()).catch(() => {});
  }

  /** Shared by concurrent requests, so a cancellation of the first does not apply. */
  async #listNames({ caller, request }: InternalReadContext): Promise<ReadonlySet<string>> {
    const own = new Context({ caller, request }, new Cancellation());
    return namesOf((await within(LIST_TIMEOUT_MS, own, (context) => listAll(this.#requests, 'tools/list', 'tools', context))) ?? []);
  }
}

const NONE: ReadonlySet<string> = new Set();
const UNANSWERED = Promise.resolve(undefined);

/** Built from the token and the headers, since a server may identify callers by either. */
function keyOf(caller: Caller, extra: MessageExtraInfo | undefined): string {
  return extra === undefined ? caller.id : `${caller.id} ${headersOf(extra)}`;
}

function isOverHttp(extra: MessageExtraInfo | undefined): boolean {
  return extra !== undefined && (extra.authInfo !== undefined || 'request' in extra || 'requestInfo' in extra);
}

/** Headers that do not identify the caller. */
const IGNORED_HEADERS =
  /^(?:accept(?:-.*)?|cache-control|connection|content-.*|date|host|keep-alive|last-event-id|mcp-.*|sec-.*|te|trace.*|transfer-encoding|user-agent|x-request-id)$/i;

function headersOf(extra: MessageExtraInfo): string {
  const given: unknown = extra.request?.headers ?? ('requestInfo' in extra ? extra.requestInfo : undefined);
  const headers = given instanceof Headers ? Object.fromEntries(given) : isFields(given) ? given['headers'] : undefined;
  if (!isFields(headers)) return '';
  const identifying = Object.entries(headers).filter(([name]) => !IGNORED_HEADERS.test(name));
  return JSON.stringify(identifying.sort(([one], [other]) => (one < other ? -1 : 1)));
}

export function namesOf(tools: readonly unknown[]): ReadonlySet<string> {
  return new Set(tools.flatMap((tool) => (isFields(tool) && typeof tool['name'] === 'string' ? [tool['name']] : [])));
}
