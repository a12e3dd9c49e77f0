/** Unpacks archives, detected by their first bytes rather than their names. */
import { damaged, type Unpacking } from './unpacking.js';

const ZIP = [0x50, 0x4b];

/** A zip archive (also as `.skill`), or a tar archive, compressed or not. Throws a `FetchError` if it is neither, or hostile. */
export async function unpackArchive(bytes: Uint8Array, unpacking: Unpacking): Promise<void> {
  if (bytes.length === 0) throw damaged('it is empty');
  if (ZIP.every((byte, at) => bytes[at] === byte)) await (await import('./zip.js')).unpackZip(bytes, unpacking);
  else await (await import('./tar.js')).unpackTar(bytes, unpacking);
}
