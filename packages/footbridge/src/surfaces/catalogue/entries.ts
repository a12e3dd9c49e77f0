/** What a catalogue has of each skill, as far as there is room. */
import { callName, type Snapshot } from '../../catalog/snapshot.js';
import type { Skill } from '../../sources/source.js';
import { oneLine } from '../text.js';
import type { RankedSkills } from './ranked.js';

/** A skill with a longer name is only counted; the standard allows 64. */
export const MAX_NAME_LENGTH = 128;
/** Shorter descriptions come first, so that a few long ones do not displace many. */
const LONG_DESCRIPTION = 320;

export interface CatalogueEntry {
  readonly name: string;
  readonly description: string;
  readonly isProject: boolean;
  readonly isUsed: boolean;
}

/** The names that fit on one line, the most important first. */
export function nameIndex(
  snapshot: Snapshot,
  { first, total }: RankedSkills,
  room: number,
): { readonly text: string; readonly names: number } {
  const head = '\nSkills: ';
  const names: string[] = [];
  let used = head.length + ', and 100000 more.'.length;
  for (const skill of first) {
    const name = callName(snapshot, skill);
    if (name.length > MAX_NAME_LENGTH) continue;
    if (used + name.length + 2 > room) break;
    used += name.length + 2;
    names.push(name);
  }
  if (names.length === 0) return { text: '', names: 0 };
  const rest = total - names.length;
  return { text: `${head}${names.join(', ')}${rest === 0 ? '.' : `, and ${rest} more.`}`, names: names.length };
}

/** Whether every skill can have its whole description. */
export function isWithin(snapshot: Snapshot, { first, total }: RankedSkills, room: number): boolean {
  let left = room;
  return (
    first.length === total &&
    first.every((skill) => {
      left -= lengthInJson(lineOf({ name: callName(snapshot, skill), description: oneLine(skill.description) }));
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
  room: number,
  elsewhere: number,
  usedNames: readonly string[] = [],
): readonly CatalogueEntry[] {
  const entries: CatalogueEntry[] = [];
  const usedSkills = new Set(usedNames.map((name) => snapshot.byName.get(name)));
  let used = 0;
  for (const skill of ranked) {
    const name = callName(snapshot, skill);
    if (name.length > MAX_NAME_LENGTH) continue;
    const cost = entries.length < elsewhere ? 0 : lengthInJson(name) + 2;
    if (cost > 0 && used + cost > room) break;
    used += cost;
    const isProject = skill.location === 'project';
    entries.push({ name, description: withoutTag(oneLine(skill.description)), isProject, isUsed: usedSkills.has(skill) });
  }
  return entries;
}

/** Which entries have their description: in order, but of the unused ones in the project, and of the others, long ones last. */
export function describedWithin(entries: readonly CatalogueEntry[], room: number, elsewhere: number): ReadonlySet<number> {
  const described = new Set<number>();
  const nameCost = (index: number) => (index < elsewhere ? 0 : lengthInJson(entries[index]?.name ?? '') + 2);
  let left = room - entries.reduce((sum, _entry, index) => sum + nameCost(index), 0);
  const take = (accepts: (entry: CatalogueEntry) => boolean) => {
    for (const [index, entry] of entries.entries()) {
      if (described.has(index) || !accepts(entry)) continue;
      const cost = lengthInJson(lineOf(entry)) - nameCost(index);
      if (cost > left) continue;
      left -= cost;
      described.add(index);
    }
  };
  for (const isProject of [true, false]) {
    take((entry) => entry.isProject === isProject && (entry.isUsed || entry.description.length <= LONG_DESCRIPTION));
    take((entry) => entry.isProject === isProject);
  }
  return described;
}

/** Nothing in a description ends the list. */
function withoutTag(text: string): string {
  return text.replace(/<(?=\/available_skills)/gi, '&lt;');
}

/** Bytes as it is sent, in a JSON string: characters of most scripts take several. */
export function lengthInJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
