/** How the skills that `dev` serves are, and what became of them since the last look. */

import type { Catalog } from '../../catalog/catalog.js';
import { qualifiedName } from '../../sources/skill-uri.js';
import { isInside } from '../../sources/skills/folders.js';
import type { Notice, Skill } from '../../sources/source.js';
import { checkSkill } from '../lint-skill.js';
import { shadows } from '../skill-problems.js';

/** One skill that is served: what it costs, and what is wrong with it. */
export interface SkillState {
  readonly name: string;
  /** What the catalogue costs for it in every conversation, and what it costs when loaded. */
  readonly catalogueTokens: number;
  readonly bodyTokens: number;
  readonly problems: readonly Notice[];
  /** Differs whenever a file of the skill does. */
  readonly files: string;
}

export interface Review {
  readonly skills: ReadonlyMap<string, SkillState>;
  /** What is wrong where no skill is served, as with one that cannot be. */
  readonly problems: readonly Notice[];
}

/** What happened between two reviews. */
export type News =
  | { readonly kind: 'added' | 'reloaded'; readonly skill: SkillState }
  | { readonly kind: 'removed'; readonly name: string }
  | { readonly kind: 'problem'; readonly problem: Notice };

/** Looks at every skill of a catalog. */
export async function review(catalog: Catalog): Promise<Review> {
  const { snapshot } = catalog;
  const states: SkillState[] = [];
  const mine = new Set<Notice>();
  for (const skill of snapshot.skills) {
    const own = snapshot.notices.filter(({ file }) => isInside(skill.directory ?? '', file));
    for (const notice of own) mine.add(notice);
    const { notices, catalogueTokens, bodyTokens } = await checkSkill(catalog, skill);
    const problems = [...own, ...notices];
    states.push({ name: qualifiedName(skill), catalogueTokens, bodyTokens, problems, files: await filesOf(skill) });
  }
  return {
    skills: new Map(states.map((state) => [state.name, state])),
    problems: [...snapshot.notices.filter((notice) => !mine.has(notice)), ...shadows(snapshot)],
  };
}

async function filesOf(skill: Skill): Promise<string> {
  return `${skill.version} ${JSON.stringify((await skill.manifest())?.files)}`;
}

/** What is to be told after a change: what is gone first, then what is wrong, then what is served. */
export function newsBetween(before: Review, after: Review): News[] {
  const known = new Set(before.problems.map((problem) => JSON.stringify(problem)));
  const gone = [...before.skills.keys()].filter((name) => !after.skills.has(name));
  const states = [...after.skills.values()];
  const changed = states.filter((state) => JSON.stringify(state) !== JSON.stringify(before.skills.get(state.name)));
  return [
    ...gone.map((name) => ({ kind: 'removed', name }) as const),
    ...after.problems.filter((problem) => !known.has(JSON.stringify(problem))).map((problem) => ({ kind: 'problem', problem }) as const),
    ...changed.map((skill) => ({ kind: before.skills.has(skill.name) ? 'reloaded' : 'added', skill }) as const),
  ];
}
