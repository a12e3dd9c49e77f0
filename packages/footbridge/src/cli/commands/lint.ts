/** `footbridge lint`: what is wrong with the skills, where, and what to do. */
import { isAbsolute, relative } from 'node:path';
import { Catalog } from '../../catalog/catalog.js';
import { skillUri } from '../../catalog/skill-uri.js';
import { qualifiedName, type Snapshot } from '../../catalog/snapshot.js';
import { silentLog } from '../../log.js';
import { skillFolders } from '../../sources/skills/index.js';
import type { Notice, Skill } from '../../sources/source.js';
import { CATALOGUE_BUDGET, catalogueOf } from '../../surfaces/catalogue.js';
import { checkNamed } from '../config/index.js';
import { checkSkill, type SkillReport } from '../lint-skill.js';
import { type CommonOptions, type OpenedCatalog, openCatalog } from '../options.js';
import { colors, grouped, plain, plural, print, printJson, tokens } from '../terminal.js';

export async function lint(folders: readonly string[], options: CommonOptions): Promise<number> {
  if (folders.length > 0) await checkNamed(options.config);
  const { catalog, end } = folders.length > 0 ? await foldersAlone([...folders, ...options.skills]) : await configured(options);
  try {
    const { snapshot } = catalog;
    const reports: SkillReport[] = [];
    for (const skill of snapshot.skills) reports.push(await checkSkill(catalog, skill));
    const problems = [
      ...snapshot.notices.map((notice) => (folders.length > 0 ? strict(notice) : notice)),
      ...shadows(snapshot),
      ...reports.flatMap((report) => report.notices),
      ...overBudget(snapshot),
    ];
    const errors = problems.filter((problem) => problem.severity === 'error').length;
    if (options.json === true) printJson(toJson(snapshot, reports, problems, errors));
    else printReport(snapshot, reports, problems, errors);
    return errors > 0 ? 1 : 0;
  } finally {
    await end();
  }
}

async function foldersAlone(folders: readonly string[]): Promise<Pick<OpenedCatalog, 'catalog' | 'end'>> {
  const catalog = await Catalog.open([skillFolders({ folders, standardFolders: false, watch: false })]);
  return { catalog, end: async () => catalog.close() };
}

function configured(options: CommonOptions): Promise<OpenedCatalog> {
  return openCatalog(options, { watch: false, log: silentLog, servers: false });
}

/** A folder that was asked for by name and is missing is a mistake, not a folder to wait for. */
function strict(notice: Notice): Notice {
  return notice.rule === 'folder-missing' ? { ...notice, severity: 'error', action: 'Correct the name.' } : notice;
}

function shadows(snapshot: Snapshot): Notice[] {
  return snapshot.shadowed.map(({ skill, by }) => ({
    severity: 'warning',
    rule: 'shadowed',
    file: fileOf(skill),
    message: `The skill "${qualifiedName(skill)}" is not served: ${fileOf(by)} comes first.`,
    action: 'Rename one of the two, or remove the one that is not wanted.',
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
      message: `The catalogue is over ${grouped(CATALOGUE_BUDGET)} characters: ${what} in the tool's description.`,
      action: 'Shorten descriptions or serve fewer skills; the rest is found by list_skills.',
    },
  ];
}

function fileOf(skill: Skill): string {
  return skill.directory === undefined ? skillUri(skill) : `${skill.directory}/SKILL.md`;
}

function toJson(snapshot: Snapshot, reports: readonly SkillReport[], problems: readonly Notice[], errors: number) {
  const { text, named } = catalogueOf(snapshot);
  return {
    problems: problems.map((problem) => ({ ...problem, file: shortPath(problem.file) })),
    skills: reports.map(({ skill, catalogueTokens, bodyTokens }) => ({
      name: qualifiedName(skill),
      uri: skillUri(skill),
      catalogue_tokens: catalogueTokens,
      body_tokens: bodyTokens,
    })),
    catalogue: { characters: text.length, budget: CATALOGUE_BUDGET, tokens: tokens(text), named, skills: snapshot.skills.length },
    errors,
    warnings: problems.length - errors,
  };
}

function printReport(snapshot: Snapshot, reports: readonly SkillReport[], problems: readonly Notice[], errors: number): void {
  for (const problem of problems) {
    const severity = problem.severity === 'error' ? colors.red('error  ') : colors.yellow('warning');
    print(`${shortPath(problem.file)}${problem.line === undefined ? '' : `:${problem.line}`}`);
    print(`  ${severity}  ${plain(problem.message)}  ${colors.dim(problem.rule)}`);
    print(`           ${plain(problem.action)}`);
  }
  if (problems.length > 0) print('');
  print(colors.bold('Tokens (about)   in every conversation   when loaded'));
  for (const { skill, catalogueTokens, bodyTokens } of reports) {
    print(`  ${plain(qualifiedName(skill)).padEnd(28)} ${String(catalogueTokens).padStart(10)} ${String(bodyTokens).padStart(13)}`);
  }
  print(`  ${'the catalogue'.padEnd(28)} ${String(tokens(catalogueOf(snapshot).text)).padStart(10)}`);
  print('');
  print(`${plural(snapshot.skills.length, 'skill')}, ${plural(errors, 'error')}, ${plural(problems.length - errors, 'warning')}`);
}

function shortPath(file: string): string {
  const way = relative(process.cwd(), file);
  return plain(isAbsolute(file) && !way.startsWith('..') ? way : file);
}
