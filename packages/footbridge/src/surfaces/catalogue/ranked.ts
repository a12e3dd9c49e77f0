/** The skills of the catalogue, the most important first. */
import { firstByName, stepsToFirstByName, type Wanted } from '../../catalog/first-by-name.js';
import type { Snapshot } from '../../catalog/snapshot.js';
import type { Skill } from '../../sources/source.js';
import { inTurns } from '../../turns.js';
import { nativeSkills } from '../hosts/native.js';
import { type HostView, perView } from '../hosts/view.js';

export interface RankedSkills {
  /** By importance: project before global, those used most first, then by name. At least as many as a catalogue can name. */
  readonly first: readonly Skill[];
  readonly total: number;
}

export const rankedSkills = perView((snapshot, view): RankedSkills => {
  const { native, others, used, wanted } = candidatesOf(snapshot, view);
  const { global, project } = firstByName(snapshot.skills, wanted);
  const [usedInProject, usedElsewhere] = [true, false].map((isProject) =>
    used.filter(({ location }) => (location === 'project') === isProject),
  );
  const rest = (skills: readonly Skill[]) => (others.size === 0 ? skills : skills.filter((skill) => !others.has(skill)));
  return {
    first: [...(usedInProject ?? []), ...rest(project), ...(usedElsewhere ?? []), ...rest(global)],
    total: snapshot.skills.length - native.size,
  };
});

/** Finds the first skills for `rankedSkills` in slices, where there are many; undefined where there are few. */
export function prepareCatalogue(snapshot: Snapshot, ...views: readonly HostView[]): Promise<unknown> | undefined {
  if (snapshot.skills.length < MANY_SKILLS) return undefined;
  return Promise.all(views.map((view) => inTurns(stepsToFirstByName(snapshot.skills, candidatesOf(snapshot, view).wanted), 'call')));
}

/** Fewer are looked through in a few milliseconds. */
const MANY_SKILLS = 2000;

const candidatesOf = perView((snapshot, view) => {
  const native = nativeSkills(snapshot, view);
  const used = [...new Set((view.usage?.names ?? []).flatMap((name) => snapshot.byName.get(name) ?? []))].filter(
    (skill) => !native.has(skill),
  );
  // Those of the host's own, and those used most, may be among the first by name.
  const most = mostNamed(view.budget) + native.size + used.length;
  const others = new Set([...native.keys(), ...used]);
  // A name is listed twice at most: where a host shows it at once, and in a parameter.
  const characters = [...others].reduce((sum, { name }) => sum + name.length, 2 * view.budget);
  const wanted: Wanted = { most, characters };
  return { native, used, others, wanted };
});

/** The least that a name takes in a catalogue, with what parts it from the next. */
const SMALLEST_NAME = 3;

function mostNamed(budget: number): number {
  return Math.ceil(budget / SMALLEST_NAME);
}
