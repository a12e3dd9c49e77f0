/** The installed hosts: whether each has an entry for Footbridge, whether that works, and what the host then sees. */
import { resolve } from 'node:path';
import { isLoopbackName } from '../../outgoing/loopback-name.js';
import { isOwnTool } from '../../surfaces/tools/index.js';
import { clientNameOf, type ModelView } from '../host-reach.js';
import {
  type HostEntry,
  type HostPlace,
  type McpHost,
  namedHosts,
  presentPlaces,
  readHostFile,
  type Startable,
  shortName,
  whatIsMissing,
} from '../hosts/index.js';
import type { Io } from '../io.js';
import { shortPath } from '../skill-problems.js';
import { grouped, plural } from '../terminal.js';
import { isOurs, isTrustedEntry } from '../trust/entries.js';
import type { Cleanup } from './cleanup.js';
import { type Finding, failureCode, finding, type Section } from './finding.js';
import { type HostReach, type LocalContent, modelOf, reachOf, viewOfEntry } from './reach.js';
import { type ContentRoute, routesTo, supportOf } from './routes.js';
import type { ServerReport } from './servers.js';
import { type StartOutcome, start } from './start.js';
import { type ToolSearchReport, toolSearchOf } from './tool-search.js';

interface EntryReport {
  readonly name: string;
  readonly state: 'works' | 'fails' | 'disabled' | 'untried';
  /** Until it had listed its tools. */
  readonly ms?: number;
  readonly version?: string;
  readonly revision?: string;
  readonly tools?: number;
  readonly sees?: readonly ContentRoute[];
  /** What its model learns of the skills; absent without the tool `skill`. */
  readonly model?: ModelView;
  /** How its model gets the tools of configured servers; absent without any. */
  readonly toolSearch?: ToolSearchReport;
}

export interface HostReport extends HostReach {
  readonly id: string;
  readonly title: string;
  readonly hasProject: boolean;
  readonly scope: HostPlace['scope'];
  readonly file: string;
  readonly state: 'no-file' | 'broken' | 'without' | 'configured';
  readonly entries: readonly EntryReport[];
}

interface HostsOptions extends LocalContent {
  /** Empty for all. */
  readonly named: readonly string[];
  readonly timeoutMs: number;
  /** The configured upstreams: a single one lends us its name, and slow ones slow us down. */
  readonly servers: readonly ServerReport[];
  readonly cleanup: Cleanup;
  readonly progress: (what: string) => void;
}

/** After this Codex calls its model without the tools of a server. */
const SLOW_MS = 1500;
const SLOW_SERVER_MS = 1000;

/** One after the other, since each start is timed. */
export async function checkHosts(options: HostsOptions): Promise<Section<readonly HostReport[]>> {
  const hosts = await namedHosts(options.named);
  const places = (await presentPlaces(options.io.cwd)).filter(({ host }) => hosts.length === 0 || hosts.some(({ id }) => id === host.id));
  const absent = hosts.filter(({ id }) => !places.some(({ host }) => host.id === id));
  const data: HostReport[] = [];
  const findings: Finding[] = absent.map(({ title }) => finding('warning', 'host-absent', title, `${title} is not installed.`));
  const starts = new Map<string, Promise<StartOutcome>>();
  const started: Started = (server, folder, clientName) => {
    const key = JSON.stringify([server, folder, clientName]);
    const running = starts.get(key) ?? start(server, folder, clientName, options.timeoutMs, options.cleanup, options.io);
    starts.set(key, running);
    return running;
  };
  for (const place of places) {
    const { found, report } = await checkPlace(place, options, started);
    data.push(report);
    findings.push(...found);
  }
  return { data, findings: [...findings, ...withoutEntry(data)] };
}

/** Whether a report is the first of a host that has no entry for Footbridge. */
export function isFirstWithoutEntry(report: HostReport, hosts: readonly HostReport[]): boolean {
  const all = hosts.filter(({ id }) => id === report.id);
  return all[0] === report && all.every(({ state }) => state !== 'configured' && state !== 'broken');
}

function withoutEntry(hosts: readonly HostReport[]): readonly Finding[] {
  return hosts
    .filter((report) => isFirstWithoutEntry(report, hosts))
    .map(({ file, hasProject, id, title }) => {
      const command = `footbridge install --host ${id}`;
      const action = hasProject
        ? `Add one with ${command}, for this project, or with --global for all.`
        : `Add one with ${command} --global.`;
      return finding('info', 'host-none', `${title}, ${file}`, 'No entry for Footbridge.', { action });
    });
}

type Started = (server: Startable, folder: string, clientName: string | undefined) => Promise<StartOutcome>;

async function checkPlace(
  place: HostPlace,
  options: HostsOptions,
  started: Started,
): Promise<{ readonly report: HostReport; readonly found: readonly Finding[] }> {
  const { exists, host, scope } = place;
  const file = scope === 'project' ? shortPath(place.file, options.io) : shortName(place.file);
  const report = {
    id: host.id,
    title: host.title,
    ...reachOf(host, options.servers.length, options),
    hasProject: host.hasProject,
    scope,
    file,
  };
  const where = `${host.title}, ${file}`;
  const content = await readHostFile(place, options.io.cwd);
  if (!content.ok) {
    const at = content.line === undefined ? where : `${where}:${content.line}${content.column === undefined ? '' : `:${content.column}`}`;
    return { report: { ...report, state: 'broken', entries: [] }, found: [finding('error', 'host-file', at, content.problem)] };
  }
  const ours = content.entries.filter(isOurs);
  if (ours.length === 0) {
    return { report: { ...report, state: exists ? 'without' : 'no-file', entries: [] }, found: [] };
  }
  const entries: EntryReport[] = [];
  const found: Finding[] = [];
  for (const entry of ours) {
    options.progress(`${host.title}: ${entry.name}`);
    const isAllowed = scope !== 'project' || entry.disabled || (await isTrustedEntry(entry, options.io));
    const checked = isAllowed
      ? await checkEntry(entry, host, `${where}: ${entry.name}`, options, started)
      : notTrusted(entry, `${where}: ${entry.name}`);
    entries.push(checked.report);
    found.push(...checked.found);
  }
  return { report: { ...report, state: 'configured', entries }, found };
}

/** A project's file may come from anywhere. */
function notTrusted({ name }: HostEntry, where: string) {
  const message = 'Not started: the entry comes with this project, and is not trusted as it is now.';
  return { report: { name, state: 'untried' as const }, found: [finding('warning', 'host-untrusted', where, message)] };
}

async function checkEntry(
  entry: HostEntry,
  host: McpHost,
  where: string,
  options: HostsOptions,
  started: Started,
): Promise<{ readonly report: EntryReport; readonly found: readonly Finding[] }> {
  const { disabled, name, server } = entry;
  const fails = (...found: readonly Finding[]) => ({ report: { name, state: 'fails' as const }, found });
  if (disabled) return { report: { name, state: 'disabled' }, found: [finding('info', 'host-disabled', where, 'The entry is disabled.')] };
  if (server.kind === 'unknown') return fails(finding('error', 'host-entry', where, 'The entry has neither a command nor a URL.'));
  // A host without projects starts its servers elsewhere.
  const folder = host.hasProject ? options.io.cwd : options.io.home;
  const filled = filledIn(server, folder, options.io);
  if (filled.kind === 'url' && !URL.canParse(filled.url)) return fails(finding('error', 'host-entry', where, 'Invalid URL.'));
  // A value that only the host knows, such as a prompt for its user.
  if (/\$\{(?:input|command|config):/.test(JSON.stringify(filled))) {
    const message = 'Not checked: only the host can fill in one of its values.';
    return { report: { name, state: 'untried' }, found: [finding('info', 'host-untried', where, message)] };
  }
  const missing = whatIsMissing(filled, folder);
  if (missing !== undefined) return fails(finding('error', `host-${missing.kind}`, where, missing.message));
  const clientName = clientNameOf(host.id);
  const outcome = await started(filled, folder, clientName);
  if (!outcome.ok) return fails(failure(outcome, filled, where));
  if (!isFootbridge(entry, outcome, options)) {
    const what = outcome.name === '' ? 'a server without a name' : `the server "${outcome.name.slice(0, 80)}"`;
    return fails(finding('error', 'host-other', where, `The entry leads to ${what}, not to Footbridge.`));
  }
  // Configured upstreams are checked by checkServers.
  if (outcome.upstreamFailure !== undefined && filled.kind === 'command' && filled.args.includes('wrap')) {
    const { kind, message } = outcome.upstreamFailure;
    const transport = filled.args.some((each) => /^https?:\/\//i.test(each)) ? 'url' : 'command';
    return fails(finding('error', failureCode('server', kind, transport), where, message, { kind }));
  }
  const { listed, ms, revision, version } = outcome;
  const sees = routesTo(listed, supportOf(host.id));
  const view = await viewOfEntry(filled, clientName, options);
  const model = modelOf(outcome, clientName, view, options);
  const toolSearch = toolSearchOf(outcome, view, options.servers);
  return {
    report: { name, state: 'works', ms, version, revision, tools: listed.tools.length, sees, model, toolSearch },
    found: [...slow(outcome, where, options.servers), ...unreachable(sees, where)],
  };
}

function failure(
  { details, failure: { kind, message }, oldNode }: Extract<StartOutcome, { ok: false }>,
  server: Startable,
  where: string,
): Finding {
  if (oldNode !== undefined)
    return finding('error', 'host-node-version', where, `The entry starts Node ${oldNode}, which is too old for Footbridge.`);
  const code = failureCode('host', kind, server.kind);
  if (code !== 'host-unreachable' || server.kind !== 'url') return finding('error', code, where, message, { kind, details });
  const { hostname, port } = new URL(server.url);
  const start = `Start it with footbridge serve --http ${port === '' ? 'PORT' : port}.`;
  const address = `${hostname}${port === '' ? '' : `:${port}`}`;
  return finding('error', 'host-unreachable', where, `No answer at ${address}.`, {
    ...(isLoopbackName(hostname) && { action: start }),
    kind,
  });
}

/** With a single upstream we use its name, and may add none of our tools. */
function isFootbridge(entry: HostEntry, { listed, name }: Extract<StartOutcome, { ok: true }>, { servers }: HostsOptions): boolean {
  if (entry.isFootbridge || name === 'footbridge' || listed.tools.some(isOwnTool)) return true;
  return servers.length === 1 && servers[0]?.title === name;
}

function slow({ ms }: Extract<StartOutcome, { ok: true }>, where: string, servers: readonly ServerReport[]): readonly Finding[] {
  if (ms <= SLOW_MS) return [];
  const message = `It listed its tools after ${grouped(ms)} ms; some hosts call their model without them after ${grouped(SLOW_MS)} ms.`;
  const slowest = servers
    .filter((server) => server.ms > SLOW_SERVER_MS)
    .map((server) => `${server.name} took ${grouped(server.ms)} ms to start.`);
  return [finding('warning', 'host-slow', where, message, { details: slowest })];
}

function unreachable(sees: readonly ContentRoute[], where: string): readonly Finding[] {
  return sees
    .filter(({ native, tool }) => tool === null && native !== 'yes')
    .map(({ count, kind, native }) => {
      const reach = native === 'no' ? 'and the host has no other route' : 'and whether the host has another route is unknown';
      return finding('warning', 'host-road', where, `No tool gives access to ${plural(count, kind.slice(0, -1))}, ${reach}.`);
    });
}

/** Expands what hosts expand: the project, the home folder and environment variables. */
function filledIn(server: Startable, folder: string, io: Io): Startable {
  const fill = (text: string): string =>
    text
      .replace(/\$\{(?:workspaceFolder|workspaceRoot)\}/g, folder)
      .replace(/\$\{userHome\}/g, io.home)
      .replace(
        /\$\{(?:env:)?(\w{1,200})(?::-([^}]{0,1000}))?\}/g,
        (whole, name: string, fallback: string | undefined) => io.env[name] ?? fallback ?? whole,
      );
  const each = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]));
  if (server.kind === 'url') return { ...server, url: fill(server.url), headers: each(server.headers) };
  const { args, command, cwd, env } = server;
  return {
    kind: 'command',
    command: fill(command),
    args: args.map(fill),
    env: each(env),
    ...(cwd === undefined ? {} : { cwd: resolve(folder, fill(cwd)) }),
  };
}
