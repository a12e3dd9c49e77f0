/** Whether a configuration that was found in the working folder may run what it names, and what of it is used until then. */
import { lstatSync } from 'node:fs';
import { basename, dirname, join, parse, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digestOf } from '../../sources/skills/digest.js';
import { isInside } from '../../sources/skills/folders.js';
import type { UpstreamServer } from '../../sources/upstream/options.js';
import type { Config, HostConfig, PackChoice, Untrusted } from '../config/index.js';
import { variablesIn } from '../config/variables.js';
import { statOf, withoutLinks } from '../folders.js';
import type { Surroundings } from '../io.js';
import { type RunnableWords, trustDigest } from './digest.js';
import { readTrust } from './record.js';

type Place = Pick<Surroundings, 'cwd' | 'env' | 'home'>;

/** How to read a configuration in another way. */
interface OtherReading {
  /** As if no variable was set. */
  plain(): Promise<Config>;
  /** As the file is at the moment. */
  again(): Promise<Config>;
}

/** The configuration as it may be used: whole if it was trusted as it is now, otherwise without what could do harm. */
export async function trustedPart(config: Config, text: string, io: Place, { again, plain }: OtherReading): Promise<Config> {
  if (needsTrust(config, text, io) === undefined) return config;
  const record = readTrust(withoutLinks(io.cwd), io);
  if (record?.digest !== undefined && record.digest === (await configDigest(config, text, io)))
    return checkedAtStarts(config, { again, isUnchanged: async () => record.digest === (await configDigest(config, text, io)) });
  const isChanged = record?.digest !== undefined;
  const reason = heldReason(isChanged);
  const used = variablesIn(text).length === 0 ? config : await plain();
  const needs = partsHeld(used, text, io);
  return {
    ...used,
    isDiscovered: true,
    skills: used.skills.filter((each) => !needs.folders.includes(each)),
    mcpServers: Object.fromEntries(Object.entries(config.mcpServers).map(([name, server]) => [name, heldServer(server, reason)])),
    packs: [],
    ...(needs.hostFolders ? { showing: { ...used.showing, profiles: withoutFolders(used.showing.profiles) } } : {}),
    ...(needs.secrets ? { serveSecrets: false } : {}),
    ...(needs.updates ? { update: undefined } : {}),
    untrusted: { ...needs, isChanged, reason },
  };
}

/** A server may be started long after the file was read, and again. Its command must still be the trusted one. */
function checkedAtStarts(
  config: Config,
  { again, isUnchanged }: Pick<OtherReading, 'again'> & { isUnchanged(): Promise<boolean> },
): Config {
  const checked = (name: string, server: UpstreamServer): UpstreamServer => {
    if (!('command' in server)) return server;
    const mayStart = async () => {
      if (await isUnchanged()) return undefined;
      // It may have been trusted again since.
      const current = await again().catch(() => undefined);
      const same = current?.untrusted === undefined ? current?.mcpServers[name] : undefined;
      return same !== undefined && settingsDigest(same) === settingsDigest(server) ? undefined : heldReason(true);
    };
    return { ...server, mayStart };
  };
  return {
    ...config,
    mcpServers: Object.fromEntries(Object.entries(config.mcpServers).map(([name, server]) => [name, checked(name, server)])),
  };
}

type Needs = Omit<Untrusted, 'isChanged' | 'reason'>;

/** What of a file may be used only if it is trusted; undefined if there is nothing. */
export function needsTrust(config: Config, text: string, io: Place): Needs | undefined {
  const needs = partsHeld(config, text, io);
  return Object.values(needs).some((each) => (Array.isArray(each) ? each.length > 0 : each === true)) ? needs : undefined;
}

function partsHeld(
  { http, mcpServers, packs, serveSecrets, showing, skills, sources, trust, update }: Config,
  text: string,
  io: Place,
): Needs {
  return {
    servers: Object.keys(mcpServers),
    packs: packs.map(({ name }) => name),
    folders: skills.filter((each) => !isWithin(each, io)),
    sources: sources.flatMap(({ source }) => (isElsewhereHere(source, io) ? [source] : [])),
    variables: variablesIn(text),
    http: Object.keys(http).length > 0,
    hostFolders: Object.values(showing.profiles ?? {}).some(({ skillFolders }) => skillFolders !== undefined),
    secrets: serveSecrets === true,
    updates: update !== undefined,
    scan: trust?.scan !== undefined,
  };
}

function withoutFolders(profiles: HostConfig['profiles'] = {}): HostConfig['profiles'] {
  return Object.fromEntries(Object.entries(profiles).map(([name, { skillFolders: _held, ...profile }]) => [name, profile]));
}

/** Whether a source is on this machine, and not in the folder of the file. */
function isElsewhereHere(source: string, io: Place): boolean {
  // Unencrypted addresses are allowed for this machine only.
  if (/^(?:git\+)?http:/i.test(source)) return true;
  const [, url] = /^(?:git\+)?(file:[^#]*)/i.exec(source) ?? [];
  if (url !== undefined) return !URL.canParse(url) || !isWithin(pathIn(url), io);
  return /^(?:\.{0,2}[/\\]|\.{1,2}$|~[/\\]|[A-Za-z]:[/\\])/.test(source) && !isWithin(source, io);
}

/** Of the file, of the files in its folder that it would run, and of what it names that lies outside, perhaps by a link. */
export async function configDigest(config: Config, text: string, io: Place): Promise<string> {
  const { mcpServers, packs, trust } = config;
  const { folders, sources } = partsHeld(config, text, io);
  const outside = [...folders.map((each) => [each, linkedPlace(each, io)]), ...sources];
  const servers = Object.values(mcpServers).flatMap((server) => wordsOf(server, io.cwd));
  const runnable = trust?.scan === undefined ? servers : [...servers, { words: trust.scan, folder: io.cwd }];
  const own = outside.length === 0 ? text : `${text}\n${JSON.stringify(outside)}`;
  return trustDigest(withoutLinks(io.cwd), own, runnable, await modulesOf(packs, io));
}

function wordsOf(server: UpstreamServer, folder: string): readonly RunnableWords[] {
  if (!('command' in server)) return [];
  const { args = [], command, cwd = folder, env = {} } = server;
  return [{ words: [command, ...args], env, folder: cwd }];
}

async function modulesOf(packs: readonly PackChoice[], { cwd, home }: Place): Promise<readonly string[]> {
  if (packs.length === 0) return [];
  const { packUrl } = await import('../packs.js');
  return packs.flatMap(({ name }) => {
    try {
      return [fileURLToPath(packUrl({ name, folder: cwd }, home))];
    } catch {
      // It cannot be loaded either.
      return [];
    }
  });
}

/** What is shown of a server that must not be started. */
function heldServer(server: UpstreamServer, reason: string): UpstreamServer {
  return { held: reason, settings: settingsDigest(server) };
}

/** Equal for two servers exactly when their settings are. */
export function settingsDigest(server: UpstreamServer): string {
  return digestOf(JSON.stringify(server));
}

function heldReason(isChanged: boolean): string {
  const state = isChanged ? 'Not trusted yet: footbridge.json, or a file that it runs, has changed.' : 'Not trusted yet.';
  return `${state} Review footbridge.json, then run in its folder: footbridge trust`;
}

function pathIn(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    // It names another machine, or is no path.
    return parse(process.cwd()).root;
  }
}

/** Where a folder of the project leads as a link; undefined for one that lies elsewhere by its name. */
function linkedPlace(name: string, io: Place): string | undefined {
  const path = placeOf(name, io);
  return isInside(resolve(io.cwd), path) ? nearestReal(path) : undefined;
}

function placeOf(name: string, { cwd, home }: Place): string {
  return name.startsWith('~/') ? join(home, name.slice(2)) : resolve(cwd, name);
}

/** Whether a path lies in the folder of the file, after all links. */
export function isWithin(name: string, io: Place): boolean {
  return isInside(withoutLinks(io.cwd), nearestReal(placeOf(name, io)));
}

/** The real path of the existing part. A broken link counts as outside, since its target may appear anywhere. */
function nearestReal(path: string): string {
  const above = dirname(path);
  const entry = lstatSync(path, { throwIfNoEntry: false });
  if (entry === undefined && above !== path) return join(nearestReal(above), basename(path));
  return entry?.isSymbolicLink() === true && statOf(path) === undefined ? parse(path).root : withoutLinks(path);
}
