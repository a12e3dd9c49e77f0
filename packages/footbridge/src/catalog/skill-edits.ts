/** What differs between the skills of two snapshots: compared once, however many follow them. */
import type { Skill } from '../sources/source.js';
import { type Edit, editsBetween } from './edits.js';

/** Shorter lists are compared each time. */
const LONG = 1000;

interface Compared {
  readonly before: WeakRef<readonly Skill[]>;
  readonly edits: readonly Edit<Skill>[];
}

/** By the later of two lists. */
const compared = new WeakMap<readonly Skill[], Compared>();

/** As `editsBetween`. */
export function skillEditsBetween(before: readonly Skill[], after: readonly Skill[]): readonly Edit<Skill>[] {
  if (before.length < LONG || before === after) return editsBetween(before, after);
  const known = compared.get(after);
  if (known?.before.deref() === before) return known.edits;
  const edits = editsBetween(before, after);
  compared.set(after, { before: new WeakRef(before), edits });
  return edits;
}
