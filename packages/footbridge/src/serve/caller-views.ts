/** What each caller sees: one catalog per combination of roles, or per caller where callers have content of their own. */
import type { ServerEvent } from '@modelcontextprotocol/server';
import { Catalog, type CatalogOptions } from '../catalog/catalog.js';
import { ReadCounters } from '../catalog/counters.js';
import { SearchCache } from '../catalog/search/cache.js';
import { findSkillFile } from '../catalog/target.js';
import { silentLog } from '../log.js';
import type { Caller } from '../sources/resource.js';
import type { Source } from '../sources/source.js';
import { lease, type Transform } from '../sources/transforms/index.js';
import { restrictTo } from '../sources/transforms/restrict.js';
import { type AllowLists, Visibility } from '../sources/transforms/visibility.js';
import { HostViews } from '../surfaces/hosts/view.js';
import { TOOL_NAMES, type ToolChoice } from '../surfaces/tools/index.js';
import { SEARCH_TOOL_NAMES } from '../tool-names.js';
import { catalogEvents } from './events.js';

export type Roles = Readonly<Record<string, AllowLists>>;

export interface CallerView {
  readonly catalog: Catalog;
  readonly tools: ToolChoice;
  readonly hosts: HostViews;
  /** Whether updates of this URI are reported to these callers. */
  sees(uri: string): boolean;
}

export interface CallerViewsOptions extends CatalogOptions {
  readonly tools?: ToolChoice;
  /** How the catalog is shown to each host. Default: as measured. */
  readonly hosts?: HostViews | undefined;
  /** Whether skills are also prompts. Default: false. */
  readonly prompts?: boolean;
  /** Without roles every caller sees everything. */
  readonly roles?: Roles | undefined;
  /** Content that only this caller has. */
  readonly own?: ((caller: Caller) => Source) | undefined;
}

const SEARCH_NAMES: ReadonlySet<string> = new Set(SEARCH_TOOL_NAMES);

/** Combinations of roles with an open catalog. */
const MAX_VIEWS = 256;

export class CallerViews {
  readonly #sources: readonly Source[];
  readonly #options: CallerViewsOptions;
  readonly #restricted = new Map<string, Promise<CallerView>>();
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  readonly #forgotten = new Set<(view: CallerView) => void>();
  readonly #counters: ReadCounters;
  readonly #visibilities: ReadonlyMap<string, Visibility>;
  readonly #hosts: HostViews;
  #whole: CallerView | undefined;

  private constructor(sources: readonly Source[], options: CallerViewsOptions) {
    this.#sources = sources;
    // The text of a skill in several views is read once.
    this.#options = { ...options, searchCache: options.searchCache ?? new SearchCache() };
    this.#hosts = options.hosts ?? new HostViews();
    this.#visibilities = new Map(Object.entries(options.roles ?? {}).map(([role, lists]) => [role, new Visibility([lists])]));
    this.#counters = options.counters ?? new ReadCounters(options.log ?? silentLog);
  }

  /** Opens the sources; `close` closes them. */
  static async open(sources: readonly Source[], options: CallerViewsOptions = {}): Promise<CallerViews> {
    const views = new CallerViews(sources, options);
    const catalog = await views.#openCatalog();
    views.#whole = { catalog, tools: options.tools ?? {}, hosts: views.#hosts, sees: () => true };
    return views;
  }

  /** The unrestricted view. */
  get whole(): CallerView {
    if (this.#whole === undefined) throw new Error('The views are not open.');
    return this.#whole;
  }

  /** Not a promise when all callers see the same. */
  of(caller: Caller): CallerView | Promise<CallerView> {
    const { own, roles } = this.#options;
    if (roles === undefined && own === undefined) return this.whole;
    const known = [...new Set(caller.roles)].filter((role) => roles !== undefined && Object.hasOwn(roles, role)).sort();
    const key = JSON.stringify(own === undefined ? known : [caller.id, ...known]);
    let view = this.#restricted.get(key);
    if (view === undefined) {
      const visibility = roles && new Visibility(known.flatMap((role) => roles[role] ?? []));
      view = this.#openView(visibility, own?.(caller));
      this.#restricted.set(key, view);
      view.catch(() => this.#restricted.delete(key));
      this.#forgetOldest();
    }
    // Least recently used first.
    this.#restricted.delete(key);
    this.#restricted.set(key, view);
    return view;
  }

  /** The roles that see a URI, or some URI of a template; undefined when no roles are configured. */
  rolesThatSee(uri: string): readonly string[] | undefined {
    if (this.#options.roles === undefined) return undefined;
    const skill = findSkillFile(this.whole.catalog.snapshot, uri)?.skill;
    const sees = (visibility: Visibility) => (skill === undefined ? visibility.seesSomeOf(uri) : visibility.seesSkill(skill));
    return [...this.#visibilities].filter(([, visibility]) => sees(visibility)).map(([role]) => role);
  }

  /** Calls `listener` with the changes of all views. Returns a function that unsubscribes. */
  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `listener` with each view that is evicted. */
  onForgotten(listener: (view: CallerView) => void): void {
    this.#forgotten.add(listener);
  }

  close(): void {
    this.#whole?.catalog.close();
    for (const view of this.#restricted.values()) view.then(({ catalog }) => catalog.close()).catch(() => {});
    for (const source of this.#sources) source.close?.();
  }

  async #openView(visibility: Visibility | undefined, own: Source | undefined): Promise<CallerView> {
    const catalog = await this.#openCatalog(visibility && restrictTo(visibility), own);
    // The tools that a search finds are restricted already.
    const restricted = TOOL_NAMES.filter((name) => !SEARCH_NAMES.has(name));
    const hidden = restricted.filter((name) => visibility?.seesTool(name) === false);
    return {
      catalog,
      tools: { ...this.#options.tools, ...Object.fromEntries(hidden.map((name) => [name, false])) },
      hosts: this.#hosts,
      sees: (uri) => visibility === undefined || visibility.seesUri(uri) || findSkillFile(catalog.snapshot, uri) !== undefined,
    };
  }

  async #openCatalog(part?: Transform, own?: Source): Promise<Catalog> {
    const all = [...this.#sources.map(lease), ...(own === undefined ? [] : [own])];
    const catalog = await Catalog.open(part === undefined ? all : all.map(part), { ...this.#options, counters: this.#counters });
    catalogEvents(catalog, this.#options.prompts ?? false, this.#hosts, this.#options.tools).subscribe((event) => {
      for (const listener of this.#listeners) listener(event);
    });
    return catalog;
  }

  #forgetOldest(): void {
    if (this.#restricted.size <= MAX_VIEWS) return;
    const [oldest] = this.#restricted;
    if (oldest === undefined) return;
    this.#restricted.delete(oldest[0]);
    oldest[1]
      .then((view) => {
        view.catalog.close();
        for (const listener of this.#forgotten) listener(view);
      })
      .catch(() => {});
  }
}
