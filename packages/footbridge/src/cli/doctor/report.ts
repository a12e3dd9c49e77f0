/** The report of `doctor`. */
import type { Io } from '../io.js';
import type { CommonOptions } from '../options.js';
import type { Address } from '../serve-http.js';
import { checkConfiguration, checkListening, checkLock, checkPacks, checkProgram } from './checks.js';
import type { Cleanup } from './cleanup.js';
import type { Finding } from './finding.js';
import { checkSkills } from './folders.js';
import { checkHosts } from './hosts.js';
import { routeText } from './routes.js';
import { checkServers } from './servers.js';

export interface DoctorOptions extends CommonOptions {
  /** Empty for all installed hosts. */
  readonly host: readonly string[];
  readonly http?: Address;
  /** In seconds, for each answer of a host's entry. */
  readonly timeout: number;
}

export type Report = Awaited<ReturnType<typeof examine>>;

/** `progress` receives the name of each step. Hosts come last and alone, since their starts are timed. */
export async function examine(options: DoctorOptions, cleanup: Cleanup, progress: (what: string) => void, io: Io) {
  progress('configuration');
  const { config, section: configuration } = await checkConfiguration(options.config, io);
  progress('folders and servers');
  const [servers, { packs, skills }, http] = await Promise.all([
    checkServers(config, cleanup),
    checkPacks(config, options.pack, cleanup, io).then(async ({ section, sources }) => ({
      packs: section,
      skills: await checkSkills(config, options.skills, sources, io),
    })),
    options.http === undefined ? undefined : checkListening(options.http, config),
  ]);
  progress('lock');
  const lock = configuration.data.good && packs.findings.length === 0 ? await checkLock(options, config, io) : undefined;
  const hosts = await checkHosts({ io, named: options.host, timeoutMs: options.timeout * 1000, servers: servers.data, cleanup, progress });
  return { program: checkProgram(io), configuration, ...skills, packs, servers, lock, http, hosts };
}

function findingsOf(report: Report): readonly Finding[] {
  const { configuration, folders, hosts, http, lock, packs, program, servers, skills } = report;
  const sections = [program, configuration, folders, skills, packs, servers, lock, http, hosts];
  return sections.flatMap((section) => section?.findings ?? []);
}

export function countOf(report: Report, severity: Finding['severity']): number {
  return findingsOf(report).filter((each) => each.severity === severity).length;
}

/** The report for `--json`. Its keys are stable. */
export function toJson(report: Report) {
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
