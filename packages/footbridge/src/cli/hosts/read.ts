/** Reads the configuration of a host. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { systemCode } from '../../errors.js';
import { isFields } from '../../json.js';
import { decodeText } from '../../text.js';
import { parseDocument } from './document.js';
import { entryOf, type HostEntry, mapPaths, valueAt } from './entries.js';
import { hostLibrary } from './library.js';
import type { HostPlace } from './registry.js';

export type HostFile =
  | { readonly ok: true; readonly text: string; readonly entries: readonly HostEntry[] }
  /** `problem` is a sentence without the name of the file. */
  | { readonly ok: false; readonly problem: string; readonly line?: number; readonly column?: number };

const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Claude Code keeps histories in the same file. */
const LARGEST_HOST_FILE = 64 * 2 ** 20;

/** Includes the entries for the project in `folder`. A missing or empty file has none. */
export async function readHostFile(place: HostPlace, folder?: string): Promise<HostFile> {
  const bytes = await readBytes(place.file);
  if (!bytes.ok) return bytes;
  const text = decodeText(bytes.bytes ?? new Uint8Array());
  return text === undefined ? { ok: false, problem: 'It is not UTF-8.' } : entriesOf(place, text, folder);
}

export async function entriesOf({ host, scope }: HostPlace, text: string, folder?: string): Promise<HostFile> {
  const document = await parseDocument(text, host.format);
  if (!document.ok) return document;
  const agent = (await hostLibrary()).agents[host.id];
  const entries = new Map<string, HostEntry>();
  for (const path of mapPaths(host.id, agent?.configKey ?? '', document.value, scope === 'project', folder)) {
    const map = valueAt(document.value, path);
    if (map !== undefined && map !== null && !isFields(map))
      return { ok: false, problem: `"${path.join('.')}" is not an object of servers.` };
    for (const [name, value] of Object.entries(map ?? {})) {
      const entry = isHeld(host.id, path, name) ? undefined : entryOf(name, value);
      if (entry !== undefined && !entries.has(name)) entries.set(name, entry);
    }
  }
  return { ok: true, text, entries: [...entries.values()] };
}

/** The older format of OpenCode has settings next to the servers. */
function isHeld(host: string, path: readonly string[], name: string): boolean {
  return host === 'opencode' && path.length === 1 && (name === 'servers' || name === 'timeout');
}

type ReadBytes =
  /** `bytes` is undefined if the file does not exist. */
  { readonly ok: true; readonly bytes: Uint8Array | undefined } | { readonly ok: false; readonly problem: string };

/** Follows links. */
export async function readBytes(file: string): Promise<ReadBytes> {
  try {
    // Does not wait for the writer of a pipe.
    const handle = await open(file, FLAGS);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return { ok: false, problem: 'It is not a file.' };
      if (stats.size > LARGEST_HOST_FILE) return { ok: false, problem: 'It is larger than 64 MiB.' };
      return { ok: true, bytes: await handle.readFile() };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return { ok: true, bytes: undefined };
    return { ok: false, problem: REASONS[code ?? ''] ?? `It cannot be read (${code ?? 'unknown reason'}).` };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'It cannot be read: permission denied.',
  EISDIR: 'It is a folder.',
  ELOOP: 'It is a circular link.',
  ENOTDIR: 'A folder above it is a file.',
  ENXIO: 'It is not a file.',
};
