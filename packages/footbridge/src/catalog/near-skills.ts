/** Near matches for the name of a skill. */
import { qualifiedName } from '../sources/skill-uri.js';
import type { Skill } from '../sources/source.js';
import type { Catalog } from './catalog.js';
import { Spellings } from './near.js';
import { perSnapshot, type Snapshot } from './snapshot.js';

/** Skills that a search suggests. */
const MOST_FOUND = 5;
/** Characters of a name that a search looks at. */
const MOST_READ = 1000;

/** Finds the skills that may have been meant by a name. */
export type NearSkills = (wanted: string) => Promise<readonly Skill[]>;

/** The skills that may have been meant by a name: those spelled much like it, else those that a search finds with its words. */
export async function nearSkills(catalog: Catalog, wanted: string): Promise<readonly Skill[]> {
  const near = nearestSkills(catalog.snapshot, wanted);
  // Every skill is a skill.
  const words = wanted.slice(0, MOST_READ).replace(/\bskills?\b/gi, ' ');
  if (near.length > 0 || catalog.snapshot.skills.length === 0 || !/[\p{L}\p{N}]/u.test(words)) return near;
  const { searchSkills } = await import('./search/index.js');
  return (await searchSkills(catalog, words)).slice(0, MOST_FOUND);
}

/** The skills whose name, alone or with its folders, is nearest to `wanted`: best first, without unrelated ones. */
export function nearestSkills(snapshot: Snapshot, wanted: string): readonly Skill[] {
  const { spellings, skills } = namesOf(snapshot);
  return [...new Set(spellings.nearestAt(wanted).flatMap((at) => skills[at] ?? []))];
}

const namesOf = perSnapshot(({ skills }) => {
  const named = skills.flatMap((skill) => (skill.group.length === 0 ? [skill] : [skill, skill]));
  const names = skills.flatMap((skill) => (skill.group.length === 0 ? [skill.name] : [skill.name, qualifiedName(skill)]));
  return { spellings: new Spellings(names), skills: named };
});
