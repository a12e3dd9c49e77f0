/** The catalog: one snapshot of all sources. All content is read through it. */
import { type Fields, weightOf } from '../json.js';
import { type ReadLimits, withDefaultLimits } from '../limits.js';
import { type Log, silentLog } from '../log.js';
import { ownContext } from '../sources/context.js';
import type { ReadContext, ResourceContents, StaticResource, TemplateResource } from '../sources/resource.js';
import { nameKey, skillUri } from '../sources/skill-uri.js';
import type { InternalContribution, ResourceUpdated, Skill, SkillFileContent, SkillFileEntry, Source } from '../sources/source.js';
import { atOnce, inTurns } from '../turns.js';
import { CatalogChange } from './change.js';
import { ContinuedReads } from './continued-reads.js';
import { type Counters, ReadCounters } from './counters.js';
import { nearResources } from './near-resources.js';
import { nearSkills } from './near-skills.js';
import { invalidUri, type NearMatches } from './not-found.js';
import type { Reading } from './reading.js';
import { Reads } from './reads.js';
import { SearchCache } from './search/cache.js';
import { skillEditsBetween } from './skill-edits.js';
import { Snapshot } from './snapshot.js';
import { findSkillFile } from './target.js';

/** A file or folder inside a skill, under its canonical URI. */
export interface FolderChild extends SkillFileEntry {
  readonly uri: string;
  readonly name: string;
}

export interface CatalogOptions {
  /** Whether to start with what sources cached in the last run; `settled` resolves when it is checked. Default false. */
  readonly remembered?: boolean;
  /** For resources without limits of their own. Default 10 s and 16 MiB. */
  readonly limits?: Partial<ReadLimits>;
  /** Gets each read at the level `debug`. */
  readonly log?: Log;
  /** Shared by catalogs that are counted together. Default: a counter for each catalog. */
  readonly counters?: ReadCounters;
  /** Shared by catalogs of the same sources. Default: one for each catalog, in memory. */
  readonly searchCache?: SearchCache;
}

/** A snapshot that has, or changes, fewer things is made in a few milliseconds. */
const MANY = 2000;
/** Things that take as long as a template, which is parsed. */
const TEMPLATE_SIZE = 8;
/** Bytes of entries that are compared in a few milliseconds. */
const HEAVY = 512 * 1024;
/** The default context: the owner, never cancelled. */
const OWN_READ = ownContext();

type Listener = (change: CatalogChange) => void;

/** Holds the current snapshot, which each change of a source replaces. */
export class Catalog {
  readonly #sources: readonly Source[];
  /** What each source has contributed last. */
  readonly #newest = new Map<Source, InternalContribution>();
  /** What the snapshot is made of. */
  #contributions: ReadonlyMap<Source, InternalContribution> = new Map();
  readonly #listeners = new Set<Listener>();
  readonly #updateListeners = new Set<ResourceUpdated>();
  readonly #closeListeners = new Set<() => void>();
  /** Where a search keeps what it read. */
  readonly searchCache: SearchCache;
  readonly #near: NearMatches;
  readonly #reads: Reads;
  /** For texts that are given out in parts. */
  readonly continued: ContinuedReads;
  #snapshot: Snapshot = Snapshot.empty();
  #isOpen = false;
  #isClosed = false;
  /** The next snapshot, which takes several turns. */
  #building: Promise<void> | undefined;
  #origins: ReadonlyMap<object, string> | undefined;

  private constructor(sources: readonly Source[], options: CatalogOptions) {
    const { limits = {}, log = silentLog, counters = new ReadCounters(log), searchCache = new SearchCache() } = options;
    this.#sources = sources;
    this.searchCache = searchCache;
    this.#near = {
      nearSkills: (wanted) => nearSkills(this, wanted),
      nearResources: (wanted) => nearResources(this, wanted),
    };
    this.#reads = new Reads(
      {
        snapshot: () => this.#snapshot,
        contributions: () => this.#contributions.values(),
        introspect: (context) => this.introspect(context),
        ...this.#near,
      },
      withDefaultLimits(limits),
      counters,
      log,
    );
    this.continued = new ContinuedReads(this.#reads, () => this.#snapshot);
  }

  /** Opens all sources concurrently; resolves when each has contributed. */
  static async open(sources: readonly Source[], options: CatalogOptions = {}): Promise<Catalog> {
    const catalog = new Catalog(sources, options);
    const first = await Promise.all(
      sources.map((source) =>
        source.open(
          (next) => catalog.#replace(source, next),
          (uri: string, params?: Fields) => catalog.#update(uri, params),
        ),
      ),
    );
    sources.forEach((source, index) => {
      const contribution = first[index];
      // A source that changed while the others opened has contributed already.
      if (contribution !== undefined && !catalog.#newest.has(source)) catalog.#newest.set(source, contribution);
    });
    // Requests of other catalogs, and the first of this one, are answered meanwhile.
    while (!catalog.#isCurrent) await catalog.#rebuild();
    catalog.#isOpen = true;
    if (options.remembered !== true) await catalog.settled();
    return catalog;
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Whether everything in the snapshot has been checked in this run. */
  get isSettled(): boolean {
    for (const { settle } of this.#contributions.values()) if (settle !== undefined) return false;
    return true;
  }

  /** Resolves when everything in the snapshot has been checked in this run. */
  async settled(): Promise<void> {
    if (this.isSettled) return;
    for (const { settle } of this.#newest.values()) await settle?.();
    await this.#building;
  }

  /** Calls `listener` after each change; returns a function that stops that. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `listener` with each resource whose content changed; returns a function that stops that. */
  onUpdate(listener: ResourceUpdated): () => void {
    this.#updateListeners.add(listener);
    return () => this.#updateListeners.delete(listener);
  }

  /**
   * Content of a URI, byte for byte. Every surface reads through here. With the `params` of `resources/read` an upstream is
   * given them unchanged, and its answer and its errors come back unchanged.
   */
  read(uri: string, context: ReadContext = OWN_READ, params?: Fields): Promise<Reading> {
    return this.#reads.read(uri, context, params);
  }

  /** Reads by route and kind of resource. */
  get counters(): Counters {
    return this.#reads.counters;
  }

  /** Refreshes sources that are asked each time, within the time of a read. Throws a `FootbridgeError` when one fails. */
  async introspect(context: ReadContext = OWN_READ): Promise<void> {
    const live = [...this.#contributions].filter((each) => each[1].live === true).map(([source]) => source);
    if (live.length > 0) await this.#reads.look(live, context);
    await this.#building;
  }

  /** Whether there are upstreams, or may be later. */
  get hasUpstreams(): boolean {
    for (const { upstreams } of this.#contributions.values()) if (upstreams !== undefined) return true;
    return false;
  }

  /** Whether there is content that does not come from an upstream. */
  get hasOwnContent(): boolean {
    if (this.#snapshot.skills.length > 0) return true;
    return [...this.#contributions.values()].some(
      ({ upstreams, resources = [], templates = [] }) => upstreams === undefined && resources.length + templates.length > 0,
    );
  }

  /** Whether there is anything to read, listed or not. */
  get isReadable(): boolean {
    const { skills, resources, templates, upstreams } = this.#snapshot;
    const listed = skills.length + resources.length + templates.length > 0;
    if (listed || upstreams.some(({ readsUnlisted }) => readsUnlisted)) return true;
    return [...this.#contributions.values()].some(({ readUnlisted }) => readUnlisted !== undefined);
  }

  /** Counts a read that a server answered without the catalog. */
  observe(uri: string, milliseconds: number, contents: readonly ResourceContents[] | undefined): void {
    this.#reads.observe(uri, milliseconds, contents);
  }

  /** The instructions of a skill: what `read` gives for its URI, without parsing the URI and decoding the text. */
  readSkill(skill: Skill, context: ReadContext = OWN_READ): Promise<SkillFileContent> {
    return this.#reads.readSkill(skill, context);
  }

  /** Children of a folder of a skill; undefined when the URI is not a folder. */
  async list(uri: string): Promise<readonly FolderChild[] | undefined> {
    const found = findSkillFile(this.#snapshot, uri);
    if (found === undefined) throw await invalidUri(this.#snapshot, uri, this.#near);
    const { skill, path } = found;
    const entries = await skill.list(path);
    return entries?.map((entry) => ({ ...entry, uri: skillUri(skill, entry.path), name: entry.path.split('/').at(-1) ?? entry.path }));
  }

  /** Where a listed resource or template comes from, for people. */
  originOf(resource: StaticResource | TemplateResource): string | undefined {
    if (resource.origin !== undefined) return resource.origin;
    this.#origins ??= new Map(
      [...this.#contributions].flatMap(([{ name }, { resources = [], templates = [] }]) =>
        [...resources, ...templates].map((each): [object, string] => [each, name]),
      ),
    );
    return this.#origins.get(resource);
  }

  /** Finds a skill by its bare or qualified name, case-insensitively. */
  findSkill(name: string): Skill | undefined {
    return this.#snapshot.byName.get(nameKey(name));
  }

  /** Refreshes every source. */
  async refresh(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.refresh?.()));
    await this.#building;
  }

  /** Calls `listener` when the catalog is closed. */
  onClose(listener: () => void): void {
    this.#closeListeners.add(listener);
  }

  close(): void {
    this.#isClosed = true;
    for (const listener of this.#closeListeners) listener();
    for (const source of this.#sources) source.close?.();
    this.#listeners.clear();
    this.#updateListeners.clear();
  }

  /** Resolves when the contribution is in the snapshot; undefined where it is already. */
  #replace(source: Source, contribution: InternalContribution): Promise<void> | undefined {
    this.#newest.set(source, contribution);
    if (!this.#isOpen) return undefined;
    if (this.#building === undefined && !this.#isLarge()) {
      atOnce(this.#stepsToNext());
      return undefined;
    }
    const building = this.#rebuild();
    // A source need not wait for it.
    building.catch(() => {});
    return building;
  }

  /** What is contributed meanwhile comes with another snapshot. */
  #rebuild(): Promise<void> {
    const before = this.#building ?? Promise.resolve();
    const building = before
      .catch(() => {})
      .then(() => (this.#isCurrent || this.#isClosed ? undefined : inTurns(this.#stepsToNext(), 'call')))
      .finally(() => {
        if (this.#building === building) this.#building = undefined;
      });
    this.#building = building;
    return building;
  }
  /** Readers have the snapshot before until the last step. */
  *#stepsToNext(): Generator<void, void> {
    const contributions = new Map(this.#newest);
    const previous = this.#snapshot;
    const snapshot = yield* Snapshot.stepsTo(
      this.#sources.flatMap((source) => contributions.get(source) ?? []),
      previous,
    );
    const next = this.#isOpen && this.#isFollowed ? yield* CatalogChange.stepsBetween(previous, snapshot) : undefined;
    if (this.#isClosed) return;
    this.#contributions = contributions;
    this.#origins = undefined;
    this.#snapshot = snapshot;
    this.#reads.forget();
    this.continued.forget();
    if (!this.#isOpen || !this.#isFollowed) return;
    // A listener may have come meanwhile.
    const change = next ?? atOnce(CatalogChange.stepsBetween(previous, snapshot));
    if (this.#updateListeners.size > 0) for (const uri of change.rewritten) this.#update(uri);
    for (const listener of this.#listeners) listener(change);
  }

  get #isFollowed(): boolean {
    return this.#listeners.size + this.#updateListeners.size > 0;
  }

  get #isCurrent(): boolean {
    for (const [source, contribution] of this.#newest) if (this.#contributions.get(source) !== contribution) return false;
    return true;
  }

  /** Whether the next snapshot takes longer than one turn may. */
  #isLarge(): boolean {
    let size = 0;
    let weight = 0;
    for (const [source, { prompts = [], resources = [], skills = [], templates = [], tools = [] }] of this.#newest) {
      size += prompts.length + resources.length + TEMPLATE_SIZE * templates.length + tools.length;
      for (const { added, removed } of skillEditsBetween(this.#contributions.get(source)?.skills ?? [], skills))
        size += added.length + removed.length;
      if (size > MANY) return true;
      // Nothing is compared for nobody.
      if (!this.#isFollowed) continue;
      const before = this.#contributions.get(source);
      weight +=
        weightOfOthers(before?.tools, tools) + weightOfOthers(before?.prompts, prompts) + weightOfOthers(before?.resources, resources);
    }
    return weight > HEAVY;
  }

  #update(uri: string, params?: Fields): void {
    this.#reads.forget(uri);
    this.continued.forget(uri);
    for (const listener of this.#updateListeners) listener(uri, params);
  }
}

/** About how many bytes the entries have that are not in the same place of the list before, counted until they are too many. */
function weightOfOthers(before: readonly Entry[] = [], now: readonly Entry[]): number {
  let weight = 0;
  for (let at = 0; at < now.length && weight <= HEAVY; at++) if (before[at] !== now[at]) weight += weightOf(now[at]?.entry, HEAVY);
  return weight;
}

interface Entry {
  readonly entry: object;
}
