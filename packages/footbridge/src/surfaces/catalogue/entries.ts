/** What a catalogue has of each skill, as far as there is room. */
import { callName, type Snapshot } from '../../catalog/snapshot.js';
import type { Skill } from '../../sources/source.js';
import { oneLine } from '../text.js';
import type { RankedSkills } from './ranked.js';

/** A skill with a longer name is only counted; the standard allows 64. */
export const MAX_NAME_LENGTH = 128;
/** Shorter descriptions come first, so that a few long ones do not displace many. */
const LONG_DESCRIPTION = 320;
/** With fewer descriptions than that, it is better to have more of them than the first by name. */
export const FEW = 45;

/** How long a text is. */
export type Ruler = (text: string) => number;

/** What entries may take, and how that is measured. */
interface EntrySpace {
  readonly room: number;
  readonly lengthOf: Ruler;
  /** So many are named elsewhere already, at no cost. */
  readonly elsewhere: number;
}

export interface CatalogueEntry {
  readonly name: string;
  readonly description: string;
  readonly isProject: boolean;
  readonly isUsed: boolean;
}

/** The names of the first skills, on a line of its own. */
export interface NameIndex {
  readonly text: string;
  readonly names: number;
}

/** The names that fit, the most important first. */
export function nameIndex(
  snapshot: Snapshot,
  { first, total }: RankedSkills,
  room: number,
  /** As the text around it needs it. */
  written: (name: string) => string = (name) => name,
): NameIndex {
  const names: string[] = [];
  let used = INDEX_HEAD.length + INDEX_REST.length;
  for (const skill of first) {
    const name = callName(snapshot, skill);
    if (name.length > MAX_NAME_LENGTH) continue;
    const text = written(name);
    if (used + text.length + 2 > room) break;
    used += text.length + 2;
    names.push(text);
  }
  if (names.length === 0) return { text: '', names: 0 };
  const rest = total - names.length;
  return { text: `${INDEX_HEAD}${names.join(', ')}${rest === 0 ? '.' : `, and ${rest} more.`}`, names: names.length };
}

const INDEX_HEAD = '\nSkills: ';
/** The longest end. */
const INDEX_REST = ', and 100000 more.';

/** How many of these names fit on one line. */
export function namesOnLine(names: readonly string[], room: number): number {
  let left = room;
  const fitting = names.findIndex((name) => {
    left -= name.length + 2;
    return left < 0;
  });
  return fitting === -1 ? names.length : fitting;
}

/** Whether every skill can have its whole description. */
export function fitsWithin(snapshot: Snapshot, { first, total }: RankedSkills, room: number, lengthOf: Ruler): boolean {
  let left = room;
  return (
    first.length === total &&
    first.every((skill) => {
      left -= lengthOf(lineOf({ name: callName(snapshot, skill), description: oneLine(skill.description) }));
      return left >= 0;
    })
  );
}

/** With its line break. */
function lineOf({ description, name }: Pick<CatalogueEntry, 'description' | 'name'>): string {
  return `- ${name}: ${description}\n`;
}

/** The skills that can be named, in order; the first ones are named elsewhere already. */
export function namesWithin(
  snapshot: Snapshot,
  ranked: readonly Skill[],
  { elsewhere, lengthOf, room }: EntrySpace,
  usedNames: readonly string[] = [],
): readonly CatalogueEntry[] {
  const entries: CatalogueEntry[] = [];
  const usedSkills = new Set(usedNames.map((name) => snapshot.byName.get(name)));
  let used = 0;
  for (const skill of ranked) {
    const name = callName(snapshot, skill);
    if (name.length > MAX_NAME_LENGTH) continue;
    const cost = entries.length < elsewhere ? 0 : lengthOf(name) + 2;
    if (cost > 0 && used + cost > room) break;
    used += cost;
    const isProject = skill.location === 'project';
    entries.push({ name, description: withoutTag(oneLine(skill.description)), isProject, isUsed: usedSkills.has(skill) });
  }
  return entries;
}

/**
 * Which entries have their description: those of the project first, in order, apart from long ones, which come last. Where
 * that makes too few, unused ones with short descriptions come first. At most `most`.
 */
export function describedWithin(entries: readonly CatalogueEntry[], space: EntrySpace, most: number): ReadonlySet<number> {
  const described = taken(entries, space, most, (description) => (description.length <= LONG_DESCRIPTION ? 0 : 1));
  if (described.size >= Math.min(FEW, entries.length)) return described;
  return taken(entries, space, most, (description) => description.length);
}

/** As many as fit: of the project and of the others, the used ones and those of the least weight first. */
function taken(
  entries: readonly CatalogueEntry[],
  { elsewhere, lengthOf, room }: EntrySpace,
  most: number,
  weightOf: (description: string) => number,
): ReadonlySet<number> {
  const candidates = entries.map((entry, index) => ({
    index,
    isProject: entry.isProject,
    weight: entry.isUsed ? 0 : weightOf(entry.description),
    nameCost: index < elsewhere ? 0 : lengthOf(entry.name) + 2,
    cost: lengthOf(lineOf(entry)),
  }));
  let left = room - candidates.reduce((sum, { nameCost }) => sum + nameCost, 0);
  const described = new Set<number>();
  const inOrder = candidates.toSorted((one, other) => Number(other.isProject) - Number(one.isProject) || one.weight - other.weight);
  for (const { cost, index, nameCost } of inOrder) {
    if (described.size >= most) break;
    if (cost - nameCost > left) continue;
    left -= cost - nameCost;
    described.add(index);
  }
  return described;
}

/** Nothing in a description ends the list. */
function withoutTag(text: string): string {
  return text.replace(/<(?=\/available_skills)/gi, '&lt;');
}

/** Characters as they are sent, in a JSON string. */
export const charactersInJson: Ruler = (text) => JSON.stringify(text).length - 2;

/** Bytes as they are sent, in a JSON string: characters of most scripts take several. */
export const bytesInJson: Ruler = (text) => Buffer.byteLength(JSON.stringify(text)) - 2;
