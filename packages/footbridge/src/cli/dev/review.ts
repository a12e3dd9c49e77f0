/** The state of the skills that `dev` serves, and what changed since the last review. */
import type { Catalog } from '../../catalog/catalog.js';
import { qualifiedName } from '../../sources/skill-uri.js';
import { isInside } from '../../sources/skills/folders.js';
import type { Notice } from '../../sources/source.js';
import { checkSkill, shadows } from '../skill-problems.js';

export interface SkillState {
  readonly name: string;
  /** Tokens in every conversation, and when loaded. */
  readonly catalogueTokens: number;
  readonly bodyTokens: number;
  readonly problems: readonly Notice[];
  /** Differs if any file differs. */
  readonly files: string;
}

export interface Review {
  readonly skills: ReadonlyMap<string, SkillState>;
  /** Problems outside of served skills. */
  readonly problems: readonly Notice[];
}

export type News =
  | { readonly kind: 'added' | 'reloaded'; readonly skill: SkillState }
  | { readonly kind: 'removed'; readonly name: string }
  | { readonly kind: 'problem'; readonly problem: Notice };

export async function review(catalog: Catalog): Promise<Review> {
  const { snapshot } = catalog;
  const states: SkillState[] = [];
  const mine = new Set<Notice>();
  for (const skill of snapshot.skills) {
    const own = snapshot.notices.filter(({ file }) => isInside(skill.directory ?? '', file));
    for (const notice of own) mine.add(notice);
    const { notices, catalogueTokens, bodyTokens } = await checkSkill(catalog, skill, true);
    const problems = [...own, ...notices];
    const files = `${skill.version} ${JSON.stringify((await skill.manifest())?.files)}`;
    states.push({ name: qualifiedName(skill), catalogueTokens, bodyTokens, problems, files });
  }
  return {
    skills: new Map(states.map((state) => [state.name, state])),
    problems: [...snapshot.notices.filter((notice) => !mine.has(notice)), ...shadows(snapshot)],
  };
}

/** Removals first, then problems, then changes. */
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
