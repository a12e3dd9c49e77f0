/** The search of one catalog: follows its snapshots in the background, and ranks what it has read so far. */
import { setTimeout } from 'node:timers/promises';
import { nameKey, pathKey } from '../../sources/skill-uri.js';
import type { Skill } from '../../sources/source.js';
import { Turns } from '../../turns.js';
import type { Snapshot } from '../snapshot.js';
import { OPENING_BYTES, type SearchDocuments } from './documents.js';
import { PostingIndex } from './posting-index.js';
import { conceptsOf } from './query.js';
import { scanSkills } from './scan.js';
import { SEGMENT_SIZE } from './segment.js';

/** How long a search waits for skills that are not indexed yet, and when it answers with what it found. */
const PATIENCE_MS = 5;
const DEADLINE_MS = 8;
/** Matches that are returned. */
const MOST_FOUND = 200;
/** More skills than that are not indexed before a first search gives up. */
const SOON_INDEXED = 64;

/** An indexed skill. */
interface Entry {
  readonly skill: Skill;
  id: number;
  /** Its place in the snapshot. */
  position: number;
  /** Whether its beginning is indexed, too. */
  whole: boolean;
}

export class SkillSearch {
  readonly #documents: SearchDocuments;
  #index = new PostingIndex();
  #entries = new Map<Skill, Entry>();
  /** By id. */
  #byId: (Entry | undefined)[] = [];
  /** The skills that are followed; the work is done when they are those of the snapshot. */
  #followed: readonly Skill[] = [];
  #done: readonly Skill[] | undefined;
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(documents: SearchDocuments) {
    this.#documents = documents;
  }

  /** The best matches first. Waits at most some milliseconds for the index, unless it is to be `complete`. */
  async find(snapshot: Snapshot, query: string, complete = false): Promise<readonly Skill[]> {
    const start = performance.now();
    const work = this.#follow(snapshot.skills);
    // The first search has to load the words it knows, which takes as long.
    const isHopeless = this.#index.size === 0 && snapshot.skills.length > SOON_INDEXED;
    if (work !== undefined && complete) await work;
    else if (work !== undefined && !isHopeless) await Promise.race([work, setTimeout(PATIENCE_MS, undefined, { ref: false })]);
    // Ranks of a part would come before better matches in the rest.
    const scanned = this.#isOutlined(snapshot.skills) ? [] : scanSkills(snapshot.skills, query, start + DEADLINE_MS);
    const concepts = conceptsOf(query, this.#documents.terms, (term) => this.#index.frequency(term));
    const ranked = this.#index
      .find(concepts)
      .flatMap(({ id, score }) => {
        const entry = this.#byId[id];
        return entry === undefined ? [] : [{ entry, score }];
      })
      .sort((one, other) => other.score - one.score || one.entry.position - other.entry.position)
      .slice(0, MOST_FOUND)
      .map(({ entry }) => entry.skill);
    const named = snapshot.byName.get(nameKey(query));
    const found = [...(named === undefined ? [] : [named]), ...scanned, ...ranked];
    // Without work, the index has the skills of the snapshot and no others.
    return work === undefined ? [...new Set(found)] : current(snapshot, found);
  }

  /** Indexes a snapshot in the background. */
  prepare({ skills }: Snapshot): void {
    this.#follow(skills)?.catch(() => {});
  }

  /** Stops the work in the background. */
  close(): void {
    this.#isClosed = true;
  }

  /** Starts to follow these skills; undefined when all is done. */
  #follow(skills: readonly Skill[]): Promise<void> | undefined {
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

  #isOutlined(skills: readonly Skill[]): boolean {
    const last = skills.at(-1);
    return last === undefined || this.#done === skills || this.#entries.has(last);
  }

  async #work(): Promise<void> {
    await this.#documents.load();
    const turns = new Turns();
    while (this.#done !== this.#followed && !this.#isOver) {
      const skills = this.#followed;
      await this.#outline(skills, turns);
      await this.#read(skills, turns);
      if (this.#index.isSparse) await this.#compact(turns);
      this.#done = skills;
    }
  }

  /** Adds new skills by name and description, or whole where they are known, and removes the others. */
  async #outline(skills: readonly Skill[], turns: Turns): Promise<void> {
    const before = this.#entries;
    const entries = new Map<Skill, Entry>();
    let added = 0;
    for (const [position, skill] of skills.entries()) {
      const entry = before.get(skill) ?? this.#add(skill);
      entry.position = position;
      entries.set(skill, entry);
      if (!before.has(skill)) {
        before.set(skill, entry);
        if (++added % SEGMENT_SIZE === 0) while (this.#index.sort());
      }
      if (turns.isOver) {
        while (this.#index.sort());
        await turns.next();
      }
    }
    while (this.#index.sort());
    for (const [skill, { id }] of before) {
      if (entries.has(skill)) continue;
      this.#index.remove(id);
      this.#byId[id] = undefined;
      if (turns.isOver) await turns.next();
    }
    this.#entries = entries;
  }

  #add(skill: Skill): Entry {
    const known = this.#documents.find(skill);
    const id = this.#index.add(known ?? this.#documents.outline(skill));
    const entry = { skill, id, position: 0, whole: known !== undefined };
    this.#byId[id] = entry;
    return entry;
  }

  /** Replaces outlines by whole documents. */
  async #read(skills: readonly Skill[], turns: Turns): Promise<void> {
    let old: number[] = [];
    const replace = () => {
      while (this.#index.sort());
      for (const id of old) {
        this.#index.remove(id);
        this.#byId[id] = undefined;
      }
      old = [];
    };
    for (const skill of skills) {
      const entry = this.#entries.get(skill);
      if (entry === undefined || entry.whole || skill.opening === undefined) continue;
      // A snapshot that changed meanwhile is followed first.
      if (this.#followed !== skills || this.#isOver) break;
      const opening = await skill.opening(OPENING_BYTES).catch(() => undefined);
      if (opening !== undefined) {
        entry.whole = true;
        old.push(entry.id);
        entry.id = this.#index.add(this.#documents.read(skill, opening));
        this.#byId[entry.id] = entry;
      }
      if (old.length >= SEGMENT_SIZE) replace();
      if (turns.isOver) await turns.next();
    }
    replace();
  }

  /** Moves what is left to a new index. */
  async #compact(turns: Turns): Promise<void> {
    const index = new PostingIndex();
    const entries = [...this.#entries.values()];
    const ids: number[] = [];
    for (const { id } of entries) {
      ids.push(index.add(this.#index.document(id)));
      if (turns.isOver) await turns.next();
    }
    while (index.sort()) await turns.next();
    this.#index = index;
    this.#byId = [];
    for (const [at, entry] of entries.entries()) {
      entry.id = ids[at] ?? 0;
      this.#byId[entry.id] = entry;
    }
  }
}

/** As they are in the snapshot, each once: a skill may have been replaced or removed since it was indexed. */
function current({ byPath }: Snapshot, skills: readonly Skill[]): readonly Skill[] {
  return [...new Set(skills.flatMap(({ group, name }) => byPath.get(pathKey([...group, name])) ?? []))];
}
