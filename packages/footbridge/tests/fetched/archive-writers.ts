/** Writes archives by hand, so that they may be as no program writes them. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ArchiveEntry {
  readonly name: string;
  readonly content?: Uint8Array | string;
  /** Of tar: `0` file, `1` hard link, `2` link, `3` and `4` devices, `5` folder, `6` pipe. */
  readonly type?: string;
  readonly link?: string;
  readonly mode?: number;
  /** Instead of the real one. */
  readonly size?: number;
  /** Instead of octal digits. */
  readonly sizeField?: Uint8Array;
}

const BLOCK = 512;

/** One entry of a tar archive. */
export function tarEntry({ content = '', link = '', mode = 0o644, name, size, sizeField, type = '0' }: ArchiveEntry): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100, 'utf8');
  header.write(mode.toString(8).padStart(7, '0'), 100);
  header.write((size ?? bytes.length).toString(8).padStart(11, '0'), 124);
  if (sizeField !== undefined) header.set(sizeField.subarray(0, 12), 124);
  header.write('        ', 148);
  header.write(type, 156, 1, 'latin1');
  header.write(link, 157, 100, 'utf8');
  header.write('ustar\x0000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return Buffer.concat([header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}

export function tar(...entries: readonly ArchiveEntry[]): Buffer {
  return Buffer.concat([...entries.map(tarEntry), Buffer.alloc(2 * BLOCK)]);
}

/** A record of a POSIX extended header. */
export function paxRecord(name: string, value: string): string {
  const rest = ` ${name}=${value}\n`;
  let length = Buffer.byteLength(rest) + 1;
  while (String(length).length + Buffer.byteLength(rest) !== length) length = String(length).length + Buffer.byteLength(rest);
  return `${length}${rest}`;
}

export function pax(fields: Readonly<Record<string, string>>, type = 'x'): ArchiveEntry {
  return {
    name: 'PaxHeader',
    type,
    content: Object.entries(fields)
      .map(([name, value]) => paxRecord(name, value))
      .join(''),
  };
}

export interface ZipTricks {
  /** Sizes that the archive states. */
  readonly stated?: number;
  readonly method?: number;
  readonly flags?: number;
  /** How many entries point to the same data. */
  readonly copies?: number;
  readonly entryCount?: number;
  /** At the file itself, instead of its name. */
  readonly localName?: string;
  /** Extra fields in the list at the end. */
  readonly extra?: Uint8Array;
  /** Sizes and checksum follow the data. */
  readonly descriptor?: boolean;
  readonly checksum?: number;
}

/** A zip archive as Unix writes it. */
export function zip(
  entries: readonly ArchiveEntry[],
  { checksum, copies = 1, descriptor = false, entryCount, extra, flags = 0x800, localName, method = 8, stated }: ZipTricks = {},
): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { content = '', mode = 0o100644, name } of entries) {
    const bytes = Buffer.from(content);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const label = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(descriptor ? flags | 8 : flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(checksum ?? crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE((stated ?? bytes.length) >>> 0, 18);
    common.writeUInt16LE(label.length, 22);
    const own = Buffer.from(localName ?? name);
    const first = Buffer.from(common);
    if (descriptor) first.fill(0, 10, 22);
    first.writeUInt16LE(own.length, 22);
    const after = descriptor ? [Buffer.from('PK\x07\x08', 'latin1'), common.subarray(10, 22)] : [];
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), first, own, packed, ...after]);
    for (let copy = 0; copy < copies; copy++) {
      const named = copy === 0 ? label : Buffer.concat([label, Buffer.from(String(copy))]);
      const record = Buffer.from(common);
      record.writeUInt16LE(named.length, 22);
      record.writeUInt16LE(extra?.length ?? 0, 24);
      const tail = Buffer.alloc(14);
      tail.writeUInt32LE((mode << 16) >>> 0, 6);
      tail.writeUInt32LE(offset, 10);
      central.push(
        Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), Buffer.from([20, 3]), record, tail, named, extra ?? Buffer.alloc(0)]),
      );
    }
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE((entryCount ?? central.length) & 0xffff, 8);
  end.writeUInt16LE((entryCount ?? central.length) & 0xffff, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** An extra field of zip. */
export function extraField(id: number, content: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(content.length, 2);
  return Buffer.concat([head, content]);
}

/** The name that wins over the one of the entry (0x7075). */
export function unicodePath(name: string, path: string): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(1, 0);
  head.writeUInt32LE(crc32(Buffer.from(name)), 1);
  return extraField(0x7075, Buffer.concat([head, Buffer.from(path)]));
}

/** Sizes and offset with 64 bits, for an entry whose own fields are full. */
export function zip64Sizes(size: bigint, packed: bigint, offset: bigint): Buffer {
  const content = Buffer.alloc(24);
  content.writeBigUInt64LE(size, 0);
  content.writeBigUInt64LE(packed, 8);
  content.writeBigUInt64LE(offset, 16);
  return extraField(1, content);
}
