/** Archives that try to escape, to exhaust or to confuse: listed ones, and any number of generated ones. */
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type ArchiveEntry, pax, tar, tarEntry, unicodePath, zip, zip64Sizes } from './archive-writers.js';
import { skillText } from './support.js';

const HALVES = [0, 1].map(() => randomBytes(4).toString('hex'));
/** What hostile entries are named, different in each run: whatever has this name was written by them. */
const ESCAPED = `escaped-${HALVES.join('-')}`;

/** Whether something has this name, or what is left of it in a damaged archive. */
export function hasEscaped(name: string): boolean {
  return HALVES.some((half) => name.includes(half));
}

const SKILL: ArchiveEntry = { name: 'pdf/SKILL.md', content: skillText('pdf') };
const ZEROS = Buffer.alloc(8 * 1024 * 1024);

/** Paths that must not lead out of a folder, nor mean another file on some system. */
const PATHS = [
  `../${ESCAPED}`,
  `../../${ESCAPED}`,
  `pdf/../../${ESCAPED}`,
  `pdf/../../../../../../../../${ESCAPED}`,
  `/${ESCAPED}`,
  `//${ESCAPED}`,
  `/tmp/${ESCAPED}`,
  `./../${ESCAPED}`,
  `pdf/./../../${ESCAPED}`,
  '..',
  'pdf/..',
  `~/${ESCAPED}`,
  `C:\\${ESCAPED}`,
  `C:/${ESCAPED}`,
  `c:${ESCAPED}`,
  `\\${ESCAPED}`,
  `\\\\server\\share\\${ESCAPED}`,
  `..\\${ESCAPED}`,
  `pdf\\..\\..\\${ESCAPED}`,
  `pdf/SKILL.md/${ESCAPED}`,
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
  `${'a/'.repeat(30)}${ESCAPED}`,
  'pdf/\u00e9',
  'pdf/e\u0301',
  '',
];

const TYPES = ['1', '2', '3', '4', '6', '7', 'A', 'S', 'V', 'D', 'M', 'N', 'K', 'g', 'x', '\u00ff'];

/** Entries that compress to a few bytes each. */
function tarEntries(count: number, type = '0'): Buffer {
  return Buffer.concat([tarEntry(SKILL), ...Array.from({ length: count }, (_, at) => tarEntry({ name: `pdf/${at}`, type }))]);
}

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
    bytes: tar(SKILL, { name: 'pdf/link', type, link: `../../${ESCAPED}` }, { name: `pdf/link/${ESCAPED}`, content: 'x' }),
  }));
  const modes = [0o120777, 0o020666, 0o060666, 0o010666, 0o140777, 0o104755, 0o040755].map((mode) => ({
    title: `mode ${mode.toString(8)}`,
    bytes: zip([SKILL, { name: 'pdf/link', content: `../../${ESCAPED}`, mode }]),
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
  const escapes = PATHS.filter((path) => path.includes('..') || path.startsWith('/'));
  const named = escapes.flatMap((path) => [
    { title: `long name ${path}`, bytes: tar(SKILL, { name: 'L', type: 'L', content: `${path}\0` }, { name: 'x', content: 'escaped' }) },
    {
      title: `long name and long link ${path}`,
      bytes: tar(
        SKILL,
        { name: 'L', type: 'L', content: path },
        { name: 'K', type: 'K', content: path },
        { name: 'x', content: 'escaped' },
      ),
    },
    { title: `unicode path ${path}`, bytes: zip([{ name: 'pdf/SKILL.md', content: 'x' }], { extra: unicodePath('pdf/SKILL.md', path) }) },
    { title: `name at the file ${path}`, bytes: zip([{ name: 'pdf/SKILL.md', content: 'x' }], { localName: path }) },
    { title: `name in the list ${path}`, bytes: zip([{ name: path, content: 'x' }], { localName: 'pdf/SKILL.md' }) },
  ]);
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
    ['zip with fewer entries stated', zip([SKILL, { name: `../${ESCAPED}` }], { entryCount: 1 })],
    ['zip with many files', zip(many)],
    ['tar with many files', tar(...many)],
    ['two files of the same name', tar(SKILL, SKILL)],
    ['two files of the same name in zip', zip([SKILL, SKILL])],
    ['a file and a folder of the same name', tar(SKILL, { name: 'pdf/a', content: 'x' }, { name: 'pdf/a/b', content: 'x' })],
    ['nothing but zeros', ZEROS.subarray(0, 4096)],
    ['one byte', Buffer.from([0])],
    ['text', Buffer.from('This is not an archive.\n'.repeat(100))],
    ['the end of a zip', Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`, 'latin1')],
    ['a global header that sets the path', tar(pax({ path: `../${ESCAPED}` }, 'g'), SKILL)],
    ['a pax size beyond the file', tar(pax({ size: '99999999' }), SKILL)],
    ['a pax size that is no number', tar(pax({ size: '1e9' }), SKILL)],
    ['an old sparse file', tar(SKILL, { name: 'pdf/sparse', type: 'S', content: 'x' })],
    [
      'a sparse file in pax',
      tar(SKILL, pax({ 'GNU.sparse.major': '1', 'GNU.sparse.name': `../${ESCAPED}` }), { name: 'x', content: '1\n0\n' }),
    ],
    ['a long name without an entry', tar(SKILL, { name: 'L', type: 'L', content: `../${ESCAPED}` })],
    ['many long names', tar(...Array.from({ length: 500 }, () => ({ name: 'L', type: 'L', content: `../${ESCAPED}` })), SKILL)],
    ['gzip with a second member', Buffer.concat([gzipSync(tarEntry(SKILL)), gzipSync(tar({ name: `../${ESCAPED}`, content: 'x' }))])],
    ['gzip with a second member of zeros', Buffer.concat([gzipSync(tar(SKILL)), gzipSync(ZEROS), gzipSync(ZEROS)])],
    ['gzip with text after it', Buffer.concat([gzipSync(tar(SKILL)), Buffer.from(`../${ESCAPED}`)])],
    ['zip64 sizes', zip([SKILL], { stated: 0xffff_ffff, extra: zip64Sizes(2n ** 40n, 10n, 0n) })],
    ['zip64 sizes beyond all numbers', zip([SKILL], { stated: 0xffff_ffff, extra: zip64Sizes(2n ** 63n, 2n ** 63n, 2n ** 63n) })],
    ['zip64 field that is cut', zip([SKILL], { stated: 0xffff_ffff, extra: Buffer.from([1, 0, 8, 0, 1, 2, 3]) })],
    ['zip with descriptors', zip([SKILL, { name: `../${ESCAPED}`, content: 'x' }], { descriptor: true })],
    ['zip with a descriptor and another size', zip([SKILL], { descriptor: true, stated: 10 })],
    ['zip with a wrong checksum', zip([SKILL], { checksum: 1 })],
    ['zip in a zip', zip([{ name: 'pdf/SKILL.md', content: zip([SKILL]) }])],
    ['gzip of very many empty files', gzipSync(tarEntries(38_000))],
    ['tar of very many folders', gzipSync(tarEntries(30_000, '5'))],
    [
      'gzip of many large files',
      gzipSync(Buffer.concat(Array.from({ length: 6 }, (_, at) => tarEntry({ name: `pdf/${at}`, content: ZEROS })))),
    ],
    ['a pax path with a NUL', tar(pax({ path: `pdf/a\0../../${ESCAPED}` }), SKILL)],
  ];
  return [
    ...paths,
    ...named,
    ...links,
    ...modes,
    ...sizes,
    ...numbers,
    ...headers,
    ...cut,
    ...bombs.map(([title, bytes]) => ({ title, bytes })),
  ];
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
