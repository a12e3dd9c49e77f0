/** Unpacks zip archives, such as `.skill` files. */
import { crc32, inflateRawSync } from 'node:zlib';
import { type Entry, fromBufferPromise, type Options, type ZipFile } from 'yauzl';
import { FetchError } from '../fetch-error.js';
import { damaged, Expansion, type Unpacking } from './unpacking.js';

/** Paths are checked by the staging area. */
const OPTIONS: Options = { lazyEntries: true, decodeStrings: true, validateEntrySizes: true, strictFileNames: true };

/** File types of Unix, in the upper half of the attributes. */
const TYPE_MASK = 0o170_000;
const REGULAR = 0o100_000;
/** Written on DOS, which has no file types. */
const NO_TYPE = 0;
const EXECUTABLE = 0o111;
const UNIX = 3;

/** Puts the regular files of an archive into the staging area; links and devices are skipped. */
export async function unpackZip(bytes: Uint8Array, unpacking: Unpacking): Promise<void> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const expansion = new Expansion(bytes.length);
  let archive: ZipFile | undefined;
  try {
    archive = await fromBufferPromise(buffer, OPTIONS);
    for await (const entry of archive.eachEntry()) {
      expansion.count();
      if (!isSameInside(buffer, entry)) throw damaged('a file has two names');
      await unpackEntry(archive, buffer, entry, expansion, unpacking);
    }
  } catch (cause) {
    throw cause instanceof FetchError ? cause : damaged('it is not a valid zip archive');
  } finally {
    archive?.close();
  }
}

async function unpackEntry(
  archive: ZipFile,
  buffer: Buffer,
  entry: Entry,
  expansion: Expansion,
  { rename = (path) => path, staging }: Unpacking,
): Promise<void> {
  staging.count();
  const { externalFileAttributes, fileName, uncompressedSize, versionMadeBy } = entry;
  if (fileName.endsWith('/')) return;
  const mode = versionMadeBy >> 8 === UNIX ? externalFileAttributes >>> 16 : 0;
  const type = mode & TYPE_MASK;
  const path = type === REGULAR || type === NO_TYPE ? rename(fileName) : undefined;
  if (path === undefined) {
    if (type !== REGULAR && type !== NO_TYPE) staging.skip(fileName);
    return;
  }
  staging.admit(fileName, uncompressedSize);
  expansion.take(uncompressedSize);
  await staging.putPieces(path, uncompressedSize, contentOf(archive, buffer, entry), (mode & EXECUTABLE) !== 0);
}

/** Whether the local header has the same name as the central directory: programs that read only one of them must agree. */
function isSameInside(buffer: Buffer, { fileNameRaw, relativeOffsetOfLocalHeader: at }: Entry): boolean {
  if (at + LOCAL_HEADER > buffer.length) return false;
  const begin = at + LOCAL_HEADER;
  return fileNameRaw.equals(buffer.subarray(begin, begin + buffer.readUInt16LE(at + LOCAL_NAME_LENGTH)));
}

const LOCAL_HEADER = 30;
const LOCAL_NAME_LENGTH = 26;
const LOCAL_EXTRA_LENGTH = 28;

/** The library checks that the size is the declared one. */
async function* contentOf(archive: ZipFile, buffer: Buffer, entry: Entry): AsyncGenerator<Buffer, void, undefined> {
  const small = smallContent(buffer, entry);
  const chunks = small === undefined ? ((await archive.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) : [small];
  let checksum = 0;
  for await (const chunk of chunks) {
    checksum = crc32(chunk, checksum);
    yield chunk;
  }
  if (checksum !== entry.crc32) throw damaged('a file has a wrong checksum');
}

const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
const SMALL = 64 * 1024;

/** Read directly, since the library's streams take longer than a small file does. Undefined for other files. */
function smallContent(
  buffer: Buffer,
  { compressedSize, compressionMethod, generalPurposeBitFlag, relativeOffsetOfLocalHeader: at, uncompressedSize }: Entry,
): Buffer | undefined {
  if (uncompressedSize > SMALL || compressedSize > SMALL || (generalPurposeBitFlag & ENCRYPTED) !== 0) return undefined;
  const begin = at + LOCAL_HEADER + buffer.readUInt16LE(at + LOCAL_NAME_LENGTH) + buffer.readUInt16LE(at + LOCAL_EXTRA_LENGTH);
  if (begin + compressedSize > buffer.length) throw damaged('it ends within a file');
  const packed = buffer.subarray(begin, begin + compressedSize);
  if (compressionMethod === STORED) return packed;
  // Throws if there is more than declared.
  return compressionMethod === DEFLATED ? inflateRawSync(packed, { maxOutputLength: Math.max(1, uncompressedSize) }) : undefined;
}
