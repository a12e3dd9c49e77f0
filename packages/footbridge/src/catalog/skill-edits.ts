/** What differs between the skills of two snapshots, or between all that is searched in them: compared once, however many follow them. */
import type { Skill } from '../sources/source.js';
import { type Edit, editsBetween } from './edits.js';
import type { Searched } from './search/searched.js';

/** Shorter lists are compared each time. */
const LONG = 1000;

/** As `editsBetween`. */
export const searchedEditsBetween = comparing<Searched>();

/** As `editsBetween`. */
export const skillEditsBetween = comparing<Skill>();

function comparing<T extends object>(): (before: readonly T[], after: readonly T[]) => readonly Edit<T>[] {
  /** By the later of two lists. */
  const compared = new WeakMap<readonly T[], { readonly before: WeakRef<readonly T[]>; readonly edits: readonly Edit<T>[] }>();
  return (before, after) => {
    if (before.length < LONG || before === after) return editsBetween(before, after);
    const known = compared.get(after);
    if (known?.before.deref() === before) return known.edits;
    const edits = editsBetween(before, after);
    compared.set(after, { before: new WeakRef(before), edits });
    return edits;
  };
}
