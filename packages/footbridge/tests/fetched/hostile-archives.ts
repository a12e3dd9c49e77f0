/** Archives that try to escape, to exhaust or to confuse: listed ones, and any number of generated ones. */
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { skillText } from './support.js';

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
}

/** A zip archive as Unix writes it. */
export function zip(
  entries: readonly ArchiveEntry[],
  { copies = 1, entryCount, flags = 0x800, method = 8, stated }: ZipTricks = {},
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
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE((stated ?? bytes.length) >>> 0, 18);
    common.writeUInt16LE(label.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, label, packed]);
    for (let copy = 0; copy < copies; copy++) {
      const named = copy === 0 ? label : Buffer.concat([label, Buffer.from(String(copy))]);
      const record = Buffer.from(common);
      record.writeUInt16LE(named.length, 22);
      const tail = Buffer.alloc(14);
      tail.writeUInt32LE((mode << 16) >>> 0, 6);
      tail.writeUInt32LE(offset, 10);
      central.push(Buffer.concat([Buffer.from('PK\x01\x02', 'latin1'), Buffer.from([20, 3]), record, tail, named]));
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

const SKILL: ArchiveEntry = { name: 'pdf/SKILL.md', content: skillText('pdf') };
const ZEROS = Buffer.alloc(8 * 1024 * 1024);

/** Paths that must not lead out of a folder, nor mean another file on some system. */
const PATHS = [
  '../escaped',
  '../../escaped',
  'pdf/../../escaped',
  'pdf/../../../../../../../../escaped',
  '/escaped',
  '//escaped',
  '/tmp/escaped',
  './../escaped',
  'pdf/./../../escaped',
  '..',
  'pdf/..',
  '~/escaped',
  'C:\\escaped',
  'C:/escaped',
  'c:escaped',
  '\\escaped',
  '\\\\server\\share\\escaped',
  '..\\escaped',
  'pdf\\..\\..\\escaped',
  'pdf/SKILL.md/escaped',
  'pdf/CON',
  'pdf/nul.txt',
  'pdf/aux.',
  'pdf/COM1.md',
  'pdf/LPT9',
  'pdf/trailing.',
  'pdf/trailing ',
  'pdf/ leading',
  'pdf/a:stream',
  'pdf/a?b',
  'pdf/a*b',
  'pdf/a|b',
  'pdf/a<b>',
  'pdf/"quoted"',
  'pdf/new\nline',
  'pdf/bell\u0007',
  'pdf/right\u202eleft',
  'pdf/zero\u200bwidth',
  'pdf/skill.md',
  'PDF/SKILL.md',
  'pdf/.git/hooks/post-checkout',
  'pdf/.GIT/config',
  'pdf/git~1/config',
  '.git/config',
  `pdf/${'a'.repeat(256)}`,
  'pdf/'.repeat(40),
  `${'a/'.repeat(30)}escaped`,
  'pdf/\u00e9',
  'pdf/e\u0301',
  '',
];

const TYPES = ['1', '2', '3', '4', '6', '7', 'A', 'S', 'V', 'D', 'M', 'N', 'K', 'g', 'x', '\u00ff'];

/** At least 200. Each has a name for messages. */
export function listedArchives(): readonly { readonly title: string; readonly bytes: Uint8Array }[] {
  const paths = PATHS.flatMap((path) => {
    const entry = { name: path, content: 'escaped' };
    const long = path.length > 99 ? [] : [tar(SKILL, entry)];
    return [
      ...long.map((bytes) => ({ title: `tar ${path}`, bytes })),
      { title: `pax ${path}`, bytes: gzipSync(tar(SKILL, pax({ path }), { name: 'x', content: 'escaped' })) },
      { title: `zip ${path}`, bytes: zip([SKILL, entry]) },
    ];
  });
  const links = TYPES.map((type) => ({
    title: `type ${type}`,
    bytes: tar(SKILL, { name: 'pdf/link', type, link: '../../escaped' }, { name: 'pdf/link/escaped', content: 'x' }),
  }));
  const modes = [0o120777, 0o020666, 0o060666, 0o010666, 0o140777, 0o104755, 0o040755].map((mode) => ({
    title: `mode ${mode.toString(8)}`,
    bytes: zip([SKILL, { name: 'pdf/link', content: '../../escaped', mode }]),
  }));
  const sizes = [2 * ZEROS.length + 1, 2 ** 31, 2 ** 32, 8 ** 11 - 1].map((size) => ({
    title: `size ${size}`,
    bytes: tar({ ...SKILL, size }),
  }));
  const numbers = ['-0000000001', '99999999999', 'zzzzzzzzzzz', '\u0080\0\0\0\0\0\0\0\0\0\0\u0001', '           '].map((text) => ({
    title: `number ${text}`,
    bytes: tar({ ...SKILL, sizeField: Buffer.from(text, 'latin1') }),
  }));
  const headers = ['1', '0 path=x\n', '99999 path=x\n', '9 path=x\n', '-1 path=x\n', '11 path=abc', ' \n', '\0\0\0'].map((content) => ({
    title: `pax ${content}`,
    bytes: tar({ name: 'PaxHeader', type: 'x', content }, SKILL),
  }));
  const whole = [tar(SKILL), gzipSync(tar(SKILL)), zip([SKILL])];
  const cut = whole.flatMap((bytes, at) =>
    [1, 2, 20, 100, 300, 511, 513, 600].map((length) => ({ title: `cut ${at} ${length}`, bytes: bytes.subarray(0, length) })),
  );
  const many = Array.from({ length: 600 }, (_, at) => ({ name: `pdf/${at}`, content: '' }));
  const bombs: readonly (readonly [string, Uint8Array])[] = [
    [
      'gzip of zeros',
      gzipSync(Buffer.concat([tarEntry({ name: 'pdf/zeros', content: ZEROS }), tarEntry({ name: 'pdf/more', content: ZEROS })])),
    ],
    ['gzip of a skipped file of zeros', gzipSync(tarEntry({ name: 'pdf/zeros', type: '3', content: ZEROS }))],
    ['gzip of an extended header of zeros', gzipSync(tarEntry({ name: 'x', type: 'x', content: ZEROS }))],
    ['gzip of a long name of zeros', gzipSync(tarEntry({ name: 'x', type: 'L', content: ZEROS }))],
    ['gzip in gzip', gzipSync(gzipSync(gzipSync(ZEROS)))],
    ['gzip of zeros alone', gzipSync(ZEROS)],
    ['zip of zeros', zip([{ name: 'pdf/zeros', content: ZEROS }])],
    ['zip with overlapping files', zip([{ name: 'pdf/zeros', content: ZEROS.subarray(0, 1024 * 1024) }], { copies: 2000 })],
    ['zip with a smaller stated size', zip([{ name: 'pdf/zeros', content: ZEROS }], { stated: 10 })],
    ['zip with a larger stated size', zip([SKILL], { stated: 0xffff_fff0 })],
    ['zip with a stated size of zero', zip([{ name: 'pdf/zeros', content: ZEROS }], { stated: 0 })],
    ['zip that is encrypted', zip([SKILL], { flags: 0x801 })],
    ['zip with an unknown method', zip([SKILL], { method: 99 })],
    ['zip with too many entries stated', zip([SKILL], { entryCount: 60_000 })],
    ['zip with fewer entries stated', zip([SKILL, { name: '../escaped' }], { entryCount: 1 })],
    ['zip with many files', zip(many)],
    ['tar with many files', tar(...many)],
    ['two files of the same name', tar(SKILL, SKILL)],
    ['two files of the same name in zip', zip([SKILL, SKILL])],
    ['a file and a folder of the same name', tar(SKILL, { name: 'pdf/a', content: 'x' }, { name: 'pdf/a/b', content: 'x' })],
    ['nothing but zeros', ZEROS.subarray(0, 4096)],
    ['one byte', Buffer.from([0])],
    ['text', Buffer.from('This is not an archive.\n'.repeat(100))],
    ['the end of a zip', Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`, 'latin1')],
    ['a global header that sets the path', tar(pax({ path: '../escaped' }, 'g'), SKILL)],
    ['a pax size beyond the file', tar(pax({ size: '99999999' }), SKILL)],
    ['a pax size that is no number', tar(pax({ size: '1e9' }), SKILL)],
    ['a pax path with a NUL', tar(pax({ path: 'pdf/a\0../../escaped' }), SKILL)],
  ];
  return [...paths, ...links, ...modes, ...sizes, ...numbers, ...headers, ...cut, ...bombs.map(([title, bytes]) => ({ title, bytes }))];
}

/** The same archives for the same seed. */
export function* generatedArchives(count: number, seed: number): Generator<Uint8Array> {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const bases = [tar(SKILL), gzipSync(tar(SKILL)), zip([SKILL])];
  for (let made = 0; made < count; made++) {
    const name = Array.from({ length: 1 + random(3) }, () => pick(PATHS)).join(pick(['/', '', '/./', '\\', '\0']));
    const entry = {
      name: name.slice(0, 99),
      content: 'x'.repeat(random(2000)),
      type: pick(['0', '0', ...TYPES]),
      link: pick(PATHS).slice(0, 99),
      mode: random(0o200000),
    };
    const kind = random(5);
    const whole =
      kind === 0
        ? tar(SKILL, entry)
        : kind === 1
          ? gzipSync(tar(pax({ path: name, [pick(['size', 'linkpath', 'path', 'x'])]: pick(['0', '7', '../e', '99999999']) }), entry), {
              level: 1,
            })
          : kind === 2
            ? zip([SKILL, entry], { method: pick([0, 8, 8, 8, 12]), flags: pick([0, 1, 8, 0x800]), entryCount: pick([2, 2, 1, 9]) })
            : Buffer.from(pick(bases));
    // Half of them are damaged as well.
    for (let times = random(2) * (1 + random(8)); times > 0; times--) whole[random(whole.length)] = random(256);
    yield random(4) === 0 ? whole.subarray(0, random(whole.length)) : whole;
  }
}

/** A small generator of numbers below a limit (xorshift). */
function randomFrom(seed: number): (limit: number) => number {
  let state = seed | 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return limit <= 0 ? 0 : (state >>> 0) % limit;
  };
}
