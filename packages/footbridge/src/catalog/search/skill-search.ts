/** The search of one catalog, skills and resources: follows its snapshots in the background, and ranks what it has read so far. */
import { setTimeout } from 'node:timers/promises';
import { nameKey, pathKey } from '../../sources/skill-uri.js';
import type { Skill } from '../../sources/source.js';
import { SplitMap } from '../../split-map.js';
import { Turns } from '../../turns.js';
import type { Edit } from '../edits.js';
import { searchedEditsBetween } from '../skill-edits.js';
import type { Snapshot } from '../snapshot.js';
import { OPENING_BYTES, type SearchDocuments } from './documents.js';
import { PostingIndex } from './posting-index.js';
import { conceptsOf } from './query.js';
import { scanSkills } from './scan.js';
import { isSearchedSkill, numberOfSearched, type Searched, searchedIn, searchedResourcesIn } from './searched.js';
import { SEGMENT_SIZE } from './segment.js';

/** How long a search waits for skills that are not indexed yet, and when it answers with what it found. */
const PATIENCE_MS = 5;
const DEADLINE_MS = 8;
/** The part of a score that depends on how much of the query was found. */
const COVERAGE = 0.5;
/** Matches that are returned. */
const MAX_FOUND = 200;
/** More skills than that are not indexed before a first search gives up. */
const SOON_INDEXED = 64;
/** Places of skills that are nearer to each other are numbered again. */
const LEAST_STEP = 1e-6;

/** What a search may return. */
export type SearchedKind = 'skills' | 'resources' | 'all';

interface FindOptions {
  /** Whether it waits for the index. */
  readonly complete?: boolean;
  readonly kind?: SearchedKind;
}

export class SkillSearch {
  readonly #documents: SearchDocuments;
  readonly #index = new PostingIndex(COVERAGE);
  readonly #ids = new SplitMap<Searched, number>(numberOfSearched);
  /** By id: the skill, and its place among the others. */
  readonly #byId: (Searched | undefined)[] = [];
  #order = new Float64Array(1024);
  /** The skills that are to be indexed, those that are by name and description, and those that are whole. */
  #followed: readonly Searched[] = [];
  #outlined: readonly Searched[] = [];
  #done: readonly Searched[] | undefined;
  /** How many of the followed skills are indexed, counted from the first. */
  #progress = 0;
  /** Indexed by name and description alone. */
  #unread: Skill[] = [];
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(documents: SearchDocuments) {
    this.#documents = documents;
  }

  /** The best matches first. Waits at most some milliseconds for the index, unless it is to be `complete`. */
  async find(snapshot: Snapshot, query: string, { complete = false, kind = 'all' }: FindOptions = {}): Promise<readonly Searched[]> {
    const start = performance.now();
    const searched = searchedIn(snapshot);
    const work = this.#follow(searched);
    // The first search has to load the words it knows, which takes as long.
    const isHopeless = this.#index.size === 0 && searched.length > SOON_INDEXED;
    if (work !== undefined && complete) await work;
    else if (work !== undefined && !isHopeless) await Promise.race([work, setTimeout(PATIENCE_MS, undefined, { ref: false })]);
    const isWanted = filterFor(kind, searched === snapshot.skills);
    // What is not indexed yet is looked through, as far as there is time.
    const left = this.#outlined === searched ? searched.length : this.#progress;
    const unindexed = left >= searched.length ? [] : searched.slice(left);
    const scanned =
      unindexed.length === 0
        ? []
        : await scanSkills(isWanted === undefined ? unindexed : unindexed.filter(isWanted), query, start + DEADLINE_MS);
    const concepts = conceptsOf(query, this.#documents.terms, (term) => this.#index.frequency(term));
    const isFound = (id: number) => isWanted?.(this.#byId[id]) !== false;
    const ranked = this.#index
      .find(concepts, (id) => this.#order[id] ?? 0, isWanted && isFound)
      .slice(0, MAX_FOUND)
      .flatMap(({ id }) => this.#byId[id] ?? []);
    const named = kind === 'resources' ? undefined : snapshot.byName.get(nameKey(query));
    const parts = left > searched.length / 2 ? [...ranked, ...scanned] : [...scanned, ...ranked];
    const found = [...(named === undefined ? [] : [named]), ...parts];
    // Without work, the index has what is in the snapshot and nothing else.
    return work === undefined ? [...new Set(found)] : current(snapshot, found);
  }

  /** Indexes a snapshot in the background. */
  prepare(snapshot: Snapshot): void {
    this.#follow(searchedIn(snapshot))?.catch(() => {});
  }

  /** Stops the work in the background. */
  close(): void {
    this.#isClosed = true;
  }

  /** Starts to follow these skills; undefined when all is done. */
  #follow(skills: readonly Searched[]): Promise<void> | undefined {
    if (this.#done === skills && this.#working === undefined) return undefined;
    this.#followed = skills;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  get #isOver(): boolean {
    return this.#isClosed || this.#documents.isClosed;
  }

  async #work(): Promise<void> {
    const turns = new Turns();
    while (this.#done !== this.#followed && !this.#isOver) {
      if (turns.isOver) await turns.next();
      const skills = this.#followed;
      const edits = searchedEditsBetween(this.#outlined, skills);
      const added = edits.reduce((sum, edit) => sum + edit.added.length, 0);
      const isLarge = this.#done === undefined || added > SOON_INDEXED;
      if (isLarge) await this.#documents.load();
      await this.#outline(edits, skills, turns);
      if (isLarge) await this.#documents.tidy(skills);
      await this.#read(skills, turns);
      if (isLarge) this.#documents.release();
      while (this.#index.isFragmented) {
        for (const [from, to] of this.#index.merge()) this.#move(from, to);
        if (turns.isOver) await turns.next();
      }
      if (this.#unread.length === 0) this.#done = skills;
    }
  }

  /** Removes skills, and adds others by name and description, or whole where they are known. */
  async #outline(edits: readonly Edit<Searched>[], skills: readonly Searched[], turns: Turns): Promise<void> {
    this.#progress = edits[0]?.at ?? skills.length;
    for (const { removed } of edits) {
      for (const skill of removed) {
        this.#remove(skill);
        if (turns.isOver) await turns.next();
      }
    }
    let isCrowded = false;
    for (const { at, added } of edits) {
      const before = this.#orderOf(skills[at - 1]);
      const after = this.#orderOf(skills[at + added.length]);
      const first = before ?? (after === undefined ? 0 : after - added.length - 1);
      const step = before === undefined || after === undefined ? 1 : (after - before) / (added.length + 1);
      isCrowded ||= step < LEAST_STEP;
      for (const [index, skill] of added.entries()) {
        // Only what takes time to read is cached.
        const known = isSearchedSkill(skill) ? this.#documents.find(skill) : undefined;
        this.#put(skill, this.#index.add(known ?? this.#documents.outline(skill)), first + step * (index + 1));
        if (known === undefined && isSearchedSkill(skill) && skill.opening !== undefined) this.#unread.push(skill);
        this.#progress = at + index + 1;
        if (!turns.isOver) continue;
        this.#index.sort();
        await turns.next();
      }
    }
    this.#index.sort();
    this.#outlined = skills;
    if (!isCrowded) return;
    for (const [index, skill] of skills.entries()) {
      const id = this.#ids.get(skill);
      if (id !== undefined) this.#order[id] = index;
      if (turns.isOver) await turns.next();
    }
  }

  /** Replaces outlines by whole documents. */
  async #read(skills: readonly Searched[], turns: Turns): Promise<void> {
    const unread = this.#unread;
    this.#unread = [];
    const old: number[] = [];
    const replace = async () => {
      if (turns.isOver) await turns.next();
      this.#index.sort();
      for (const id of old) {
        if (turns.isOver) await turns.next();
        this.#index.remove(id);
        this.#byId[id] = undefined;
      }
      old.length = 0;
    };
    for (const [index, skill] of unread.entries()) {
      // A snapshot that changed meanwhile is followed first.
      if (this.#followed !== skills || this.#isOver) {
        this.#unread = unread.slice(index);
        break;
      }
      const opening = this.#ids.has(skill) ? await skill.opening?.(OPENING_BYTES).catch(() => undefined) : undefined;
      const id = this.#ids.get(skill);
      if (opening !== undefined && id !== undefined) {
        // Found by its outline until the whole document is sorted.
        old.push(id);
        this.#put(skill, this.#index.add(this.#documents.read(skill, opening)), this.#order[id] ?? 0);
      }
      if (old.length >= SEGMENT_SIZE) await replace();
      if (turns.isOver) await turns.next();
    }
    await replace();
  }

  #orderOf(skill: Searched | undefined): number | undefined {
    const id = skill === undefined ? undefined : this.#ids.get(skill);
    return id === undefined ? undefined : this.#order[id];
  }

  #put(skill: Searched, id: number, order: number): void {
    if (id >= this.#order.length) {
      const larger = new Float64Array(2 * id);
      larger.set(this.#order);
      this.#order = larger;
    }
    this.#ids.set(skill, id);
    this.#byId[id] = skill;
    this.#order[id] = order;
  }

  #remove(skill: Searched): void {
    const id = this.#ids.get(skill);
    if (id === undefined) return;
    this.#index.remove(id);
    this.#byId[id] = undefined;
    this.#ids.delete(skill);
  }

  /** After a document got another id. */
  #move(from: number, to: number): void {
    const skill = this.#byId[from];
    if (skill === undefined) return;
    this.#byId[from] = undefined;
    this.#put(skill, to, this.#order[from] ?? 0);
  }
}

/** Undefined where there is nothing else. */
function filterFor(kind: SearchedKind, areSkills: boolean): ((each: Searched | undefined) => boolean) | undefined {
  if (kind === 'all' || (kind === 'skills' && areSkills)) return undefined;
  return (each) => each !== undefined && isSearchedSkill(each) === (kind === 'skills');
}

/** As they are in the snapshot, each once: a skill may have been replaced or removed since it was indexed. */
function current(snapshot: Snapshot, found: readonly Searched[]): readonly Searched[] {
  const { byPath } = snapshot;
  const as = (each: Searched) =>
    isSearchedSkill(each) ? byPath.get(pathKey([...each.group, each.name])) : searchedResourcesIn(snapshot).get(each.uri);
  return [...new Set(found.flatMap((each) => as(each) ?? []))];
}
