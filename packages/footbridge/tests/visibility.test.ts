/** Allow-lists: the patterns, and what they match, in any spelling. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Catalog } from '../src/catalog/catalog.js';
import { matches, meet } from '../src/pattern.js';
import type { InternalSource } from '../src/sources/source.js';
import { restrictTo } from '../src/sources/transforms/restrict.js';
import { Visibility } from '../src/sources/transforms/visibility.js';

/** All texts of up to four letters. */
const TEXTS = ['', 'a', 'b'].flatMap((one) =>
  ['', 'a', 'b'].flatMap((two) => ['', 'a', 'b'].flatMap((three) => ['', 'a', 'b'].map((four) => one + two + three + four))),
);
const pattern = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 4 }).map((parts) => parts.join(''));

describe('patterns', () => {
  it('overlap exactly when some text matches both', () => {
    fc.assert(
      fc.property(pattern, pattern, (one, other) => {
        const found = TEXTS.some((text) => matches(one, text) && matches(other, text));
        // Two patterns of up to four parts meet in a text of up to eight letters; the shortest such has no more than the letters of both.
        const letters = (one + other).replaceAll('*', '').length;
        if (letters <= 4) expect(meet(one, other)).toBe(found);
        else if (found) expect(meet(one, other)).toBe(true);
        expect(meet(one, other)).toBe(meet(other, one));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a visibility', () => {
  const reader = new Visibility([
    { skills: ['office:*', 'skill://team/**'], resources: ['docs://public/**', 'File://Host/a%20b'], tools: ['get_*'] },
  ]);

  it.each([
    ['docs://public/page', true],
    ['DOCS://PUBLIC/page', true],
    ['docs://private/page', false],
    ['docs://public/../private/page', false],
    ['docs://public/%2e%2e/private/page', false],
    ['docs://public/%2E./private/page', false],
    ['docs://public/%252e%252e/private/page', false],
    ['docs://public/..%25255cprivate', false],
    ['docs://public/100%2525', true],
    ['docs://public/..%2fprivate', false],
    ['docs://public/..\\private', false],
    ['docs://public/%', false],
    ['docs://public/.\t./private/page', false],
    ['docs://public/%2e\n%2e/private/page', false],
    [' docs://public/page', false],
    ['docs://public/page ', false],
    ['docs://%70ublic/page', false],
    ['docs://publicity/page', false],
    ['file://host/a%20b', false],
    ['skill://team/git/SKILL.md', true],
    ['SKILL://Team/git/SKILL.md', true],
    ['skill://other/SKILL.md', false],
    ['', false],
  ])('of %s: %s', (uri, seen) => expect(reader.seesUri(uri)).toBe(seen));

  it.each([
    ['docs://{area}/page', true],
    ['docs://public/{page}', true],
    ['docs://private/{page}', false],
    ['{+anything}', true],
    ['other://{x}', false],
    ['docs://{area}', false],
    ['docs://{+path}', true],
    ['skill://{+path}', true],
  ])('of the template %s: %s', (template, seen) => expect(reader.seesSomeOf(template)).toBe(seen));

  it('is the union of the lists, and empty without lists', () => {
    const both = new Visibility([
      { resources: ['a://*'], prompts: ['x__*'] },
      { resources: ['b://*'], tools: ['skill'], prompts: ['y'] },
    ]);
    expect(['a://1', 'b://1', 'c://1'].map((uri) => both.seesUri(uri))).toEqual([true, true, false]);
    expect(['skill', 'get_skill'].map((name) => both.seesTool(name))).toEqual([true, false]);
    expect(['x__1', 'y', 'z', 'skill'].map((name) => both.seesPrompt(name))).toEqual([true, true, false, false]);
    expect(['x', 'y', 'z'].map((server) => both.maySeeSomeOf(server))).toEqual([true, false, false]);
    const nobody = new Visibility([]);
    expect([nobody.seesUri('a://1'), nobody.seesTool('skill'), nobody.seesSomeOf('{+x}')]).toEqual([false, false, false]);
  });
});

it('a skill that cannot be read is unknown to a caller who may not see it', async () => {
  const unreadable = [
    { group: [], name: 'pdf' },
    { group: ['office'], name: 'letters' },
  ];
  const source: InternalSource = { name: 'folders', open: async () => ({ skills: [], unreadable }), refresh: async () => {}, close() {} };
  const catalog = await Catalog.open([restrictTo(new Visibility([{ skills: ['pdf'] }]))(source)]);
  const codeOf = (uri: string) => catalog.read(uri).catch(({ code, message }: { code: string; message: string }) => `${code}: ${message}`);
  expect(await codeOf('skill://pdf/SKILL.md')).toBe("ResourceExecutionError: The skill 'pdf' is temporarily unavailable.");
  expect(await codeOf('skill://office/letters/SKILL.md')).toBe("NotFound: No skill is served at 'skill://office/letters/SKILL.md'.");
  catalog.close();
});
