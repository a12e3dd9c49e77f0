/** The report for scripts. */
import { countOf, findingsOf, type Report } from './report.js';
import { roadText } from './seen.js';

/** The report as one object; its keys stay the same from version to version. */
export function toJson(report: Report) {
  const { configuration, folders, hosts, http, lock, packs, program, servers, skills } = report;
  const { cache, node, platform, protocols, version } = program.data;
  return {
    version,
    node,
    platform,
    protocols,
    cache: cache ?? null,
    configuration: { file: configuration.data.file ?? null, good: configuration.data.good },
    folders: folders.data,
    skills: skills.data,
    servers: servers.data,
    packs: packs.data,
    ...(lock === undefined ? {} : { lock: lock.data }),
    hosts: hosts.data.map(({ hasProject: _hasProject, ...host }) => ({ ...host, entries: host.entries.map(entryOf) })),
    ...(http === undefined ? {} : { http: http.data }),
    findings: findingsOf(report),
    errors: countOf(report, 'error'),
    warnings: countOf(report, 'warning'),
  };
}

function entryOf({ sees, ...entry }: Report['hosts']['data'][number]['entries'][number]) {
  return sees === undefined ? entry : { ...entry, sees: sees.map((route) => ({ ...route, text: roadText(route) })) };
}
