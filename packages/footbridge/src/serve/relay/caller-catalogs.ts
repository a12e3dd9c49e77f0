/** The callers on one connection, each with a catalog of their own: a server may show different things to different people. */
import { setTimeout } from 'node:timers/promises';
import type { MessageExtraInfo, Tool } from '@modelcontextprotocol/server';
import { Catalog } from '../../catalog/catalog.js';
import type { ReadCounters } from '../../catalog/counters.js';
import { isFields } from '../../json.js';
import type { ReadLimits } from '../../limits.js';
import type { Log } from '../../log.js';
import { Cancellation, Context, within } from '../../sources/context.js';
import type { ReadContext } from '../../sources/resource.js';
import { listAll } from '../../sources/server/channel.js';
import { contentsOf } from '../../sources/server/contents.js';
import { serverSource } from '../../sources/server/index.js';
import type { ResourceRule } from '../../sources/server/rules.js';
import type { Source } from '../../sources/source.js';
import { lease } from '../../sources/transforms/lease.js';
import { isOwnTool, listTools, TOOL_NAMES, type ToolChoice } from '../../surfaces/tools/index.js';
import { type CatalogMethods, catalogMethods } from '../dispatch/catalog-methods.js';
import { callerOf, type Identity } from '../identity.js';
import type { Answer } from '../messages.js';
import { namesOf } from './amend.js';
import { type HostRequest, isHostRequest, type ServerRequests } from './server-requests.js';

export interface RelayOptions {
  readonly tools: ToolChoice;
  readonly rules: readonly ResourceRule[];
  readonly limits: Partial<ReadLimits>;
  readonly identity: Identity | undefined;
  /** Besides the server, such as skill folders; each catalog leases them. */
  readonly sources: readonly Source[];
  /** Throws when the server's own transport would refuse this read. */
  readonly guard: ((uri: string, context: ReadContext) => Promise<void> | undefined) | undefined;
  /** Called with each name of our tools that the server uses itself. */
  readonly onTaken: (name: string) => void;
  /** Shared by all connections. */
  readonly counters: ReadCounters;
  readonly log: Log;
}

/** How long a list of tools may wait for ours. */
const LIST_TIMEOUT_MS = 1000;

/** Callers remembered on one connection. */
const MAX_CALLERS = 64;

export class CallerCatalogs {
  readonly #callers = new Map<string, CallerCatalog>();
  readonly #requests: ServerRequests;
  readonly #options: RelayOptions;
  readonly #onChange: () => void;
  #latest: CallerCatalog | undefined;

  constructor(requests: ServerRequests, options: RelayOptions, onChange: () => void) {
    this.#requests = requests;
    this.#options = options;
    this.#onChange = onChange;
  }

  /** Whether a name may be that of one of our tools. */
  isOurs(name: unknown): boolean {
    return typeof name === 'string' && isOwnTool(name) && this.#options.tools[name] !== false;
  }

  contextOf(hostRequest: HostRequest, cancellation: Cancellation): Context {
    const { extra } = hostRequest;
    const authInfo = extra?.authInfo;
    const caller = callerOf(this.#options.identity, isOverHttp(extra) ? { authInfo } : undefined);
    const { inputResponses, requestState } = hostRequest.request.params ?? {};
    const alone = inputResponses !== undefined || requestState !== undefined;
    return new Context({ caller, authInfo, route: 'tool', alone, request: hostRequest }, cancellation);
  }

  /** The caller of whoever a request comes from, to be left again. What one caller is shown is kept from all others. */
  enter(context: Context): CallerCatalog {
    const key = keyOf(context);
    const caller = this.#callers.get(key) ?? new CallerCatalog(this.#requests, this.#options, this.#onChange);
    if (caller !== this.#latest) {
      // The longest unused first.
      this.#callers.delete(key);
      this.#callers.set(key, caller);
      this.#latest = caller;
    }
    caller.users++;
    return caller;
  }

  leave(caller: CallerCatalog): void {
    caller.users--;
    if (this.#callers.size > MAX_CALLERS) this.#makeRoom();
  }

  /** Counts a read that the server answers itself. */
  observe(context: Context, uri: string, milliseconds: number, answer: Answer): void {
    const contents = 'error' in answer ? undefined : contentsOf(answer.result);
    this.#callers.get(keyOf(context))?.opened?.observe(uri, milliseconds, contents);
  }

  #makeRoom(): void {
    for (const [key, caller] of this.#callers) {
      if (this.#callers.size <= MAX_CALLERS) return;
      if (caller.users > 0) continue;
      caller.close();
      this.#callers.delete(key);
      if (caller === this.#latest) this.#latest = undefined;
    }
  }

  forgetTools(): void {
    for (const caller of this.#callers.values()) caller.forgetTools();
  }

  close(): void {
    for (const caller of this.#callers.values()) caller.close();
    this.#callers.clear();
  }
}

/** What one caller sees. */
export class CallerCatalog {
  /** Requests that are not answered yet. */
  users = 0;
  readonly catalog: Promise<Catalog>;
  readonly #requests: ServerRequests;
  readonly #options: RelayOptions;
  readonly #onChange: () => void;
  #taken: Promise<ReadonlySet<string>> | undefined;
  #opened: Catalog | undefined;
  #names: ReadonlySet<string> | undefined;
  #choice: { readonly isReadable: boolean; readonly tools: ToolChoice } | undefined;
  #methods: CatalogMethods | undefined;

  constructor(requests: ServerRequests, options: RelayOptions, onChange: () => void) {
    this.#requests = requests;
    this.#options = options;
    this.#onChange = onChange;
    const { rules, guard, limits, log, sources, counters } = options;
    const server = serverSource({ channel: requests, rules, guard });
    this.catalog = Catalog.open([server, ...sources.map(lease)], { limits, log, counters });
    this.catalog.then(
      (catalog) => {
        this.#opened = catalog;
      },
      (cause: unknown) => log.warn(`Footbridge's tools are unavailable: ${String(cause)}`),
    );
    if (sources.length > 0)
      this.catalog
        .then((catalog) => catalog.onChange(({ previous, snapshot }) => previous.skills !== snapshot.skills && onChange()))
        .catch(() => {});
  }

  /** The catalog, once it is open. */
  get opened(): Catalog | undefined {
    return this.#opened;
  }

  /** The names that the server uses itself, once they are known. */
  get names(): ReadonlySet<string> | undefined {
    return this.#names;
  }

  /** Our tools as this caller sees them, those whose name the server uses too among them. */
  async ownTools(context: ReadContext): Promise<readonly Tool[]> {
    const catalog = await this.catalog;
    // A host that waits too long asks its model without the tools: the server's resources may be listed later.
    const look = catalog.introspect(context).catch((cause: unknown) => this.#options.log.debug(`lists: ${String(cause)}`));
    await Promise.race([look, setTimeout(LIST_TIMEOUT_MS, undefined, { ref: false })]);
    const { snapshot } = catalog;
    look.then(() => catalog.snapshot !== snapshot && this.#onChange());
    return listTools(catalog.snapshot, this.choice(catalog));
  }

  /** Tools for what there is: none for skills where there are no folders, none for resources where the server has none. */
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

  /** The methods of the protocol over this catalog. */
  methods(catalog: Catalog): CatalogMethods {
    this.#methods ??= catalogMethods(catalog, () => this.choice(catalog), false, this.#options.log);
    return this.#methods;
  }

  /** The names that the server uses itself; none while it does not tell. */
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
    this.#names = names;
    for (const name of TOOL_NAMES) if (names.has(name) && this.#options.tools[name] !== false) this.#options.onTaken(name);
  }

  forgetTools(): void {
    this.#taken = undefined;
    this.#names = undefined;
  }

  close(): void {
    this.catalog.then((catalog) => catalog.close()).catch(() => {});
  }

  /** For all who wait for it: whoever asked first may call off their own call, not this. */
  async #listNames({ caller, request }: ReadContext): Promise<ReadonlySet<string>> {
    const own = new Context({ caller, request }, new Cancellation());
    return namesOf((await within(LIST_TIMEOUT_MS, own, (context) => listAll(this.#requests, 'tools/list', 'tools', context))) ?? []);
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Tells callers apart by all that a server may know them by. */
function keyOf({ caller, request }: Context): string {
  const extra = isHostRequest(request) ? request.extra : undefined;
  return extra === undefined ? caller.id : `${caller.id} ${headersOf(extra)}`;
}

function isOverHttp(extra: MessageExtraInfo | undefined): boolean {
  return extra !== undefined && (extra.authInfo !== undefined || 'request' in extra || 'requestInfo' in extra);
}

/** Headers that say how a request travels, not who sends it. */
const TRAVELLING =
  /^(?:accept(?:-.*)?|cache-control|connection|content-.*|date|host|keep-alive|last-event-id|mcp-.*|sec-.*|te|trace.*|transfer-encoding|user-agent|x-request-id)$/i;

/** What an author's server may know a caller by besides the token; empty where there are no headers. */
function headersOf(extra: MessageExtraInfo): string {
  const given: unknown = extra.request?.headers ?? ('requestInfo' in extra ? extra.requestInfo : undefined);
  const headers = given instanceof Headers ? Object.fromEntries(given) : isFields(given) ? given['headers'] : undefined;
  if (!isFields(headers)) return '';
  const telling = Object.entries(headers).filter(([name]) => !TRAVELLING.test(name));
  return JSON.stringify(telling.sort(([one], [other]) => (one < other ? -1 : 1)));
}
