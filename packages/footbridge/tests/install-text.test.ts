/** Minimal edits of a configuration's text, how they are shown, and the command in the entry. */
import { join } from 'node:path';
import fc from 'fast-check';
import { parse as parseJsonc } from 'jsonc-parser';
import { stringify as toToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { stringify as toYaml } from 'yaml';
import { parseDocument } from '../src/cli/hosts/document.js';
import { difference, withoutSecrets } from '../src/cli/install/shown.js';
import { setValue } from '../src/cli/install/text/index.js';
import { isPublished, startWords } from '../src/cli/this-program.js';
import { createWorld } from './support/folders.js';

const ENTRY = { command: 'npx', args: ['-y', 'footbridge'] };

describe('a value in a configuration text', () => {
  // How a document is written: with what between its parts, and which line ends.
  const style = fc.record({
    indent: fc.constantFrom('  ', '    ', '\t', ''),
    end: fc.constantFrom('\n', '\r\n'),
    comments: fc.boolean(),
    trailing: fc.boolean(),
    mark: fc.constantFrom('', '\uFEFF'),
    last: fc.boolean(),
  });
  const key = fc.stringMatching(/^[a-z"\\{} ]{1,6}$/);
  const json = fc.letrec<{ value: unknown; fields: Record<string, unknown> }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('fields'),
    ),
    fields: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  }));

  function written(
    value: unknown,
    { comments, end, indent, trailing }: { indent: string; end: string; comments: boolean; trailing: boolean },
    depth = 0,
  ): string {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const isList = Array.isArray(value);
    const parts = isList
      ? value.map((item) => written(item, { comments, end, indent, trailing }, depth + 1))
      : Object.entries(value).map(
          ([name, item]) => `${JSON.stringify(name)}: ${written(item, { comments, end, indent, trailing }, depth + 1)}`,
        );
    const [open, close] = isList ? '[]' : '{}';
    if (parts.length === 0) return `${open}${comments ? '/* none */' : ''}${close}`;
    const line = `${end}${indent.repeat(depth + 1)}`;
    const commented = parts.map(
      (part, at) => `${part}${at < parts.length - 1 || trailing ? ',' : ''}${comments ? ` // ${depth}, "${at}" {` : ''}`,
    );
    return `${open}${line}${commented.join(line)}${end}${indent.repeat(depth)}${close}`;
  }

  it('of JSON with comments is inserted without changing other characters, and removed without a trace', async () => {
    await fc.assert(
      fc.asyncProperty(
        json.fields,
        fc.option(fc.dictionary(key, json.fields, { maxKeys: 3, noNullPrototype: true })),
        style,
        async (fields, servers, look) => {
          const text = `${look.mark}${written(servers === null ? fields : { ...fields, mcpServers: servers }, look)}${look.last ? look.end : ''}`;
          const added = await setValue('json', text, ['mcpServers', 'footbridge'], ENTRY);
          if (added === undefined) throw new Error('there is no text with it');
          expect(isWithin(text, added)).toBe(true);
          expect(parseJsonc(added.replace(/^\uFEFF/, '')).mcpServers.footbridge).toEqual(ENTRY);
          let removed = await setValue('json', added, ['mcpServers', 'footbridge'], undefined);
          if (servers === null) removed = await setValue('json', removed ?? '', ['mcpServers'], undefined);
          if (servers !== null && Object.keys(servers).length > 0) expect(removed).toBe(text);
          expect(await parseDocument(removed ?? '', 'json')).toEqual(await parseDocument(text, 'json'));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('of TOML and YAML is inserted and removed without changing the meaning, or the text of other values', async () => {
    const simple = fc.dictionary(
      fc.stringMatching(/^[a-z-]{1,6}$/),
      fc.oneof(
        fc.string(),
        fc.integer({ min: -1e9, max: 1e9 }),
        fc.boolean(),
        fc.array(fc.string(), { maxLength: 3 }),
        fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.string(), { maxKeys: 2, noNullPrototype: true }),
      ),
      { maxKeys: 4, noNullPrototype: true },
    );
    await fc.assert(
      fc.asyncProperty(
        simple,
        fc.dictionary(fc.stringMatching(/^[a-z.]{1,6}$/), simple, { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
        async (fields, servers) => {
          for (const [format, text] of [
            ['toml', toToml({ ...fields, servers })],
            ['yaml', toYaml({ ...fields, servers })],
          ] as const) {
            const added = await setValue(format, text, ['servers', 'footbridge'], ENTRY);
            if (added === undefined) throw new Error(`there is no ${format} with it`);
            const changed = await setValue(format, added, ['servers', 'footbridge', 'args'], ['x']);
            expect(await parseDocument(changed ?? '', format)).toMatchObject({ value: { servers: { footbridge: { args: ['x'] } } } });
            const removed = await setValue(format, added, ['servers', 'footbridge'], undefined);
            expect(await parseDocument(removed ?? '', format)).toEqual(await parseDocument(text, format));
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it.each([
    ['json', '// nothing yet\n', ['a', 'b'], 1, '// nothing yet\n{\n  "a": {\n    "b": 1\n  }\n}\n'],
    ['json', '{ "a": { "b": 1, "c": 2 } }', ['a', 'd'], [1, { e: 2 }], '{ "a": { "b": 1, "c": 2,"d":[1,{"e":2}] } }'],
    ['json', '{ "a": { "b": 1, "c": 2 } }', ['a', 'b'], undefined, '{ "a": { "c": 2 } }'],
    ['json', '{ "a": null }', ['a', 'b'], {}, '{ "a": {"b":{}} }'],
    ['json', '{"a": 1, "a": {"b": 1}}', ['a', 'b'], 2, '{"a": 1, "a": {"b": 2}}'],
    ['json', '{}', ['a', 'b'], undefined, '{}'],
    ['json', '[]', ['a'], 1, undefined],
    ['toml', 'a = { b = { c = 1 } } # x\n', ['a', 'b', 'd'], 'e', 'a = { b = { c = 1, d = "e" } } # x\n'],
    ['toml', 'a = { b = { c = 1 } }\n', ['a', 'b'], undefined, 'a = {}\n'],
    ['toml', 'a.b.c = 1\na.b.d = 2\n', ['a', 'b', 'c'], undefined, 'a.b.d = 2\n'],
    ['toml', '[a.b]\nc = """\n[a.x]\n""""\n# end', ['a', 'b', 'd'], [{ e: 1 }], '[a.b]\nc = """\n[a.x]\n""""\nd = [{ e = 1 }]\n# end'],
    ['toml', '[[a]]\nb = 1', ['c', 'd e'], { f: {} }, '[[a]]\nb = 1\n\n[c."d e"]\nf = {}'],
    ['toml', '[a]\nb = 1', ['a', 'c'], 1, '[a]\nb = 1\nc = 1'],
    ['toml', 'a = 1\n', ['b', 'c'], 1, undefined],
    ['yaml', '# none\n', ['a', 'b'], 1, '# none\na:\n  b: 1\n'],
    ['yaml', 'a: {b: {c: 1}}\n', ['a', 'b', 'd'], 2, 'a: { b: { c: 1, d: 2 } }\n'],
    ['yaml', 'a: {b: 1}\nid: 12345678901234567890\n', ['a', 'b'], 2, 'a: { b: 2 }\nid: 12345678901234567890\n'],
    ['yaml', 'a:\n  b: 1\n', ['a', 'b'], undefined, 'a:\n  {}\n'],
    ['yaml', 'a:\n  b: 1 # one\n  c: |\n    two\n', ['a', 'c'], 'x', 'a:\n  b: 1 # one\n  c: x\n'],
  ] as const)('%s %j, %j: %j', async (format, text, path, value, expected) => {
    expect(await setValue(format, text, path, value)).toBe(expected);
  });
});

/** Whether all characters of `part` are in `whole`, in their order. */
function isWithin(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (character === part[at]) at++;
  return at === part.length;
}

describe('a difference', () => {
  it('shows changes with a few lines of context, and separates distant ones', () => {
    const before = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);
    const after = [...before.slice(0, 4), 'new', ...before.slice(4, 20), ...before.slice(21)];
    const hunks = difference(before.join('\n'), `${after.join('\r\n')}\r\n`);
    expect(hunks.map(({ line, lines }) => [line, lines.length])).toEqual([
      [2, 7],
      [19, 7],
    ]);
    expect(hunks[0]?.lines[3]).toEqual({ kind: 'new', text: 'new' });
    expect(hunks[1]?.lines[3]).toEqual({ kind: 'gone', text: 'line 21' });
    expect(difference('a', 'a')).toEqual([]);
    const many = (name: string) => Array.from({ length: 2500 }, (_, at) => `${name} ${at}`).join('\n');
    expect(difference(many('a'), many('b'))[0]?.lines).toHaveLength(5000);
  });

  it.each([
    ['"API_KEY": "abc",', '', '"API_KEY": "…",'],
    ["token = 'abc' # x", '', "token = '…' # x"],
    ['  GITHUB_TOKEN: abc def # x', '', '  GITHUB_TOKEN: … # x'],
    ['"args": ["--api-key", "abc", "--verbose", "yes"]', '', '"args": ["--api-key", "…", "--verbose", "yes"]'],
    ['"--token=abc"', '', '"--token=…"'],
    ['    "abc",', '    "--password",', '    "…",'],
    ['    "AUTH_TOKEN",', '    "--env",', '    "AUTH_TOKEN",'],
    ['env: {API_KEY: abc, MODE: fast}', '', 'env: {API_KEY: …, MODE: fast}'],
    ['      abc', '    API_KEY: |-', '      …'],
    ['"postgres://ada:p$a@ss@db/x"', '', '"postgres://ada:…@db/x"'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the host's own placeholder
    ['"API_KEY": "${env:KEY}"', '', '"API_KEY": "${env:KEY}"'],
    ['"url": "ghp_abcdefghijklmnopqrstuvwxyz0123456789"', '', '"url": "…"'],
    ['"/home/ada/Work0/Some1/Long2/Path3/To4/footbridge.cjs"', '', '"/home/ada/Work0/Some1/Long2/Path3/To4/footbridge.cjs"'],
  ])('shows %s (after %s) as %s', (line, above, expected) => {
    expect(withoutSecrets(line, above)).toBe(expected);
  });
});

it('a line with one long word is shown quickly', () => {
  const word = 'x-'.repeat(50_000);
  expect(withoutSecrets(`${word} "API_KEY": "abc"`)).toBe(`${word} "API_KEY": "…"`);
});

describe('the command in an entry', () => {
  const published = { isPublished: true, node: '/usr/bin/node', file: '/x/bin/footbridge.cjs' };

  it('is npx for a package from the registry, through cmd on Windows if it passes arguments unchanged, and otherwise this program', () => {
    expect(startWords(published, ['--prompts'], 'linux')).toEqual(['npx', '-y', 'footbridge', '--prompts']);
    expect(startWords(published, ['wrap', 'https://x/?a=1'], 'win32')).toEqual([
      'cmd',
      '/c',
      'npx',
      '-y',
      'footbridge',
      'wrap',
      'https://x/?a=1',
    ]);
    expect(startWords(published, ['wrap', 'https://x/?a=1&b=2'], 'win32')).toEqual([
      '/usr/bin/node',
      '/x/bin/footbridge.cjs',
      'wrap',
      'https://x/?a=1&b=2',
    ]);
    expect(startWords({ ...published, isPublished: false }, [], 'linux')).toEqual(['/usr/bin/node', '/x/bin/footbridge.cjs']);
  });

  it('is determined by the metadata of the installer', () => {
    const world = createWorld();
    const isFrom = (entry: unknown) => {
      world.write('project/node_modules/.package-lock.json', JSON.stringify({ packages: { 'node_modules/footbridge': entry } }));
      return isPublished(join(world.project, 'node_modules', 'footbridge'));
    };
    expect(isFrom({ resolved: 'https://registry.example.org/footbridge-1.0.0.tgz' })).toBe(true);
    expect(isFrom({ resolved: 'file:footbridge-1.0.0.tgz' })).toBe(false);
    expect(isFrom({ resolved: 'https://registry.example.org/x', link: true })).toBe(false);
    expect(isFrom(undefined)).toBe(false);
    expect(isPublished(join(world.outside, 'footbridge'))).toBe(false);
    expect(isPublished('/x/node_modules/.pnpm/footbridge@1.0.0/node_modules/footbridge')).toBe(true);
  });
});
