/** `footbridge install`: adds Footbridge to the configuration of MCP hosts, and wraps their servers. */
import { nearest } from '../../catalog/near.js';
import { silentLog } from '../../log.js';
import { additionText, clientNameOf } from '../host-reach.js';
import { hostViews } from '../host-views.js';
import { type HostEntry, readHostFile } from '../hosts/index.js';
import type { Io } from '../io.js';
import { type CommonOptions, openCatalog } from '../options.js';
import { withProgress } from '../progress.js';
import { type SharedStart, sharedPath, sharedStart } from '../shared-start.js';
import { plain } from '../terminal.js';
import { selfCommand, startWords, thisProgram } from '../this-program.js';
import { trustEntries } from '../trust/entries.js';
import { offerFolder } from '../trust/index.js';
import { type CarryOutOptions, carryOut } from './carry-out.js';
import { type FileChange, groupedByFile } from './change.js';
import { chosenPlaces } from './choose.js';
import { ownCommand } from './own-command.js';
import { type InstallRequest, OUR_NAME, planInstall, TEAM_NAME } from './plan-install.js';
import { nothingFound, presentHosts, type TargetOptions, type Targets, targetsOf } from './targets.js';
import { teamEntry, teamNotes, teamServer } from './team-entry.js';
import { isSameValue } from './text/index.js';
import { writeInstall } from './write.js';

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
  const look = () => targetsOf(options, folder, () => presentHosts(folder, options.global === true));
  const found = await withProgress('looking for hosts…', look, io);
  const places = await chosenPlaces(found.places, options, io);
  if (places === undefined) {
    io.printError('Nothing was written.');
    return 1;
  }
  if (places.length === 0) throw new Error(await nothingFound(found));
  const targets = { ...found, places };
  const names = options.wrap ?? [];
  const isAll = names.includes('all') || names.includes('*');
  if (!isAll) await refuseMissing(names, targets);
  const { requirement, start } = startOf(options, io);
  const own = team === undefined ? ownCommand(start, entryArguments(options, io)) : undefined;
  const request: InstallRequest = {
    folder,
    start,
    name: team === undefined ? OUR_NAME : TEAM_NAME,
    own: async (place) => (team === undefined ? { server: { ...own } } : teamEntry(place, team, start)),
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
      notes: [
        ...(await notesOn(changes, targets, request, requirement)),
        ...(team === undefined ? [] : await teamNotes(changes, team, request, io)),
      ],
      done: [...doneTexts(changes, options.global === true, io), ...(team === undefined ? await additions(changes, options, io) : [])],
    },
    (change) => writeInstall(change, io),
    io,
  );
  if (code === 0 && options.global !== true && options.dryRun !== true) await trustInstalled(changes, request, options, io);
  return code;
}

/** `doctor` may start the new entry. Anything else in the project requires the user's consent. */
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
    `Restart ${new Set(hosts).size === 1 ? 'the host' : 'the hosts'} to apply the change.`,
    `To undo it, run: ${selfCommand(io)} uninstall${isGlobal ? ' --global' : ''}`,
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
    const texts = names.flatMap((name) => additionText(hosts.of(name, true), catalog.snapshot, servers, io) ?? []);
    return [...new Set(texts)].map((text) => plain(`${text}.`));
  } finally {
    await end();
  }
}

/** In a project the entry is the same for everybody. */
function startOf({ global: isGlobal }: InstallOptions, io: Io): SharedStart {
  const program = thisProgram();
  if (isGlobal !== true) return sharedStart(program, io);
  return { start: (args) => startWords(program, args), requirement: undefined };
}

/** Arguments of our entry. A global configuration needs absolute paths, and a project's must not contain any. */
function entryArguments({ config, global: isGlobal, pack, prompts, skills }: InstallOptions, io: Io): readonly string[] {
  const path = (option: string, given: string, expandsHome = true) => {
    if (isGlobal !== true) return sharedPath({ option, given, expandsHome }, io);
    // `~/` is valid everywhere.
    return given.startsWith('~/') ? given : io.path(given);
  };
  const packName = (given: string) => (/^(?:\.{0,2}[\\/]|[A-Za-z]:)/.test(given) ? path('--pack', given) : given);
  return [
    ...skills.flatMap((each) => ['--skills', path('--skills', each)]),
    ...(config === undefined ? [] : ['--config', path('--config', config, false)]),
    ...pack.flatMap((each) => ['--pack', packName(each)]),
    ...(prompts === true ? ['--prompts'] : []),
  ];
}

async function notesOn(
  changes: readonly FileChange[],
  { globalOnly }: Targets,
  { own }: InstallRequest,
  requirement: string | undefined,
): Promise<readonly string[]> {
  const isWrapping = changes.some(({ wrapped }) => Object.keys(wrapped).length > 0);
  const entries = await Promise.all(changes.filter(({ action }) => action !== 'refused').map(({ places: [place] }) => own(place)));
  const isStarted = isWrapping || entries.some(({ server }) => server.command !== undefined);
  return [
    ...(globalOnly.length === 0
      ? []
      : [`No project configuration: ${globalOnly.map(({ title }) => title).join(', ')}. Use --global for these hosts.\n`]),
    ...(requirement === undefined || !isStarted ? [] : [`${requirement}\n`]),
    ...(isWrapping
      ? [
          'A wrapped server inherits the variables of its entry and a few safe ones, such as PATH and HOME. If it needs another, add "--env", "NAME" before "--" in the arguments of its entry.\n',
        ]
      : []),
  ];
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
