/** `footbridge lint`: checks skills. */
import type { Command } from 'commander';
import { Catalog } from '../../catalog/catalog.js';
import type { Snapshot } from '../../catalog/snapshot.js';
import { silentLog } from '../../log.js';
import { qualifiedName, skillUri } from '../../sources/skill-uri.js';
import { skillFolders } from '../../sources/skills/index.js';
import type { Notice } from '../../sources/source.js';
import { catalogueOf } from '../../surfaces/catalogue.js';
import { CATALOGUE_BUDGET, UNLIMITED_VIEW } from '../../surfaces/hosts/view.js';
import type { Exit } from '../arguments.js';
import { checkNamed } from '../config/index.js';
import type { Io } from '../io.js';
import { type CommonOptions, type OpenedCatalog, openCatalog } from '../options.js';
import { openingSources, withProgress } from '../progress.js';
import { type SkillReport, shortPath, skillProblems } from '../skill-problems.js';
import { plain, plural, tokens } from '../terminal.js';

export function addLint(program: Command, io: Io, exit: Exit): void {
  program
    .command('lint')
    .description('check skills against the Agent Skills standard; exit code 1 on errors')
    .argument('[dirs...]', 'folders to check instead of the configured ones')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  $ footbridge lint\n  $ footbridge lint ./team-skills --json')
    .action(async (dirs: string[], _own, command: Command) => exit(await lint(dirs, command.optsWithGlobals(), io)));
}

async function lint(folders: readonly string[], options: CommonOptions, io: Io): Promise<number> {
  if (folders.length > 0) await checkNamed(options.config, io);
  const { catalog, end } = folders.length > 0 ? await foldersAlone([...folders, ...options.skills], io) : await configured(options, io);
  try {
    const { snapshot } = catalog;
    const { problems: found, reports } = await skillProblems(catalog, io);
    const problems = folders.length > 0 ? found.map(strict) : found;
    const errors = problems.filter((problem) => problem.severity === 'error').length;
    if (options.json === true) io.printJson(toJson(snapshot, reports, problems, errors, io));
    else printReport(snapshot, reports, problems, errors, io);
    return errors > 0 ? 1 : 0;
  } finally {
    await end();
  }
}

async function foldersAlone(folders: readonly string[], io: Io): Promise<Pick<OpenedCatalog, 'catalog' | 'end'>> {
  const catalog = await withProgress(
    'scanning…',
    (show) => {
      const { scanned } = openingSources(show);
      return Catalog.open([skillFolders({ folders, standardFolders: false, workingFolder: io.cwd, home: io.home, watch: false, scanned })]);
    },
    io,
  );
  return { catalog, end: async () => catalog.close() };
}

function configured(options: CommonOptions, io: Io): Promise<OpenedCatalog> {
  return openCatalog(options, { watch: false, log: silentLog, servers: false }, io);
}

/** A missing folder that was named on the command line is an error. */
function strict(notice: Notice): Notice {
  return notice.rule === 'folder-missing' ? { ...notice, severity: 'error', action: 'Correct the name.' } : notice;
}

function toJson(snapshot: Snapshot, reports: readonly SkillReport[], problems: readonly Notice[], errors: number, io: Io) {
  const { described, entries, named } = catalogueOf(snapshot, UNLIMITED_VIEW);
  return {
    problems: problems.map((problem) => ({ ...problem, file: shortPath(problem.file, io) })),
    skills: reports.map(({ skill, catalogueTokens, bodyTokens }) => ({
      name: qualifiedName(skill),
      uri: skillUri(skill),
      catalogue_tokens: catalogueTokens,
      body_tokens: bodyTokens,
    })),
    catalogue: {
      characters: entries.length,
      budget: CATALOGUE_BUDGET,
      tokens: tokens(entries),
      named,
      described,
      skills: snapshot.skills.length,
    },
    errors,
    warnings: problems.length - errors,
  };
}

function printReport(snapshot: Snapshot, reports: readonly SkillReport[], problems: readonly Notice[], errors: number, io: Io): void {
  const { colors } = io;
  for (const problem of problems) {
    const severity = problem.severity === 'error' ? colors.red('error  ') : colors.yellow('warning');
    io.print(`${shortPath(problem.file, io)}${problem.line === undefined ? '' : `:${problem.line}`}`);
    io.print(`  ${severity}  ${plain(problem.message)}  ${colors.dim(problem.rule)}`);
    io.print(`           ${plain(problem.action)}`);
  }
  if (problems.length > 0) io.print('');
  io.print(colors.bold('Tokens (about)   in every conversation   when loaded'));
  for (const { skill, catalogueTokens, bodyTokens } of reports) {
    io.print(`  ${plain(qualifiedName(skill)).padEnd(28)} ${String(catalogueTokens).padStart(10)} ${String(bodyTokens).padStart(13)}`);
  }
  io.print(`  ${'the catalogue'.padEnd(28)} ${String(tokens(catalogueOf(snapshot, UNLIMITED_VIEW).entries)).padStart(10)}`);
  io.print('');
  io.print(`${plural(snapshot.skills.length, 'skill')}, ${plural(errors, 'error')}, ${plural(problems.length - errors, 'warning')}`);
}
