/** Checks skills, fixes what can be fixed, and prints the findings. */
import { Catalog } from '../../catalog/catalog.js';
import type { Snapshot } from '../../catalog/snapshot.js';
import { silentLog } from '../../log.js';
import { qualifiedName, skillUri } from '../../sources/skill-uri.js';
import { skillFolders } from '../../sources/skills/index.js';
import type { Notice } from '../../sources/source.js';
import { catalogueOf } from '../../surfaces/catalogue/index.js';
import { CATALOGUE_BUDGET, UNLIMITED_VIEW } from '../../surfaces/hosts/view.js';
import { checkNamed } from '../config/index.js';
import type { Io } from '../io.js';
import { type CommonOptions, type OpenedCatalog, openCatalog } from '../options.js';
import { openingSources, withProgress } from '../progress.js';
import { type SkillReport, skillProblems } from '../skill-problems.js';
import { grouped, plain, plural, tokens } from '../terminal.js';
import { fixProblems } from './fix.js';
import { githubLines, sarifLog } from './formats.js';
import { codeFrame } from './frame.js';
import { type PlacedProblem, placedProblems, placeText } from './placed.js';

interface LintOptions extends CommonOptions {
  readonly fix?: boolean;
  readonly format: 'text' | 'json' | 'github' | 'sarif';
}

/** Returns 1 on errors. */
export async function lint(folders: readonly string[], options: LintOptions, io: Io): Promise<number> {
  if (folders.length > 0) await checkNamed(options.config, io);
  let found = await examine(folders, options, io);
  const fixed = options.fix === true ? fixProblems(found.problems) : 0;
  if (fixed > 0) found = await examine(folders, options, io);
  const errors = found.problems.filter(({ severity }) => severity === 'error').length;
  print({ ...found, problems: placedProblems(found.problems, io), errors, fixed }, options, io);
  return errors > 0 ? 1 : 0;
}

interface Examined {
  readonly snapshot: Snapshot;
  readonly reports: readonly SkillReport[];
  readonly problems: readonly Notice[];
}

async function examine(folders: readonly string[], options: CommonOptions, io: Io): Promise<Examined> {
  const { catalog, end } = folders.length > 0 ? await foldersAlone([...folders, ...options.skills], io) : await configured(options, io);
  try {
    const { problems, reports } = await skillProblems(catalog, io, true);
    return { snapshot: catalog.snapshot, reports, problems: folders.length > 0 ? problems.map(strict) : problems };
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

interface LintReport {
  readonly snapshot: Snapshot;
  readonly reports: readonly SkillReport[];
  readonly problems: readonly PlacedProblem[];
  readonly errors: number;
  readonly fixed: number;
}

function print(report: LintReport, { format, json }: LintOptions, io: Io): void {
  if (json === true || format === 'json') io.printJson(toJson(report));
  else if (format === 'sarif') io.printJson(sarifLog(report.problems));
  else if (format === 'github') for (const line of githubLines(report.problems)) io.printExactly(plain(line));
  else printReport(report, io);
}

/** Skills and folders that are not served because of a problem. */
function skippedIn(problems: readonly Notice[]): number {
  return new Set(problems.filter(({ skipped }) => skipped === true).map(({ file }) => file)).size;
}

function toJson({ errors, fixed, problems, reports, snapshot }: LintReport) {
  const { described, entries, named } = catalogueOf(snapshot, UNLIMITED_VIEW);
  return {
    problems: problems.map(({ place, lines: _lines, ...problem }) => ({ ...problem, ...place })),
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
    skipped: skippedIn(problems),
    fixed,
  };
}

function printReport({ errors, fixed, problems, reports, snapshot }: LintReport, io: Io): void {
  const { colors } = io;
  for (const problem of problems) printProblem(problem, io);
  const catalogue = tokens(catalogueOf(snapshot, UNLIMITED_VIEW).entries);
  io.printTable(
    [
      { title: 'TOKENS (APPROX.)', shrinks: true },
      { title: 'IN EVERY CONVERSATION', align: 'right' },
      { title: 'WHEN LOADED', align: 'right' },
    ],
    [
      ...reports.map(({ skill, catalogueTokens, bodyTokens }) => [
        plain(qualifiedName(skill)),
        grouped(catalogueTokens),
        grouped(bodyTokens),
      ]),
      ['the catalogue', grouped(catalogue), ''],
    ],
  );
  io.print('');
  const skipped = skippedIn(problems);
  const counts = [
    plural(snapshot.skills.length, 'skill'),
    plural(errors, 'error'),
    plural(problems.length - errors, 'warning'),
    ...(skipped === 0 ? [] : [`${grouped(skipped)} skipped`]),
    ...(fixed === 0 ? [] : [colors.green(`${grouped(fixed)} fixed`)]),
  ];
  io.print(counts.join(', '));
}

function printProblem(problem: PlacedProblem, io: Io): void {
  const { action, file, lines, message, place, rule, severity } = problem;
  const { colors } = io;
  const name = placeText(problem);
  io.print(lines === undefined ? colors.bold(name) : io.fileLink(colors.bold(name), io.path(file)));
  const mark = severity === 'error' ? colors.red('error') : colors.yellow('warning');
  io.printItem(`  ${mark}  `, `${plain(message)}  ${colors.dim(rule)}`);
  if (place !== undefined && lines !== undefined) for (const line of codeFrame(lines, place, io)) io.printExactly(`  ${line}`);
  io.printItem('  → ', plain(action));
  io.print('');
}
