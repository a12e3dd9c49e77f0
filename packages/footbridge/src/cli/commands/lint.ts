/** `footbridge lint`: what is wrong with the skills, where, and what to do. */
import { Catalog } from '../../catalog/catalog.js';
import { skillUri } from '../../catalog/skill-uri.js';
import { qualifiedName, type Snapshot } from '../../catalog/snapshot.js';
import { silentLog } from '../../log.js';
import { skillFolders } from '../../sources/skills/index.js';
import type { Notice } from '../../sources/source.js';
import { CATALOGUE_BUDGET, catalogueOf } from '../../surfaces/catalogue.js';
import { checkNamed } from '../config/index.js';
import type { SkillReport } from '../lint-skill.js';
import { type CommonOptions, type OpenedCatalog, openCatalog } from '../options.js';
import { openingSources, withProgress } from '../progress.js';
import { shortPath, skillProblems } from '../skill-problems.js';
import { colors, plain, plural, print, printJson, tokens } from '../terminal.js';

export async function lint(folders: readonly string[], options: CommonOptions): Promise<number> {
  if (folders.length > 0) await checkNamed(options.config);
  const { catalog, end } = folders.length > 0 ? await foldersAlone([...folders, ...options.skills]) : await configured(options);
  try {
    const { snapshot } = catalog;
    const { problems: found, reports } = await skillProblems(catalog);
    const problems = folders.length > 0 ? found.map(strict) : found;
    const errors = problems.filter((problem) => problem.severity === 'error').length;
    if (options.json === true) printJson(toJson(snapshot, reports, problems, errors));
    else printReport(snapshot, reports, problems, errors);
    return errors > 0 ? 1 : 0;
  } finally {
    await end();
  }
}

async function foldersAlone(folders: readonly string[]): Promise<Pick<OpenedCatalog, 'catalog' | 'end'>> {
  const catalog = await withProgress('scanning…', (tell) => {
    const { scanned } = openingSources(tell);
    return Catalog.open([skillFolders({ folders, standardFolders: false, watch: false, scanned })]);
  });
  return { catalog, end: async () => catalog.close() };
}

function configured(options: CommonOptions): Promise<OpenedCatalog> {
  return openCatalog(options, { watch: false, log: silentLog, servers: false });
}

/** A folder that was asked for by name and is missing is a mistake, not a folder to wait for. */
function strict(notice: Notice): Notice {
  return notice.rule === 'folder-missing' ? { ...notice, severity: 'error', action: 'Correct the name.' } : notice;
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
