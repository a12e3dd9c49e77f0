/** All that `doctor` looks at, put together. */
import type { Address } from '../commands/serve-http.js';
import type { Io } from '../io.js';
import type { CommonOptions } from '../options.js';
import { type ConfigurationReport, checkConfiguration } from './configuration.js';
import type { Ending } from './ending.js';
import type { Finding, Section } from './finding.js';
import { checkSkills, type FolderReport, type SkillsReport } from './folders.js';
import { checkHosts, type HostReport } from './hosts.js';
import { checkListening, type ListeningReport } from './listening.js';
import { checkLock, type LockReport } from './lock.js';
import { checkPacks, type PackReport } from './packs.js';
import { checkProgram, type ProgramReport } from './program.js';
import { checkServers, type ServerReport } from './servers.js';

export interface DoctorOptions extends CommonOptions {
  /** Hosts to look at; all that are here when it is empty. */
  readonly host: readonly string[];
  /** Where `serve --http` is to listen. */
  readonly http?: Address;
  /** Seconds that each answer of what a host starts may take. */
  readonly timeout: number;
}

export interface Report {
  readonly program: Section<ProgramReport>;
  readonly configuration: Section<ConfigurationReport>;
  readonly folders: Section<readonly FolderReport[]>;
  readonly skills: Section<SkillsReport>;
  readonly packs: Section<readonly PackReport[]>;
  readonly servers: Section<readonly ServerReport[]>;
  readonly lock?: Section<LockReport>;
  readonly http?: Section<ListeningReport>;
  readonly hosts: Section<readonly HostReport[]>;
}

/** `progress` is told what is being looked at. Hosts come last and alone: their starts are timed. */
export async function examine(options: DoctorOptions, ending: Ending, progress: (what: string) => void, io: Io): Promise<Report> {
  progress('configuration');
  const { config, section: configuration } = await checkConfiguration(options.config, io);
  progress('folders and servers');
  const [servers, { packs, skills }, http] = await Promise.all([
    checkServers(config, ending),
    checkPacks(config, options.pack, ending, io).then(async ({ section, sources }) => ({
      packs: section,
      skills: await checkSkills(config, options.skills, sources, io),
    })),
    options.http === undefined ? undefined : checkListening(options.http, config),
  ]);
  progress('lock');
  const lock = configuration.data.good && packs.findings.length === 0 ? await checkLock(options, config, io) : undefined;
  const hosts = await checkHosts({
    io,
    named: options.host,
    timeoutMs: options.timeout * 1000,
    servers: servers.data,
    ending,
    progress,
  });
  return {
    program: checkProgram(io),
    configuration,
    ...skills,
    packs,
    servers,
    ...(lock === undefined ? {} : { lock }),
    ...(http === undefined ? {} : { http }),
    hosts,
  };
}

/** What is to be said, in the order of the report. */
export function findingsOf(report: Report): readonly Finding[] {
  const { configuration, folders, hosts, http, lock, packs, program, servers, skills } = report;
  const sections = [program, configuration, folders, skills, packs, servers, lock, http, hosts];
  return sections.flatMap((section) => section?.findings ?? []);
}

/** How many findings are as grave as this. */
export function countOf(report: Report, severity: Finding['severity']): number {
  return findingsOf(report).filter((each) => each.severity === severity).length;
}
