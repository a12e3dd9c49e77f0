/** The entries for Footbridge in a project's configurations of hosts, which `doctor` starts once they are trusted. */
import { resolve } from 'node:path';
import { withoutLinks } from '../folders.js';
import { type HostEntry, presentPlaces, readHostFile } from '../hosts/index.js';
import type { Io } from '../io.js';
import { shortPath } from '../skill-problems.js';
import { trustDigest } from './digest.js';
import { readTrust, type TrustRecord, writeTrust } from './record.js';

export interface ProjectEntry {
  /** Relative, for messages. */
  readonly file: string;
  readonly entry: HostEntry;
  readonly digest: string;
}

/** Whether a host calls it Footbridge, or it starts a program of that name. */
export function isOurs({ isFootbridge, name }: HostEntry): boolean {
  return isFootbridge || /^footbridge(?:$|[-_ @])/i.test(name);
}

/** Of all hosts with files in the folder, each entry once. */
export async function projectEntries(io: Io): Promise<readonly ProjectEntry[]> {
  const places = (await presentPlaces(io.cwd)).filter(({ scope }) => scope === 'project');
  const found = new Map<string, ProjectEntry>();
  for (const place of places) {
    const content = await readHostFile(place, io.cwd);
    for (const entry of content.ok ? content.entries.filter(isOurs) : []) {
      const digest = await entryDigest(entry, io);
      if (!found.has(digest)) found.set(digest, { file: shortPath(place.file, io), entry, digest });
    }
  }
  return [...found.values()];
}

/** Of all its fields, and of the files in the project that it would run. */
export function entryDigest({ fields, name, server }: HostEntry, { cwd }: Pick<Io, 'cwd'>): Promise<string> {
  const runnable =
    server.kind === 'command' ? [{ words: [server.command, ...server.args], env: server.env, folder: folderOf(server.cwd, cwd) }] : [];
  return trustDigest(withoutLinks(cwd), JSON.stringify([name, fields]), runnable);
}

/** The working folder of an entry, as `doctor` starts it. */
function folderOf(named: string | undefined, project: string): string {
  return resolve(
    project,
    (named ?? '').replace(/\$\{(?:workspaceFolder|workspaceRoot)\}/g, () => project),
  );
}

/** Whether the entry was trusted as it is now. */
export async function isTrustedEntry(entry: HostEntry, io: Io): Promise<boolean> {
  const record = readTrust(withoutLinks(io.cwd), io);
  return record !== undefined && record.entries.length > 0 && record.entries.includes(await entryDigest(entry, io));
}

/** For entries that the person has just confirmed. */
export async function trustEntries(entries: readonly HostEntry[], io: Io): Promise<void> {
  if (entries.length === 0) return;
  const folder = withoutLinks(io.cwd);
  const record: Omit<TrustRecord, 'time'> = readTrust(folder, io) ?? { folder, entries: [] };
  const digests = await Promise.all(entries.map((entry) => entryDigest(entry, io)));
  if (digests.some((each) => !record.entries.includes(each)))
    await writeTrust({ ...record, entries: [...new Set([...record.entries, ...digests])].sort() }, io);
}
