/** What the entries of a configuration hand to their servers, which is nobody's to see. */
import { decodeText } from '../../text.js';
import type { HostEntry } from '../hosts/index.js';
import { entriesOf } from '../hosts/read.js';
import type { FileChange } from './change.js';

/** What is shorter is no secret, and may be part of any word. */
const SHORTEST = 6;

/** The values of variables and headers in a file, before a change and after it. */
export async function valuesGiven({ after, before, places: [place] }: FileChange): Promise<readonly string[]> {
  const values = new Set<string>();
  for (const bytes of [before, after]) {
    const file = await entriesOf(place, decodeText(bytes ?? new Uint8Array()) ?? '');
    if (file.ok) for (const entry of file.entries) for (const value of valuesOf(entry)) values.add(value);
  }
  // Longer ones first, of which others may be a part.
  return [...values].sort((one, other) => other.length - one.length);
}

function valuesOf({ server }: HostEntry): readonly string[] {
  const given = server.kind === 'command' ? server.env : server.kind === 'url' ? server.headers : {};
  // What the host puts in, and settings that are the same everywhere, are worth seeing.
  return Object.values(given).filter((value) => value.length >= SHORTEST && !/\$\{|^[\d.]+$|^https?:\/\/[^@?]*$/.test(value));
}
