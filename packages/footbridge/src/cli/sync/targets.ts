/** The folders that `footbridge sync` writes to: as few as the chosen hosts need. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { nearest } from '../../catalog/near.js';
import { isInside } from '../../sources/skills/folders.js';
import { HOST_PROFILES, type HostProfile } from '../../surfaces/hosts/profile.js';
import type { HostViews } from '../../surfaces/hosts/view.js';
import { withoutLinks } from '../folders.js';
import { clientNameOf } from '../host-reach.js';
import { findHost, presentPlaces } from '../hosts/index.js';
import type { Io } from '../io.js';

export type SyncScope = 'project' | 'global';

/** One folder, and the chosen hosts that read it. */
export interface SyncTarget {
  /** Absolute. It need not exist. */
  readonly folder: string;
  readonly scope: SyncScope;
  readonly hosts: readonly HostProfile[];
  /** All folders that all of these hosts read, for this project and in the home folder. */
  readonly readable: readonly string[];
}

/** Throws for unknown hosts, for those that read no skill folders, and if there are none. */
export async function syncTargets(names: readonly string[], scope: SyncScope, views: HostViews, io: Io): Promise<readonly SyncTarget[]> {
  const hosts = names.length > 0 ? await namedProfiles(names, scope, views) : await installedProfiles(scope, views, io);
  if (hosts.length === 0)
    throw new Error(
      `No installed host reads skill folders${scope === 'project' ? ' of a project' : ''}. Name one with --to HOST: ${hostNames(scope).join(', ')}`,
    );
  return chooseFolders(hosts, scope).map(({ folder, readers }) => ({
    folder: scope === 'project' ? resolve(io.cwd, folder) : join(io.home, folder),
    scope,
    hosts: readers,
    readable: readableBy(readers, io),
  }));
}

function readableBy(hosts: readonly HostProfile[], io: Io): readonly string[] {
  const [first = [], ...others] = hosts.map(({ skillFolders }) => [
    ...skillFolders.project.map((folder) => resolve(io.cwd, folder)),
    ...skillFolders.home.map((folder) => join(io.home, folder)),
  ]);
  return first.filter((folder) => others.every((each) => each.includes(folder)));
}

/** Throws for a project if the working folder is the home folder. */
export function refuseHome(scope: SyncScope, io: Io): void {
  if (scope === 'project' && withoutLinks(io.cwd) === withoutLinks(io.home))
    throw new Error('This is your home folder, not a project. Change to a project folder, or use --global.');
}

function foldersOf({ skillFolders }: HostProfile, scope: SyncScope): readonly string[] {
  return scope === 'project' ? skillFolders.project : skillFolders.home;
}

async function namedProfiles(names: readonly string[], scope: SyncScope, views: HostViews): Promise<readonly HostProfile[]> {
  const profiles = new Set<HostProfile>();
  for (const name of names) {
    const profile = await profileNamed(name, views);
    if (profile === undefined) throw new Error(unknownHost(name, scope));
    if (foldersOf(profile, scope).length === 0) throw new Error(withoutFolders(profile, scope));
    profiles.add(profile);
  }
  return [...profiles];
}

/** By its id for `install`, else by the start of its `clientInfo.name`. */
async function profileNamed(name: string, views: HostViews): Promise<HostProfile | undefined> {
  const host = await findHost(name);
  const clientName = host === undefined ? undefined : clientNameOf(host.id);
  if (clientName !== undefined) return views.profileOf(clientName);
  if (host !== undefined) return { ...views.profileOf(undefined), host: host.title, skillFolders: { project: [], home: [] } };
  const wanted = name.trim().toLowerCase();
  const prefix =
    views.names.find((each) => each.toLowerCase() === wanted) ?? views.names.find((each) => each.toLowerCase().startsWith(wanted));
  return prefix === undefined || wanted === '' ? undefined : views.profileOf(prefix);
}

async function installedProfiles(scope: SyncScope, views: HostViews, io: Io): Promise<readonly HostProfile[]> {
  const places = await presentPlaces(io.cwd);
  const profiles = places.flatMap(({ host }) => {
    const clientName = clientNameOf(host.id);
    return clientName === undefined ? [] : [views.profileOf(clientName)];
  });
  return [...new Set(profiles)].filter((profile) => foldersOf(profile, scope).length > 0);
}

interface Choice {
  readonly folder: string;
  readonly readers: readonly HostProfile[];
}

/** Each host reads one of the chosen folders, and as few others of them as possible: a skill in two folders is shown twice. */
export function chooseFolders(hosts: readonly HostProfile[], scope: SyncScope): readonly Choice[] {
  const choices: Choice[] = [];
  let open = [...hosts];
  while (open.length > 0) {
    const candidates = [...new Set(open.flatMap((host) => foldersOf(host, scope)))].map((folder) => {
      const readers = open.filter((host) => foldersOf(host, scope).includes(folder));
      const others = Object.values(HOST_PROFILES).filter((host) => foldersOf(host, scope).includes(folder)).length;
      return { folder, readers, others: others - readers.length };
    });
    const [best] = candidates.sort((one, other) => other.readers.length - one.readers.length || one.others - other.others);
    if (best === undefined) break;
    choices.push({ folder: best.folder, readers: best.readers });
    open = open.filter((host) => !best.readers.includes(host));
  }
  return choices;
}

/** The folder without links. Throws if a link of the project leads out of it: a repository must not redirect writes. */
export function syncFolder(folder: string, scope: SyncScope, io: Pick<Io, 'cwd'>): string {
  const existing = nearestExisting(folder);
  const real = join(realpathSync(existing), folder.slice(existing.length));
  if (scope === 'project' && !isInside(realpathSync(io.cwd), real))
    throw new Error(`${folder} is a link that leads out of the project. Nothing is written there. Remove the link, or use --global.`);
  return real;
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

function withoutFolders({ host }: HostProfile, scope: SyncScope): string {
  return `${host} reads no skill folders${scope === 'project' ? ' of a project' : ''}. Add Footbridge to it instead: footbridge install`;
}

function unknownHost(name: string, scope: SyncScope): string {
  const names = hostNames(scope);
  const [near] = nearest(name, names);
  return `Unknown host "${name}".${near === undefined ? '' : ` Did you mean ${near}?`} Hosts with skill folders: ${names.join(', ')}`;
}

function hostNames(scope: SyncScope): readonly string[] {
  return Object.entries(HOST_PROFILES).flatMap(([name, profile]) => (foldersOf(profile, scope).length > 0 ? [SHORT[name] ?? name] : []));
}

/** Names as for `install`, where they differ from those in `clientInfo`. */
const SHORT: Readonly<Record<string, string>> = {
  '@cline/core': 'cline',
  'codex-mcp-client': 'codex',
  'continue-cli-client': 'continue',
  'copilot-cli': 'github-copilot-cli',
  'gemini-cli-mcp-client': 'gemini-cli',
  kilo: 'kilo-code',
  'qwen-cli-mcp-client': 'qwen-code',
};
