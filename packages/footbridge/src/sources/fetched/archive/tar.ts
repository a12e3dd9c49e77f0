/**
 * Unpacks tar archives, compressed with gzip or not. Written here because libraries collect extended headers of any size in
 * memory, or write files themselves.
 */
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { echo } from '../../../errors.js';
import { FETCH_BOUNDS } from '../bounds.js';
import { FetchError } from '../fetch-error.js';
import { ByteReader } from './byte-reader.js';
import { damaged, Expansion, type Unpacking } from './unpacking.js';

const BLOCK = 512;
/** The maximum size of an extended header: a path, and a few fields. */
const LONGEST_HEADER = 64 * 1024;
const EXECUTABLE = 0o111;
const GZIP = [0x1f, 0x8b];
const EQUALS = 0x3d;
/** The input of one decompression step, which expands to a thousand times that at most. */
const INPUT_CHUNK = 16 * 1024;

interface Header {
  readonly name: string;
  readonly size: number;
  readonly mode: number;
  readonly type: string;
}

/** The fields of extended headers that are used. Others are dropped: an archive may have any number of them. */
interface Extended {
  readonly path?: string;
  readonly size?: string;
  readonly isSparse?: true;
}

/** Puts the regular files of an archive into the staging area; links and devices are skipped. */
export async function unpackTar(bytes: Uint8Array, unpacking: Unpacking): Promise<void> {
  const isCompressed = GZIP.every((byte, at) => bytes[at] === byte);
  const input = isCompressed ? decompressed(bytes) : Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]);
  try {
    const expansion = new Expansion(bytes.length);
    await unpack(new ByteReader(input, isCompressed ? expansion : undefined), expansion, unpacking);
  } catch (cause) {
    throw cause instanceof FetchError ? cause : damaged('it cannot be decompressed');
  } finally {
    input.destroy();
  }
}

function decompressed(bytes: Uint8Array): Readable {
  const gunzip = createGunzip();
  const source = Readable.from(chunksOf(bytes));
  source.pipe(gunzip).once('close', () => source.destroy());
  return gunzip;
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += INPUT_CHUNK) yield bytes.subarray(at, at + INPUT_CHUNK);
}

async function unpack(reader: ByteReader, expansion: Expansion, { rename = (path) => path, staging }: Unpacking): Promise<void> {
  /** Set by an extended header, for the next entry. */
  let extended: Extended = {};
  for (let isFirst = true; ; isFirst = false) {
    const block = await reader.read(BLOCK);
    // Two empty blocks end an archive; some programs leave them out.
    if (block === undefined || block.every((byte) => byte === 0)) {
      if (isFirst) throw damaged('it is neither a zip nor a tar archive, or it is empty');
      return;
    }
    const header = headerOf(block);
    staging.count();
    expansion.count();
    if (header.type === 'x' || header.type === 'L') {
      extended = { ...extended, ...(await extendedHeader(reader, header)) };
      continue;
    }
    if (header.type === 'K' || header.type === 'g') {
      // The long target of a link, and the global header, such as the commit of `git archive`.
      await reader.skip(padded(header.size));
      continue;
    }
    const name = extended.path ?? header.name;
    if (header.type === 'S' || extended.isSparse === true) throw sparse(name);
    const size = sizeOf(extended.size) ?? header.size;
    extended = {};
    const path = isFile(header) && !name.endsWith('/') ? rename(name) : undefined;
    if (path === undefined) {
      if (!isFile(header) && header.type !== '5') staging.skip(name);
      await reader.skip(padded(size));
      continue;
    }
    staging.admit(name, size);
    await staging.putFrom(reader, path, size, () => damaged('it ends within a file'), (header.mode & EXECUTABLE) !== 0);
    await reader.skip(padded(size) - size);
  }
}

function sparse(name: string): FetchError {
  return new FetchError(`'${echo(name)}' is a sparse file, which is not supported.`, 'Pack it without the option --sparse of tar.');
}

function isFile({ type }: Header): boolean {
  return type === '0' || type === '\0' || type === '7';
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

function headerOf(block: Buffer): Header {
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  if (sum !== numberIn(block, 148, 8)) throw damaged('a header has a wrong checksum');
  const isPosix = textIn(block, 257, 6).startsWith('ustar');
  const prefix = isPosix ? textIn(block, 345, 155) : '';
  const name = textIn(block, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: numberIn(block, 124, 12),
    mode: numberIn(block, 100, 8),
    type: String.fromCharCode(block[156] ?? 0),
  };
}

function textIn(block: Buffer, at: number, length: number): string {
  const end = block.indexOf(0, at);
  return block.toString('utf8', at, end === -1 || end > at + length ? at + length : end);
}

/** Octal. A number with the first bit set is binary, and too large to be accepted. */
function numberIn(block: Buffer, at: number, length: number): number {
  const text = block
    .toString('latin1', at, at + length)
    .replaceAll('\0', ' ')
    .trim();
  if (text === '') return 0;
  if (!/^[0-7]{1,12}$/.test(text)) throw damaged('a header has an invalid number');
  return Number.parseInt(text, 8);
}

/** The fields of a POSIX extended header, or the long name of GNU tar as `path`. */
async function extendedHeader(reader: ByteReader, { size, type }: Header): Promise<Extended> {
  if (size > LONGEST_HEADER) throw damaged('an extended header is too long');
  const content = await reader.read(size);
  if (content === undefined) throw damaged('it ends within a header');
  await reader.skip(padded(size) - size);
  if (type === 'L') return { path: content.toString('utf8').replace(/\0.*$/s, '') };
  let fields: Extended = {};
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const length = Number(content.toString('latin1', at, space));
    if (space === -1 || space - at > 6 || !Number.isInteger(length) || length < space - at + 3 || at + length > content.length)
      throw damaged('an extended header is invalid');
    const equals = content.indexOf(EQUALS, space + 1);
    const name = content.toString('latin1', space + 1, equals);
    if (name === 'path' || name === 'size') fields = { ...fields, [name]: content.toString('utf8', equals + 1, at + length - 1) };
    else if (name.startsWith('GNU.sparse.')) fields = { ...fields, isSparse: true };
    at += length;
  }
  return fields;
}

function sizeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text) || Number(text) > FETCH_BOUNDS.total) throw damaged('a header has an invalid size');
  return Number(text);
}
