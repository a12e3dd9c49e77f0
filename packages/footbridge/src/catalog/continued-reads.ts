/** Reads of texts that are returned in parts. */
import type { InternalReadContext, ReadContext } from '../sources/resource.js';
import { skillUri } from '../sources/skill-uri.js';
import type { Skill, SkillFileContent } from '../sources/source.js';
import { Held } from './held.js';
import type { Reading } from './reading.js';
import type { Reads } from './reads.js';
import type { Snapshot } from './snapshot.js';
import { findTarget } from './target.js';

/** A read returns the content held for the same caller while it is current, and reads it again otherwise. */
export class ContinuedReads {
  readonly #readings = new Held<Reading>();
  readonly #skills = new Held<SkillFileContent>();
  readonly #reads: Reads;
  readonly #snapshot: () => Snapshot;

  constructor(reads: Reads, snapshot: () => Snapshot) {
    this.#reads = reads;
    this.#snapshot = snapshot;
  }

  async read(uri: string, context: InternalReadContext): Promise<Reading> {
    const target = findTarget(this.#snapshot(), uri);
    // The caller may have lost access since.
    if (target !== undefined && target.kind !== 'skill') target.resource.authorize?.(uri, context.caller);
    const held = context.alone === true ? undefined : this.#readings.get(uri, context.caller.id);
    if (held !== undefined) return held;
    const reading = await this.#reads.read(uri, context);
    this.hold(uri, reading, context);
    return reading;
  }

  /** The instructions of a skill. */
  async readSkill(skill: Skill, context: ReadContext): Promise<SkillFileContent> {
    const held = this.#skills.get(skillUri(skill), context.caller.id);
    if (held !== undefined) return held;
    const content = await this.#reads.readSkill(skill, context);
    this.holdSkill(skill, content, context);
    return content;
  }

  /** Keeps the content for the next part. */
  hold(uri: string, reading: Reading, { alone, caller }: InternalReadContext): void {
    if (alone !== true) this.#readings.hold(uri, caller.id, reading, reading.bytes);
  }

  holdSkill(skill: Skill, content: SkillFileContent, { caller }: ReadContext): void {
    this.#skills.hold(skillUri(skill), caller.id, content, content.bytes.length);
  }

  /** Drops the content of a URI, or everything. */
  forget(uri?: string): void {
    this.#readings.forget(uri);
    this.#skills.forget(uri);
  }
}
