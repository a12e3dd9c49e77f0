/** The catalog: one snapshot of all sources, and the only way to content. */
import type { Fields } from '../json.js';
import { type ReadLimits, withDefaultLimits } from '../limits.js';
import { type Log, silentLog } from '../log.js';
import { ownContext } from '../sources/context.js';
import type { ReadContext, ResourceContents, StaticResource, TemplateResource } from '../sources/resource.js';
import { nameKey, skillUri } from '../sources/skill-uri.js';
import type { InternalContribution, Skill, SkillFileContent, SkillFileEntry, Source } from '../sources/source.js';
import { CatalogChange } from './change.js';
import { type Counters, ReadCounters } from './counters.js';
import { invalidUri } from './not-found.js';
import { type Reading, Reads } from './reads.js';
import { buildSnapshot, EMPTY, type Snapshot } from './snapshot.js';
import { findSkillFile } from './target.js';

/** A file or folder inside a skill, under its canonical URI. */
export interface FolderChild extends SkillFileEntry {
  readonly uri: string;
  readonly name: string;
}

export interface CatalogOptions {
  /** Whether to begin with what sources remember of the last run; `settled` tells when it is checked. Default false. */
  readonly remembered?: boolean;
  /** For resources that say nothing themselves. Default 10 s and 16 MiB. */
  readonly limits?: Partial<ReadLimits>;
  /** Told of every read at the level `debug`. */
  readonly log?: Log;
  /** Where reads are counted, for several catalogs together. Default: each for itself. */
  readonly counters?: ReadCounters;
}

/** Who reads where nobody is named: the owner, until the end. */
const OWN_READ = ownContext();

type Listener = (change: CatalogChange) => void;

/** Holds the current snapshot; a change of any source replaces it at once. */
export class Catalog {
  readonly #sources: readonly Source[];
  readonly #contributions = new Map<Source, InternalContribution>();
  readonly #listeners = new Set<Listener>();
  readonly #updateListeners = new Set<(uri: string) => void>();
  readonly #reads: Reads;
  #snapshot: Snapshot = EMPTY;
  #origins: ReadonlyMap<object, string> | undefined;

  private constructor(sources: readonly Source[], { limits = {}, log = silentLog, counters = new ReadCounters(log) }: CatalogOptions) {
    this.#sources = sources;
    this.#reads = new Reads(
      {
        snapshot: () => this.#snapshot,
        contributions: () => this.#contributions.values(),
        introspect: (context) => this.introspect(context),
      },
      withDefaultLimits(limits),
      counters,
      log,
    );
  }

  /** Opens all sources side by side and resolves when each has contributed. */
  static async open(sources: readonly Source[], options: CatalogOptions = {}): Promise<Catalog> {
    const catalog = new Catalog(sources, options);
    const first = await Promise.all(
      sources.map((source) =>
        source.open(
          (next) => catalog.#replace(source, next),
          (uri) => catalog.#update(uri),
        ),
      ),
    );
    sources.forEach((source, index) => {
      const contribution = first[index];
      // A source that changed while the others opened has the newer one in place already.
      if (contribution !== undefined && !catalog.#contributions.has(source)) catalog.#contributions.set(source, contribution);
    });
    catalog.#snapshot = catalog.#build();
    if (options.remembered !== true) await catalog.settled();
    return catalog;
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Whether nothing in the snapshot is merely remembered. */
  get isSettled(): boolean {
    for (const { settle } of this.#contributions.values()) if (settle !== undefined) return false;
    return true;
  }

  /** Resolves when nothing in the snapshot is merely remembered any more; at once in the usual case. */
  async settled(): Promise<void> {
    for (const { settle } of this.#contributions.values()) await settle?.();
  }

  /** Calls `listener` after each change; returns the way to stop. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `listener` with the URI of each resource whose content became another; returns the way to stop. */
  onUpdate(listener: (uri: string) => void): () => void {
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

  /** What was read by which road, since the beginning. */
  get counters(): Counters {
    return this.#reads.counters;
  }

  /**
   * Has sources that are asked each time look again, within the time of a read. To be awaited before lists are shown; there
   * is nothing to do for most. Throws an error of ours when one cannot be asked.
   */
  async introspect(context: ReadContext = OWN_READ): Promise<void> {
    const live = [...this.#contributions].filter((each) => each[1].live === true).map(([source]) => source);
    if (live.length > 0) await this.#reads.look(live, context);
  }

  /** Whether there are servers behind us, or may come to be. */
  get carries(): boolean {
    return [...this.#contributions.values()].some(({ upstreams }) => upstreams !== undefined);
  }

  /** Whether there is something to read that is not a server's own to list. */
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

  /** Counts a read that a server answered itself, without us. */
  observe(uri: string, milliseconds: number, contents: readonly ResourceContents[] | undefined): void {
    this.#reads.observe(uri, milliseconds, contents);
  }

  /** The instructions of a skill: what `read` gives for its URI, without parsing the URI and decoding the text. */
  readSkill(skill: Skill, context: ReadContext = OWN_READ): Promise<SkillFileContent> {
    return this.#reads.readSkill(skill, context);
  }

  /** Children of a folder of a skill; undefined when the URI names none. */
  async list(uri: string): Promise<readonly FolderChild[] | undefined> {
    const found = findSkillFile(this.#snapshot, uri);
    if (found === undefined) throw invalidUri(this.#snapshot, uri);
    const { skill, path } = found;
    const entries = await skill.list(path);
    return entries?.map((entry) => ({ ...entry, uri: skillUri(skill, entry.path), name: entry.path.split('/').at(-1) ?? entry.path }));
  }

  /** Where a listed resource or template comes from, in words a person knows. */
  originOf(resource: StaticResource | TemplateResource): string | undefined {
    if (resource.origin !== undefined) return resource.origin;
    this.#origins ??= new Map(
      [...this.#contributions].flatMap(([{ name }, { resources = [], templates = [] }]) =>
        [...resources, ...templates].map((each): [object, string] => [each, name]),
      ),
    );
    return this.#origins.get(resource);
  }

  /** The skill of that name, bare or qualified, in any case. */
  findSkill(name: string): Skill | undefined {
    return this.#snapshot.byName.get(nameKey(name));
  }

  /** Makes every source look again. */
  async refresh(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.refresh?.()));
  }

  close(): void {
    for (const source of this.#sources) source.close?.();
    this.#listeners.clear();
    this.#updateListeners.clear();
  }

  #replace(source: Source, contribution: InternalContribution): void {
    this.#contributions.set(source, contribution);
    this.#origins = undefined;
    const previous = this.#snapshot;
    if (previous === EMPTY) return;
    const snapshot = this.#build();
    this.#snapshot = snapshot;
    this.#reads.forget();
    const change = new CatalogChange(previous, snapshot);
    if (this.#updateListeners.size > 0) for (const uri of change.rewritten) this.#update(uri);
    for (const listener of this.#listeners) listener(change);
  }

  #update(uri: string): void {
    this.#reads.forget(uri);
    for (const listener of this.#updateListeners) listener(uri);
  }

  #build(): Snapshot {
    return buildSnapshot(this.#sources.flatMap((source) => this.#contributions.get(source) ?? []));
  }
}
