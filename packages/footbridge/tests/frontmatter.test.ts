/** Frontmatter: the fast reader never disagrees with YAML, and forgives only what the standard forgives. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as yaml from 'yaml';
import { findFrontmatter, readFields, readPlainFields } from '../src/sources/skills/frontmatter.js';

const library = (text: string) => {
  const read = readFields(text, yaml);
  return read.ok && !read.repaired ? asObject(read.fields) : undefined;
};

const asObject = (fields: ReadonlyMap<string, unknown>): object =>
  Object.fromEntries([...fields].map(([key, value]) => [key, value instanceof Map ? asObject(value) : value]));

describe('the fast reader of plain frontmatter', () => {
  it.each([
    'name: git\ndescription: Git deployment workflow',
    'name: "quoted"\ndescription: \'single\'',
    'name:   spaced   \ndescription: ends with dots...   ',
    'name: 007\ndescription: true',
    'name: a\r\ndescription: with CRLF\r\n',
    'name: größe\ndescription: 日本語 text, with [brackets] {braces} & more',
    'description: a "quoted" word and a#hash without space before',
    'url: https://example.org/a?b=c',
    'name: a\ndescription: >-\n  folded over\n  two lines: yes\nlicense: MIT\n',
    'name: a\ndescription: >\n  folded\n  # no comment\n\nlicense: MIT\n',
    'name: a\ndescription: |\n    - kept\n    * as it is\n',
    'name: a\nmetadata:\n  author: me\n  version: "1.0"\ndescription: d\n',
  ])('reads %j as YAML does', (text) => {
    expect(readPlainFields(text)).toBeDefined();
    expect(asObject(readPlainFields(text) ?? new Map())).toEqual(library(text));
  });

  it.each([
    'name: |\n  block\n\n  more',
    'name: >-\n  a\n    b',
    'm:\n  - a',
    'm:\n  a:\n    b: c',
    'name: |+\n  a',
    'm:\n  a: 1\n b: 2',
    'name: [a]',
    'name: a: b',
    'name: a #comment',
    'name: &anchor x',
    'name: a\n  continued',
    '- a',
    'name: "a\\n"',
    'name:',
    'a: 1\na: 2',
    '# comment',
    'name: "a" b',
    'name: a:',
    "name: 'it''s'",
    '\tname: x',
    'name: @x',
  ])('leaves %j to the library', (text) => expect(readPlainFields(text)).toBeUndefined());

  it('agrees with the library on everything that it accepts', () => {
    const value = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.string({ unit: fc.constantFrom(...'ab :#"\'\\-[]{}&*!|>%@`,?~.\t\r\u00a0\u0085\u2028é0'), maxLength: 20 }),
      fc.constantFrom('plain words', '"quoted"', "'single'", '', '>-', '>', '|', '|-', '|+', '>2'),
    );
    const indent = fc.constantFrom('', '', '', ' ', '  ', '  ', '    ', '\t');
    const key = fc.constantFrom('name', 'description', 'license', 'x-y', 'on', '0', '- a', '# c');
    const line = fc.oneof(
      fc.tuple(indent, key, fc.constantFrom(': ', ': ', ':', ':  ', ' : '), value).map((parts) => parts.join('')),
      fc.tuple(indent, value).map((parts) => parts.join('')),
    );
    const words = fc
      .array(fc.constantFrom('a', 'b: c', '#d', '- e', '"f"', "g'", 'h:', '  i', '{j}', 'é', '*k', '...', '---', ''), {
        minLength: 1,
        maxLength: 4,
      })
      .map((each) => each.join(' '));
    const block = fc
      .tuple(
        fc.constantFrom('name', 'description', 'metadata'),
        fc.constantFrom('>-', '>', '|', '|-', ''),
        fc.constantFrom(' ', '  ', '    '),
        fc.array(
          fc.oneof(
            words,
            fc.tuple(key, fc.constant(': '), value).map((parts) => parts.join('')),
          ),
          { minLength: 1, maxLength: 3 },
        ),
      )
      .map(([name, header, space, inner]) => [`${name}: ${header}`, ...inner.map((each) => space + each)]);
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            block,
            line.map((each) => [each]),
          ),
          { maxLength: 4 },
        ),
        fc.constantFrom('\n', '\r\n'),
        (lines, end) => {
          const text = lines
            .flat()
            .map((each) => each + end)
            .join('');
          const plain = readPlainFields(text);
          if (plain === undefined || plain.size === 0) return;
          accepted++;
          expect(asObject(plain)).toEqual(library(text));
        },
      ),
      { numRuns: 2_000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});

describe('frontmatter that is not valid YAML', () => {
  it('is read with a warning if only a colon is not quoted', () => {
    const read = readFields('name: x\ndescription: Use this: when you must\nlicense: MIT', yaml);
    expect(read).toMatchObject({ ok: true, repaired: true });
    expect(read.ok && read.fields.get('description')).toBe('Use this: when you must');
  });

  it('is reported with its line in the file', () => {
    expect(readFields('name: x\ndescription: "open\n', yaml)).toMatchObject({ ok: false, line: expect.any(Number) });
    expect(readFields('name: x\nfoo: ]\n', yaml)).toMatchObject({ ok: false, line: 3 });
    expect(readFields('just text', yaml)).toMatchObject({ ok: false, message: expect.stringContaining('mapping') });
  });

  it('is found after a byte order mark and with CRLF, and only between its two lines', () => {
    expect(findFrontmatter('\ufeff---\r\nname: x\r\n---\r\nbody')).toEqual({ found: true, yaml: 'name: x\r\n' });
    expect(findFrontmatter('---  \nname: x\n---\t\nbody')).toMatchObject({ found: true });
    expect(findFrontmatter('# text\n---\n')).toEqual({ found: false, reason: 'absent' });
    expect(findFrontmatter('---\nname: x\n')).toEqual({ found: false, reason: 'unclosed' });
  });
});
