/** The difference between the skills of two snapshots, or between all searched entries: computed once for all that follow them. */
import type { Skill } from '../sources/source.js';
import { type Edit, editsBetween } from './edits.js';
import { isSearchedSkill, type Searched } from './search/searched.js';

/** Shorter lists are compared each time. */
const LONG = 1000;

interface Compared {
  readonly before: WeakRef<readonly Searched[]>;
  readonly edits: readonly Edit<Searched>[];
}

/** Keyed by the later of the two lists. */
const compared = new WeakMap<readonly Searched[], Compared>();

/** As `editsBetween`. */
export function searchedEditsBetween(before: readonly Searched[], after: readonly Searched[]): readonly Edit<Searched>[] {
  if (before.length < LONG || before === after) return editsBetween(before, after);
  const known = compared.get(after);
  if (known?.before.deref() === before) return known.edits;
  const edits = editsBetween(before, after);
  compared.set(after, { before: new WeakRef(before), edits });
  return edits;
}

/** As `editsBetween`. */
export function skillEditsBetween(before: readonly Skill[], after: readonly Skill[]): readonly Edit<Skill>[] {
  // Checking the kind of very many entries would take long.
  if (before.length === 0 && after.length > 0) return [{ at: 0, removed: before, added: after }];
  return searchedEditsBetween(before, after).filter(isOfSkills);
}

function isOfSkills(edit: Edit<Searched>): edit is Edit<Skill> {
  return edit.added.every(isSearchedSkill) && edit.removed.every(isSearchedSkill);
}
