/** Checks of Footbridge itself, its configuration, packs, lock and HTTP address. */
import { accessSync, constants, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { Catalog } from '../../catalog/catalog.js';
import { reasonOf, systemCode } from '../../errors.js';
import { isFields } from '../../json.js';
import { silentLog } from '../../log.js';
import { isPrivateFolder } from '../../private-folder.js';
import type { OpenedPacks } from '../../serve/packs/opened.js';
import { skillRoots } from '../../sources/skills/folders.js';
import { skillFolders } from '../../sources/skills/index.js';
import type { Notice, Source } from '../../sources/source.js';
import { MODERN } from '../../sources/upstream/eras.js';
import { catalogueOf } from '../../surfaces/catalogue/index.js';
import { CATALOGUE_BUDGET, UNLIMITED_VIEW } from '../../surfaces/hosts/view.js';
import { VERSION } from '../../version.js';
import { CONFIG_FILE, type Config, findConfig, NOTHING, namedFolders, type PackChoice, type Untrusted } from '../config/index.js';
import { ConfigError } from '../config/problems.js';
import { storedSource } from '../fetched/serving.js';
import { cacheFolder, statOf } from '../folders.js';
import type { Io } from '../io.js';
import { countsOf, lockState } from '../lock/index.js';
import { lockedSources } from '../lock/serving.js';
import type { CommonOptions } from '../options.js';
import { loadPacks } from '../packs.js';
import { type Address, cannotListen, requireAuthentication } from '../serve-http.js';
import { shortPath, skillProblems } from '../skill-problems.js';
import { heldParts, stateOf } from '../trust/notice.js';
import type { Cleanup } from './cleanup.js';
import { isSkillRule } from './codes.js';
import { type Finding, finding, type Section, shown } from './finding.js';

export function checkProgram(io: Io) {
  const cache = cacheFolder(io);
  return {
    data: {
      version: VERSION,
      node: { version: process.versions.node, path: process.execPath },
      platform: `${process.platform} ${process.arch}`,
      protocols: [MODERN, ...SUPPORTED_PROTOCOL_VERSIONS],
      cache,
    },
    findings: cache === undefined ? [] : cacheFindings(cache),
  };
}

function cacheFindings(cache: string): Finding[] {
  if (!isWritable(cache))
    return [finding('warning', 'cache-folder', cache, 'The cache folder is not writable, which slows down each start.')];
  if (isPrivateFolder(cache) === false)
    return [
      finding(
        'warning',
        'cache-open',
        cache,
        'The cache folder can be changed by other users, so it is not used, which slows down each start.',
      ),
    ];
  return [];
}

/** Also true if it could be created. Writes nothing. */
function isWritable(folder: string): boolean {
  const above = dirname(folder);
  if (!existsSync(folder) && above !== folder) return isWritable(above);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** `config` is empty if the file is invalid. */
export async function checkConfiguration(named: string | undefined, io: Io) {
  try {
    const config = await findConfig(named, io);
    const findings = config.untrusted === undefined ? [] : [notTrusted(config.untrusted)];
    return { section: { data: { file: config.file, good: true }, findings }, config };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const file = named ?? 'footbridge.json';
    return { section: { data: { file, good: false }, findings: problemsOf(file, error) }, config: NOTHING };
  }
}

/** Servers are reported one by one, too. */
function notTrusted(untrusted: Untrusted): Finding {
  return finding('warning', 'untrusted', CONFIG_FILE, `It ${stateOf(untrusted)}, so some of it is not used: ${heldParts(untrusted)}.`);
}

function problemsOf(file: string, { message: refusal, problems }: ConfigError): readonly Finding[] {
  if (problems.length > 0)
    return problems.map(({ action, message, place }) => finding('error', 'configuration', place, message, { action }));
  // The first line is the problem, the rest what to do.
  const [message = '', ...actions] = refusal.split('\n');
  return [finding('error', 'configuration', file, message, { action: actions.join(' ') })];
}

/** Each pack is loaded separately, so that every broken one is reported. `sources` stay open until the cleanup. */
export async function checkPacks({ file, packs }: Config, named: readonly string[], cleanup: Cleanup, io: Io) {
  const folder = file === undefined ? '.' : dirname(file);
  const choices: readonly (PackChoice & { readonly folder: string })[] = [
    ...packs.map((pack) => ({ ...pack, folder })),
    ...named.map((name) => ({ name, folder: '.' })),
  ];
  const data: { readonly name: string; readonly loaded: boolean }[] = [];
  const findings: Finding[] = [];
  const sources: Source[] = [];
  for (const choice of choices) {
    try {
      const opened: OpenedPacks = await loadPacks([choice], { isLocal: true, log: silentLog }, io);
      cleanup.add(opened.end);
      sources.push(...opened.sources);
      data.push({ name: choice.name, loaded: true });
    } catch (error) {
      data.push({ name: choice.name, loaded: false });
      const given = Object.values(choice.options ?? {}).filter((value) => typeof value === 'string');
      findings.push(finding('error', 'pack', choice.name, shown(error instanceof Error ? error.message : reasonOf(error), given)));
    }
  }
  return { section: { data, findings }, sources };
}

/** Undefined without a lock, unless the configuration requires one. Starts every server again. */
export async function checkLock(options: CommonOptions, { locked = false }: Config, io: Io) {
  const found = await lockState(options, io);
  const { file, state } = found;
  if (state === 'none' && !locked) return undefined;
  const severity = locked ? 'error' : 'warning';
  const effect = locked ? ' Every skill is withheld.' : '';
  const findings = (): readonly Finding[] => {
    if (found.state === 'none') return [finding(severity, 'lock-missing', file, `File not found.${effect}`)];
    if (found.state === 'unreadable')
      return [finding(severity, 'lock-unreadable', file, `${found.message}${effect}`, { action: found.action })];
    if (found.state === 'drift')
      return [finding(severity, 'lock-drift', file, `What is served differs from the lock: ${countsOf(found.drift)}.`)];
    if (found.state === 'unknown')
      return found.problems.map(({ action, message, place }) => finding('warning', 'lock-unknown', place, message, { action }));
    return [];
  };
  return { data: { file, state, locked }, findings: findings() };
}

export interface ListeningReport {
  readonly address: string;
  readonly state: 'free' | 'footbridge' | 'taken' | 'impossible' | 'open';
}

const ANSWER_MS = 2000;

export async function checkListening(address: Address, config: Config): Promise<Section<ListeningReport>> {
  const name = `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
  const section = (state: ListeningReport['state'], ...findings: readonly Finding[]) => ({ data: { address: name, state }, findings });
  try {
    requireAuthentication(config, { http: address });
  } catch (error) {
    return section('open', finding('error', 'http-open', name, error instanceof Error ? error.message : String(error)));
  }
  const cause = await whyNot(address);
  if (cause === undefined) return section('free');
  if (systemCode(cause) !== 'EADDRINUSE') {
    const explained = cannotListen(cause, address);
    return section(
      'impossible',
      finding('error', 'http-address', name, explained instanceof Error ? explained.message : String(explained)),
    );
  }
  const base = `http://${name.replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:')}`;
  if (await isFootbridge(base)) {
    const action = `Connect hosts to it at ${base}/mcp, or choose another port with --http.`;
    return section('footbridge', finding('error', 'http-taken', name, `Another Footbridge listens on port ${address.port}.`, { action }));
  }
  return section('taken', finding('error', 'http-taken', name, `Port ${address.port} is in use by another program.`));
}

function whyNot({ host, port }: Address): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

async function isFootbridge(base: string): Promise<boolean> {
  const [health, readiness] = await Promise.all([statusAt(`${base}/healthz`), statusAt(`${base}/readyz`)]);
  return health === 'ok' && (readiness === 'ready' || readiness === 'not ready');
}

async function statusAt(url: string): Promise<unknown> {
  try {
    const answer: unknown = await (await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'error' })).json();
    return isFields(answer) ? answer['status'] : undefined;
  } catch {
    return undefined;
  }
}

const OF_FOLDERS: ReadonlySet<string> = new Set(['folder-missing', 'folder-kind']);

/** `named` are the folders of the command line. */
export async function checkSkills(config: Config, named: readonly string[], packs: readonly Source[], io: Io) {
  const { serveSecrets, standardFolders } = config;
  const options = { ...namedFolders(config, named), standardFolders, serveSecrets, workingFolder: io.cwd, home: io.home };
  const roots = skillRoots(options);
  const stored = await storedSource({ config, io, log: silentLog, watch: false, cacheFolder: undefined });
  const sources = [...packs, skillFolders({ ...options, watch: false }), ...(stored === undefined ? [] : [stored])];
  const locked = config.locked === true ? await lockedSources(sources, { config, log: silentLog, watch: false, cwd: io.cwd }) : undefined;
  const catalog = await Catalog.open(locked?.sources ?? sources);
  try {
    await locked?.checked();
    const { snapshot } = catalog;
    const { problems } = await skillProblems(catalog, io);
    const isOfFolder = ({ file, rule }: Notice) => OF_FOLDERS.has(rule) || roots.some(({ path, label }) => file === path || file === label);
    const { entries, named: shownNames } = catalogueOf(snapshot, UNLIMITED_VIEW);
    return {
      snapshot,
      folders: {
        data: roots.map(({ label, path }) => ({
          folder: label,
          exists: statOf(path)?.isDirectory() === true,
          skills: snapshot.skills.filter(({ origin }) => origin === label).length,
        })),
        findings: problems.filter(isOfFolder).map((notice) => toFinding(notice, io)),
      },
      skills: {
        data: {
          served: snapshot.skills.length,
          shadowed: snapshot.shadowed.length,
          skipped: problems.filter(({ skipped }) => skipped === true).length,
          catalogue: { characters: entries.length, budget: CATALOGUE_BUDGET, named: shownNames },
        },
        findings: problems.filter((notice) => !isOfFolder(notice)).map((notice) => toFinding(notice, io)),
      },
    };
  } finally {
    catalog.close();
  }
}

function toFinding({ action, file, line, message, rule, severity, skipped }: Notice, io: Io): Finding {
  const where = `${shortPath(file, io)}${line === undefined ? '' : `:${line}`}`;
  const code = isSkillRule(rule) ? rule : 'skill-problem';
  return finding(severity, code, where, skipped === true ? `${message} It is skipped.` : message, { action });
}
