/** What is to happen to one configuration file, before anybody has agreed to it. */
import { realpathSync } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Fields } from '../../json.js';
import { decodeText } from '../../text.js';
import type { HostPlace } from '../hosts/index.js';
import { readBytes } from '../hosts/read.js';

/** The fields of somebody else's entry that changed as it became ours. */
export interface WrappedFields {
  readonly before: Fields;
  readonly after: Fields;
}

export interface FileChange {
  /** All hosts that read the file. */
  readonly places: readonly [HostPlace, ...HostPlace[]];
  /** The file itself, where the place is a link to it. */
  readonly real: string;
  readonly action: 'create' | 'change' | 'remove' | 'none' | 'refused';
  /** Undefined where there is no file. */
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
  /** Why all of it, or some of it, is not done: sentences. */
  readonly reasons: readonly string[];
  /** What else to know about it. */
  readonly notes: readonly string[];
  readonly wrapped: Readonly<Record<string, WrappedFields>>;
}

/** A file as it is now. */
export type Current =
  | { readonly ok: true; readonly bytes: Uint8Array | undefined; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** Reads a file; one that is missing has no bytes and an empty text. */
export async function currentOf(file: string): Promise<Current> {
  const read = await readBytes(file);
  if (!read.ok) return { ok: false, reason: read.problem };
  const text = decodeText(read.bytes ?? new Uint8Array());
  return text === undefined ? { ok: false, reason: 'It is not UTF-8.' } : { ok: true, bytes: read.bytes, text };
}

/** Places that are one file, together. */
export async function groupedByFile(
  places: readonly HostPlace[],
): Promise<readonly { places: [HostPlace, ...HostPlace[]]; real: string }[]> {
  const groups = new Map<string, { places: [HostPlace, ...HostPlace[]]; real: string }>();
  for (const place of places) {
    const real = await realFile(place.file);
    const group = groups.get(real);
    if (group === undefined) groups.set(real, { places: [place], real });
    else group.places.push(place);
  }
  return [...groups.values()];
}

/** Where a path leads, also where nothing is there yet. */
async function realFile(file: string, links = 0): Promise<string> {
  try {
    return realpathSync(file);
  } catch {
    const isLink = await lstat(file).then(
      (stats) => stats.isSymbolicLink(),
      () => false,
    );
    if (isLink && links < 40) return realFile(resolve(dirname(file), await readlink(file)), links + 1);
    const above = dirname(file);
    return above === file ? file : join(await realFile(above, links), basename(file));
  }
}
