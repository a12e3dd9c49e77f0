/** The search of one catalog: follows its snapshots in the background, and ranks what it has read so far. */
import { setTimeout } from 'node:timers/promises';
import { nameKey, pathKey } from '../../sources/skill-uri.js';
import type { Skill } from '../../sources/source.js';
import { Turns } from '../../turns.js';
import type { Edit } from '../edits.js';
import { skillEditsBetween } from '../skill-edits.js';
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
/** Places of skills that are nearer to each other are numbered again. */
const LEAST_STEP = 1e-6;

export class SkillSearch {
  readonly #documents: SearchDocuments;
  readonly #index = new PostingIndex();
  readonly #ids = new Map<Skill, number>();
  /** By id: the skill, and its place among the others. */
  readonly #byId: (Skill | undefined)[] = [];
  #order = new Float64Array(1024);
  /** The skills that are to be indexed, those that are by name and description, and those that are whole. */
  #followed: readonly Skill[] = [];
  #outlined: readonly Skill[] = [];
  #done: readonly Skill[] | undefined;
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
  async find(snapshot: Snapshot, query: string, complete = false): Promise<readonly Skill[]> {
    const start = performance.now();
    const work = this.#follow(snapshot.skills);
    // The first search has to load the words it knows, which takes as long.
    const isHopeless = this.#index.size === 0 && snapshot.skills.length > SOON_INDEXED;
    if (work !== undefined && complete) await work;
    else if (work !== undefined && !isHopeless) await Promise.race([work, setTimeout(PATIENCE_MS, undefined, { ref: false })]);
    // What is not indexed yet is looked through, as far as there is time.
    const left = this.#outlined === snapshot.skills ? snapshot.skills.length : this.#progress;
    const scanned = left >= snapshot.skills.length ? [] : scanSkills(snapshot.skills.slice(left), query, start + DEADLINE_MS);
    const concepts = conceptsOf(query, this.#documents.terms, (term) => this.#index.frequency(term));
    const ranked = this.#index
      .find(concepts, (id) => this.#order[id] ?? 0)
      .slice(0, MOST_FOUND)
      .flatMap(({ id }) => this.#byId[id] ?? []);
    const named = snapshot.byName.get(nameKey(query));
    const parts = left > snapshot.skills.length / 2 ? [...ranked, ...scanned] : [...scanned, ...ranked];
    const found = [...(named === undefined ? [] : [named]), ...parts];
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

  async #work(): Promise<void> {
    const turns = new Turns();
    while (this.#done !== this.#followed && !this.#isOver) {
      const skills = this.#followed;
      const edits = skillEditsBetween(this.#outlined, skills);
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
  async #outline(edits: readonly Edit<Skill>[], skills: readonly Skill[], turns: Turns): Promise<void> {
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
        const known = this.#documents.find(skill);
        this.#put(skill, this.#index.add(known ?? this.#documents.outline(skill)), first + step * (index + 1));
        if (known === undefined && skill.opening !== undefined) this.#unread.push(skill);
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
  async #read(skills: readonly Skill[], turns: Turns): Promise<void> {
    const unread = this.#unread;
    this.#unread = [];
    const old: number[] = [];
    const replace = async () => {
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

  #orderOf(skill: Skill | undefined): number | undefined {
    const id = skill === undefined ? undefined : this.#ids.get(skill);
    return id === undefined ? undefined : this.#order[id];
  }

  #put(skill: Skill, id: number, order: number): void {
    if (id >= this.#order.length) {
      const larger = new Float64Array(2 * id);
      larger.set(this.#order);
      this.#order = larger;
    }
    this.#ids.set(skill, id);
    this.#byId[id] = skill;
    this.#order[id] = order;
  }

  #remove(skill: Skill): void {
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

/** As they are in the snapshot, each once: a skill may have been replaced or removed since it was indexed. */
function current({ byPath }: Snapshot, skills: readonly Skill[]): readonly Skill[] {
  return [...new Set(skills.flatMap(({ group, name }) => byPath.get(pathKey([...group, name])) ?? []))];
}
