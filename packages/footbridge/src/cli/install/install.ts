/** `footbridge install`: adds Footbridge to the configuration of MCP hosts, and wraps their servers. */
import { existsSync } from 'node:fs';
import { nearest } from '../../catalog/near.js';
import { silentLog } from '../../log.js';
import { additionText, clientNameOf } from '../host-reach.js';
import { hostViews } from '../host-views.js';
import {
  allHosts,
  type HostEntry,
  type HostPlace,
  hostList,
  hostPlace,
  type McpHost,
  namedHosts,
  presentPlaces,
  readHostFile,
} from '../hosts/index.js';
import { isHome } from '../hosts/registry.js';
import type { Io } from '../io.js';
import { type CommonOptions, openCatalog } from '../options.js';
import { withProgress } from '../progress.js';
import { plain } from '../terminal.js';
import { type Program, selfCommand, startWords, thisProgram } from '../this-program.js';
import { trustEntries } from '../trust/entries.js';
import { offerFolder } from '../trust/index.js';
import { type CarryOutOptions, carryOut } from './carry-out.js';
import { type FileChange, groupedByFile } from './change.js';
import { type InstallRequest, isTeamEntry, OUR_NAME, planInstall, TEAM_NAME } from './plan-install.js';
import { planUninstall } from './plan-uninstall.js';
import { readRecord, recordFile, removeRecord } from './record.js';
import { teamEntry, teamNotes, teamServer } from './team-entry.js';
import { isSameValue } from './text/index.js';
import { writeInstall, writeUninstall } from './write.js';

interface InstallOptions extends CommonOptions, CarryOutOptions, TargetOptions {
  /** `all` and `*` mean every server. */
  readonly wrap?: readonly string[];
  /** A team server to connect to, instead of starting Footbridge. */
  readonly url?: string;
  readonly tokenEnv?: string;
}

/** Returns the exit code. Throws for invalid options. */
export async function install(options: InstallOptions, io: Io): Promise<number> {
  const folder = io.cwd;
  const team = teamServer(options);
  const targets = await targetsOf(options, folder, () => presentHosts(folder, options.global === true));
  if (targets.places.length === 0) throw new Error(await nothingFound(targets));
  const names = options.wrap ?? [];
  const isAll = names.includes('all') || names.includes('*');
  if (!isAll) await refuseMissing(names, targets);
  const program = thisProgram();
  const start = (args: readonly string[]) => startWords(program, args);
  const [command = '', ...args] = start(entryArguments(options, io));
  const request: InstallRequest = {
    folder,
    start,
    name: team === undefined ? OUR_NAME : TEAM_NAME,
    own: async (place) => (team === undefined ? { server: { command, args } } : teamEntry(place, team, start)),
    isWrapped: (name: string) => isAll || names.includes(name),
  };
  const changes = await withProgress(
    'looking at hosts…',
    async (show) => {
      const planned: FileChange[] = [];
      for (const { places, real } of await groupedByFile(targets.places)) {
        show(`looking at ${places[0].host.title}…`);
        planned.push(await planInstall(places, real, request));
      }
      return planned;
    },
    io,
  );
  const code = await carryOut(
    changes,
    options,
    {
      notes: [...notesOn(changes, targets, program), ...(team === undefined ? [] : await teamNotes(changes, team, request, io))],
      done: [...doneTexts(changes, options.global === true, io), ...(team === undefined ? await additions(changes, options, io) : [])],
    },
    (change) => writeInstall(change, io),
    io,
  );
  if (code === 0 && options.global !== true && options.dryRun !== true) await trustInstalled(changes, request, options, io);
  return code;
}

/** The entry that was asked for may be started by `doctor`; anything else of the project only if the person agrees. */
async function trustInstalled(changes: readonly FileChange[], request: InstallRequest, options: InstallOptions, io: Io): Promise<void> {
  const ours: HostEntry[] = [];
  for (const { places } of changes) {
    const [place] = places;
    const file = await readHostFile(place);
    const { server: wanted } = await request.own(place);
    const isWanted = ({ name, server }: HostEntry) =>
      name === request.name &&
      (server.kind === 'url'
        ? server.url === wanted.url
        : server.kind === 'command' &&
          Object.keys(server.env).length === 0 &&
          isSameValue([server.command, ...server.args], [wanted.command, ...(wanted.args ?? [])]));
    if (file.ok) ours.push(...file.entries.filter(isWanted));
  }
  await trustEntries(ours, io);
  if (options.json !== true) await offerFolder(options.yes === true, io);
}

/** What some hosts require before they use a project configuration. */
const APPROVAL: Readonly<Record<string, string>> = {
  'claude-code': 'Claude Code asks once whether to trust the servers of this project: start it in this folder.',
  'github-copilot-cli': 'GitHub Copilot CLI uses it once you have trusted this folder.',
  'kimi-code': 'Kimi Code uses it once you have trusted this folder.',
};

function doneTexts(changes: readonly FileChange[], isGlobal: boolean, io: Io): readonly string[] {
  const hosts = changes.filter(({ action }) => action !== 'refused').flatMap(({ places }) => places.map(({ host }) => host.id));
  return [
    '',
    `Restart the host to apply the change. To undo it, run: ${selfCommand(io)} uninstall${isGlobal ? ' --global' : ''}`,
    ...(isGlobal ? [] : hosts.flatMap((id) => APPROVAL[id] ?? [])),
  ];
}

/** What Footbridge adds for hosts that read some of the skill folders themselves. */
async function additions(changes: readonly FileChange[], options: InstallOptions, io: Io): Promise<readonly string[]> {
  const names = changes
    .filter(({ action }) => action !== 'refused')
    .flatMap(({ places }) => places.flatMap(({ host }) => clientNameOf(host.id) ?? []));
  if (names.length === 0) return [];
  const { catalog, config, end } = await openCatalog(options, { watch: false, log: silentLog, servers: false }, io);
  try {
    const { hosts } = hostViews(config, options, io);
    const servers = Object.keys(config.mcpServers).length;
    const texts = names.flatMap((name) => additionText(hosts.of(name, true), catalog.snapshot, servers) ?? []);
    return [...new Set(texts)].map((text) => plain(`${text}.`));
  } finally {
    await end();
  }
}

/** Arguments of our entry. A global configuration needs absolute paths. */
function entryArguments({ config, global: isGlobal, pack, prompts, skills }: InstallOptions, io: Io): readonly string[] {
  // `~/` is valid everywhere.
  const path = (given: string) => (isGlobal === true && !given.startsWith('~/') ? io.path(given) : given);
  const packName = (given: string) => (/^\.{1,2}[\\/]/.test(given) ? path(given) : given);
  return [
    ...skills.flatMap((each) => ['--skills', path(each)]),
    ...(config === undefined ? [] : ['--config', path(config)]),
    ...pack.flatMap((each) => ['--pack', packName(each)]),
    ...(prompts === true ? ['--prompts'] : []),
  ];
}

function notesOn(changes: readonly FileChange[], { globalOnly, places }: Targets, { isPublished }: Program): readonly string[] {
  const isWrapping = changes.some(({ wrapped }) => Object.keys(wrapped).length > 0);
  return [
    ...(globalOnly.length === 0
      ? []
      : [`No project configuration: ${globalOnly.map(({ title }) => title).join(', ')}. Use --global for these hosts.\n`]),
    ...(isPublished || places.every(({ scope }) => scope === 'global')
      ? []
      : ['The entry contains paths of this machine. Do not share these files.\n']),
    ...(isWrapping
      ? [
          'A wrapped server inherits the variables of its entry and a few safe ones, such as PATH and HOME. If it needs another,\nadd "--env", "NAME" before "--" in the arguments of its entry.\n',
        ]
      : []),
  ];
}

async function nothingFound({ globalOnly }: Targets): Promise<string> {
  const list = `Name one with --host NAME: ${await hostList()}`;
  return globalOnly.length > 0
    ? `The installed hosts have no project configuration: ${globalOnly.map(({ title }) => title).join(', ')}. Use --global. ${list}`
    : `No installed MCP host was found. ${list}`;
}

/** Throws if no host has a server of this name. */
async function refuseMissing(names: readonly string[], { places }: Targets): Promise<void> {
  if (names.length === 0) return;
  const files = await Promise.all(places.map((place) => readHostFile(place)));
  // An unreadable file may contain it.
  if (files.some(({ ok }) => !ok)) return;
  const known = new Set(files.flatMap((file) => (file.ok ? file.entries.map(({ name }) => name) : [])));
  const missing = names.find((name) => !known.has(name));
  if (missing === undefined) return;
  const near = nearest(missing, known);
  const hint = near.length > 0 ? ` Did you mean ${near.map(plain).join(' or ')}?` : '';
  const all = known.size === 0 ? 'These configurations contain no servers.' : `Available: ${[...known].map(plain).join(', ')}`;
  throw new Error(`--wrap: server "${missing}" not found.${hint} ${all}`);
}

/** Returns the exit code. Throws for invalid options. */
export async function uninstall(options: CarryOutOptions & TargetOptions, io: Io): Promise<number> {
  const { places } = await targetsOf(options, io.cwd, allHosts);
  const present = new Set((await presentHosts(io.cwd, options.global === true)).map(({ id }) => id));
  const changes: FileChange[] = [];
  for (const group of await groupedByFile(places)) {
    const isRecorded = existsSync(recordFile(group.real, io));
    // Hosts that are not installed may share the file with installed ones.
    const here = group.places.filter(({ host }) => present.has(host.id));
    const [first, ...others] = here.length > 0 ? here : group.places;
    if (first === undefined || !(isRecorded || (here.length > 0 && (await hasOurs(first))))) continue;
    changes.push(await planUninstall([first, ...others], group.real, io));
  }
  if (options.dryRun !== true) await forget(changes, io);
  if (changes.length > 0) return carryOut(changes, options, { notes: [], done: [] }, (change) => writeUninstall(change, io), io);
  if (options.json === true) io.printJson({ changes: [], written: false });
  else
    io.print(
      `These configurations contain nothing from Footbridge.${options.global === true ? '' : ' For your global configuration, use --global.'}`,
    );
  return 0;
}

/** An unreadable file is reported only if a record shows that it is ours. */
async function hasOurs(place: HostPlace): Promise<boolean> {
  const file = await readHostFile(place);
  return file.ok && file.entries.some((entry) => entry.isFootbridge || isTeamEntry(entry));
}

/** Removes records of files without our entries. The record of a deleted file is its only copy, and stays. */
async function forget(changes: readonly FileChange[], io: Io): Promise<void> {
  for (const { action, before, real } of changes) {
    const isAllThatIsLeft = before === undefined && (await readRecord(real, io))?.existed === true;
    if (action === 'none' && !isAllThatIsLeft) await removeRecord(real, io);
  }
}

interface TargetOptions {
  /** Default: all installed hosts. */
  readonly host?: readonly string[];
  readonly global?: boolean;
}

interface Targets {
  readonly places: readonly HostPlace[];
  /** Installed hosts without project configurations. */
  readonly globalOnly: readonly McpHost[];
}

/** Throws if a name is unknown or the scope unsupported. `present` returns the hosts used without names. */
async function targetsOf(options: TargetOptions, folder: string, present: () => Promise<readonly McpHost[]>): Promise<Targets> {
  const scope = options.global === true ? 'global' : 'project';
  if (scope === 'project' && isHome(folder))
    throw new Error('This is your home folder, not a project. Change to a project folder, or use --global.');
  const named = await namedHosts(options.host ?? []);
  const wrong = scope === 'project' ? named.find(({ hasProject }) => !hasProject) : undefined;
  if (wrong !== undefined) throw new Error(`${wrong.title} has no project configuration. Use --global.`);
  const hosts = named.length > 0 ? named : await present();
  const places = await Promise.all(hosts.map((host) => hostPlace(host, scope, folder)));
  return {
    places: places.filter((place) => place !== undefined),
    globalOnly: scope === 'project' ? hosts.filter(({ hasProject }) => !hasProject) : [],
  };
}

/** Installed hosts; for a project also those with files in it. */
async function presentHosts(folder: string, isGlobal: boolean): Promise<readonly McpHost[]> {
  const places = (await presentPlaces(folder)).filter(({ scope }) => !isGlobal || scope === 'global');
  return [...new Map(places.map(({ host }) => [host.id, host])).values()];
}
