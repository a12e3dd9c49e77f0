/** What is wrong with skills, or worth a look: the same for `lint` and `doctor`. */
import { isAbsolute, relative } from 'node:path';
import type { Catalog } from '../catalog/catalog.js';
import type { Snapshot } from '../catalog/snapshot.js';
import { qualifiedName, skillUri } from '../sources/skill-uri.js';
import type { Notice, Skill } from '../sources/source.js';
import { CATALOGUE_BUDGET, catalogueOf } from '../surfaces/catalogue.js';
import type { Io } from './io.js';
import { checkSkill, type SkillReport } from './lint-skill.js';
import { type Tell, withProgress } from './progress.js';
import { grouped, plain, plural } from './terminal.js';

export interface SkillProblems {
  readonly problems: readonly Notice[];
  /** One of each skill that is served. */
  readonly reports: readonly SkillReport[];
}

/** What was skipped, shadowed or is over budget, and what each skill breaks. */
export async function skillProblems(catalog: Catalog, io: Io): Promise<SkillProblems> {
  const { snapshot } = catalog;
  const reports = await withProgress('checking…', (tell) => checkAll(catalog, tell), io);
  const problems = [...snapshot.notices, ...shadows(snapshot), ...reports.flatMap((report) => report.notices), ...overBudget(snapshot)];
  return { problems, reports };
}

async function checkAll(catalog: Catalog, tell: Tell): Promise<readonly SkillReport[]> {
  const { skills } = catalog.snapshot;
  const reports: SkillReport[] = [];
  for (const skill of skills) {
    tell(`checking… ${grouped(reports.length)} of ${plural(skills.length, 'skill')}`);
    reports.push(await checkSkill(catalog, skill));
  }
  return reports;
}

/** A file as a person in the working folder would name it. */
export function shortPath(file: string, { cwd }: Pick<Io, 'cwd'>): string {
  const way = relative(cwd, file);
  return plain(isAbsolute(file) && !way.startsWith('..') ? way : file);
}

/** Skills that are there and not served, since another comes first. */
export function shadows(snapshot: Snapshot): Notice[] {
  return snapshot.shadowed.map(({ skill, by }) => ({
    severity: 'warning',
    rule: 'shadowed',
    file: fileOf(skill),
    message: `The skill "${qualifiedName(skill)}" is not served: ${fileOf(by)} takes precedence.`,
    action: 'Rename or remove one of the two.',
  }));
}

function overBudget(snapshot: Snapshot): Notice[] {
  const { named, shortened } = catalogueOf(snapshot);
  const total = snapshot.skills.length;
  if (named === total && !shortened) return [];
  const what = named < total ? `only ${named} of ${total} skills are named` : 'descriptions are shortened';
  return [
    {
      severity: 'warning',
      rule: 'catalogue-budget',
      file: '(catalogue)',
      message: `The catalogue exceeds ${grouped(CATALOGUE_BUDGET)} characters: ${what} in the tool's description.`,
      action: 'Shorten descriptions or serve fewer skills. list_skills finds the rest.',
    },
  ];
}

function fileOf(skill: Skill): string {
  return skill.directory === undefined ? skillUri(skill) : `${skill.directory}/SKILL.md`;
}
