/** `footbridge doctor`: checks everything, and prints a report. */

import type { LoginValidity } from '../../sources/upstream/sign-in/login-options.js';
import { modelText } from '../host-reach.js';
import { hostViews } from '../host-views.js';
import type { Io } from '../io.js';
import { askForTrust, type CommonOptions } from '../options.js';
import { withProgress } from '../progress.js';
import type { Address } from '../serve-http.js';
import { grouped, plain, plural } from '../terminal.js';
import { checkConfiguration, checkListening, checkLock, checkPacks, checkProgram, checkSkills } from './checks.js';
import { type Cleanup, createCleanup } from './cleanup.js';
import type { Finding, Section, Severity } from './finding.js';
import { checkHosts, type HostReport, isFirstWithoutEntry } from './hosts.js';
import { routeText } from './routes.js';
import { checkServers, type ServerReport } from './servers.js';
import { toolSearchText } from './tool-search.js';

/** Returns 1 on errors. Changes nothing, and ends everything it started. */
export async function doctor(options: DoctorOptions, io: Io): Promise<number> {
  await askForTrust(options, io);
  const cleanup = createCleanup();
  try {
    const report = await withProgress('checking…', (show) => examine(options, cleanup, (what) => show(`checking ${what}…`), io), io);
    if (options.json === true) io.printJson(toJson(report));
    else printReport(report, io);
    return countOf(report, 'error') > 0 ? 1 : 0;
  } finally {
    await cleanup.run();
  }
}

type Mark = Severity | 'ok';

const IN_WORDS: Readonly<Record<Mark, string>> = { ok: 'ok     ', info: 'info   ', warning: 'warning', error: 'error  ' };

/** Symbols at a terminal, otherwise words, which are easier to search for. */
function marksFor({ colors, stdout }: Io): Readonly<Record<Mark, string>> {
  if (stdout.isTTY !== true) return IN_WORDS;
  return { ok: colors.green('✓'), info: colors.dim('·'), warning: colors.yellow('!'), error: colors.red('✗') };
}

export function printReport(report: Report, io: Io): void {
  const section = (title: string, { findings }: Section<unknown>, good: readonly string[], otherwise?: string) =>
    printSection(title, findings, good, otherwise, io);
  const { configuration, folders, hosts, http, lock, packs, program, servers, skills } = report;
  const { node, platform, protocols, version } = program.data;
  section('Footbridge', program, [
    `Footbridge ${version}`,
    `Node ${node.version} (${node.path}), ${platform}`,
    `MCP ${protocols.join(', ')}`,
  ]);
  section(
    'Configuration',
    configuration,
    configuration.data.good ? [configuration.data.file ?? 'no footbridge.json, so the defaults apply'] : [],
  );
  section(
    'Folders',
    folders,
    folders.data.filter(({ exists }) => exists).map(({ folder, skills: count }) => `${folder}: ${plural(count, 'skill')}`),
    'No standard folder exists yet. The usual one is ./.agents/skills.',
  );
  const { catalogue, served } = skills.data;
  section(
    'Skills',
    skills,
    served === 0 ? [] : [`${plural(served, 'skill')} served, ${grouped(catalogue.named)} named in the catalogue`],
    'No skills yet. Create one with footbridge init NAME.',
  );
  if (packs.data.length > 0)
    section(
      'Packs',
      packs,
      packs.data.filter(({ loaded }) => loaded).map(({ name }) => name),
    );
  if (servers.data.length > 0) section('Servers', servers, servers.data.filter(({ reached }) => reached).map(serverLine));
  if (lock !== undefined) section('Lock', lock, lock.data.state === 'good' ? [`${lock.data.file} matches`] : []);
  if (http !== undefined) section('HTTP', http, http.data.state === 'free' ? [`${http.data.address} is free`] : []);
  section(
    'Hosts',
    hosts,
    hosts.data.flatMap((report) => hostLines(report, isFirstWithoutEntry(report, hosts.data))),
    'No installed host found. Add Footbridge to one with footbridge install --host NAME.',
  );
  const [errors, warnings] = [countOf(report, 'error'), countOf(report, 'warning')];
  io.print(`${plural(errors, 'error')}, ${plural(warnings, 'warning')}`);
}

/** `otherwise` is printed where nothing works and nothing was found. */
function printSection(title: string, findings: readonly Finding[], good: readonly string[], otherwise: string | undefined, io: Io): void {
  const marks = marksFor(io);
  io.print(io.colors.bold(title));
  for (const text of good) io.printItem(`  ${marks.ok} `, plain(text));
  for (const each of findings) printFinding(each, marks[each.severity], io);
  if (good.length + findings.length === 0 && otherwise !== undefined) io.printItem(`  ${marks.info} `, otherwise);
  io.print('');
}

function printFinding({ action, code, details = [], message, where }: Finding, mark: string, io: Io): void {
  const { colors, stdout } = io;
  const indent = ' '.repeat(stdout.isTTY === true ? 4 : 10);
  io.printItem(`  ${mark} `, `${plain(where)}: ${plain(message)}  ${colors.dim(code)}`);
  for (const line of details) io.printItem(`${indent}${colors.dim('| ')}`, colors.dim(plain(line)));
  io.printItem(`${indent}→ `, plain(action));
}

function serverLine(server: ServerReport): string {
  const { login, ms, name, prompts = 0, resources = 0, revision, skills = 0, templates = 0, title, tools = 0, version } = server;
  const counts = [
    plural(tools, 'tool'),
    ...(resources > 0 ? [plural(resources, 'resource')] : []),
    ...(templates > 0 ? [plural(templates, 'template')] : []),
    ...(prompts > 0 ? [plural(prompts, 'prompt')] : []),
    ...(skills > 0 ? [plural(skills, 'skill')] : []),
  ].join(', ');
  const self = [title, version].filter((text) => text !== undefined && text !== '').join(' ');
  return `${name}: ${self === '' ? '' : `${self}, `}MCP ${revision ?? 'unknown version'}, ${grouped(ms)} ms, ${counts}${login === undefined ? '' : `; ${loginText(login)}`}`;
}

/** Without an entry, what the model would see. */
function hostLines({ addition, entries, expected, file, profile, title }: HostReport, isFirst: boolean): readonly string[] {
  if (isFirst && expected !== undefined)
    return [`${title} with Footbridge: ${modelText(expected)} (${profile})`, ...(addition === undefined ? [] : [addition])];
  return entries.flatMap(({ model, ms = 0, name, sees = [], state, toolSearch, tools = 0 }) => {
    if (state !== 'works') return [];
    const routes = sees.map(routeText).join('; ');
    return [
      `${title}, ${file}: ${name} starts in ${grouped(ms)} ms with ${plural(tools, 'tool')}${routes === '' ? '' : `: ${routes}`}`,
      ...(model === undefined ? [] : [`${title}: ${modelText(model)} (${profile})`]),
      ...(toolSearch === undefined ? [] : [`${title}: ${toolSearchText(toolSearch)}`]),
      ...(addition === undefined ? [] : [addition]),
    ];
  });
}

function loginText({ expiresAt, isRenewed, keyIn }: LoginValidity): string {
  const place = keyIn === 'keychain' ? ', key in the system keychain' : '';
  if (isRenewed) return `signed in, renewed automatically${place}`;
  return `${expiresAt === undefined ? 'signed in' : `signed in until ${new Date(expiresAt).toISOString()}`}${place}`;
}

interface DoctorOptions extends CommonOptions {
  /** Empty for all installed hosts. */
  readonly host: readonly string[];
  readonly http?: Address;
  /** In seconds, for each answer of a host's entry. */
  readonly timeout: number;
}

type Report = Awaited<ReturnType<typeof examine>>;

/** `progress` receives the name of each step. Hosts come last and alone, since their starts are timed. */
async function examine(options: DoctorOptions, cleanup: Cleanup, progress: (what: string) => void, io: Io) {
  progress('configuration');
  const { config, section: configuration } = await checkConfiguration(options.config, io);
  progress('folders and servers');
  const [servers, { packs, skills }, http] = await Promise.all([
    checkServers(config, cleanup, io),
    checkPacks(config, options.pack, cleanup, io).then(async ({ section, sources }) => ({
      packs: section,
      skills: await checkSkills(config, options.skills, sources, io),
    })),
    options.http === undefined ? undefined : checkListening(options.http, config),
  ]);
  progress('lock');
  const lock = configuration.data.good && packs.findings.length === 0 ? await checkLock(options, config, io) : undefined;
  const { snapshot, ...sections } = skills;
  const hosts = await checkHosts({
    io,
    named: options.host,
    timeoutMs: options.timeout * 1000,
    servers: servers.data,
    snapshot,
    hosts: hostViews(config, {}, io).hosts,
    cleanup,
    progress,
  });
  return { program: checkProgram(io), configuration, ...sections, packs, servers, lock, http, hosts };
}

function findingsOf(report: Report): readonly Finding[] {
  const { configuration, folders, hosts, http, lock, packs, program, servers, skills } = report;
  const sections = [program, configuration, folders, skills, packs, servers, lock, http, hosts];
  return sections.flatMap((section) => section?.findings ?? []);
}

function countOf(report: Report, severity: Finding['severity']): number {
  return findingsOf(report).filter((each) => each.severity === severity).length;
}

/** The report for `--json`. Its keys are stable. */
function toJson(report: Report) {
  const { configuration, folders, hosts, http, lock, packs, program, servers, skills } = report;
  return {
    ...program.data,
    cache: program.data.cache ?? null,
    configuration: { file: configuration.data.file ?? null, good: configuration.data.good },
    folders: folders.data,
    skills: skills.data,
    servers: servers.data,
    packs: packs.data,
    lock: lock?.data,
    hosts: hosts.data.map(({ hasProject: _hasProject, ...host }) => ({ ...host, entries: host.entries.map(entryOf) })),
    http: http?.data,
    findings: findingsOf(report),
    errors: countOf(report, 'error'),
    warnings: countOf(report, 'warning'),
  };
}

function entryOf({ sees, ...entry }: Report['hosts']['data'][number]['entries'][number]) {
  return sees === undefined ? entry : { ...entry, sees: sees.map((route) => ({ ...route, text: routeText(route) })) };
}
