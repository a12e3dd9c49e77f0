/** A planned change of one configuration file. */
import { realpathSync } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Fields } from '../../json.js';
import { decodeText } from '../../text.js';
import type { HostPlace } from '../hosts/index.js';
import { readBytes } from '../hosts/read.js';

/** The changed fields of a wrapped entry. */
export interface WrappedFields {
  readonly before: Fields;
  readonly after: Fields;
}

export interface FileChange {
  /** All hosts that read the file. */
  readonly places: readonly [HostPlace, ...HostPlace[]];
  /** After resolving links. */
  readonly real: string;
  readonly action: 'create' | 'change' | 'remove' | 'none' | 'refused';
  /** Undefined if the file does not exist. */
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
  /** Why some or all of it is refused, in sentences. */
  readonly reasons: readonly string[];
  readonly notes: readonly string[];
  readonly wrapped: Readonly<Record<string, WrappedFields>>;
}

type Current =
  | { readonly ok: true; readonly bytes: Uint8Array | undefined; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** A missing file has no bytes and an empty text. */
export async function currentOf(file: string): Promise<Current> {
  const read = await readBytes(file);
  if (!read.ok) return { ok: false, reason: read.problem };
  const text = decodeText(read.bytes ?? new Uint8Array());
  return text === undefined ? { ok: false, reason: 'It is not UTF-8.' } : { ok: true, bytes: read.bytes, text };
}

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

/** Resolves links, also of a file that does not exist. */
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
