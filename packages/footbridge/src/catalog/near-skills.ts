/** Near matches for the name of a skill. */
import { qualifiedName } from '../sources/skill-uri.js';
import type { Skill } from '../sources/source.js';
import { Spellings } from './near.js';
import { perSnapshot, type Snapshot } from './snapshot.js';

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
