/** Files that others wrote: skills, a configuration, the files of hosts. */
import fc from 'fast-check';
import type { ConfigCase, HostCase, SkillCase } from '../case.js';
import { HOST_FILES } from '../targets/files.js';
import { many, repeat, text, type Value } from '../value.js';
import { hostileValue, longText, mutated, oddName, oddText, unit } from './values.js';

const MAX_TEXT = 300_000;

/** YAML that is hard to read: flow collections, keys that are collections, anchors, block scalars and tags. */
const hardYaml: fc.Arbitrary<Value> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        '{',
        '[',
        '{a: ',
        '[a, ',
        '{? ',
        '- ',
        '? ',
        '{[',
        '&a [',
        '!!map {',
        '"',
        "'",
        '|\n ',
        '>\n ',
        '*a ',
        '# ',
        '{*a : ',
        '- - ',
      ),
      fc.nat({ max: 4000 }),
    )
    .map(([each, times]) => repeat(each, times)),
  fc
    .tuple(fc.constantFrom('{', '['), fc.constantFrom('}', ']'), fc.nat({ max: 400 }))
    .map(([open, close, depth]) => text(repeat(open, depth), repeat(close, depth))),
  fc
    .nat({ max: 12 })
    .map((levels) => text('&a0 [x]', ...Array.from({ length: levels }, (_, at) => `, &a${at + 1} [*a${at}, *a${at}, *a${at}]`))),
  // An anchor within itself, at some depth, and beside a long text.
  fc
    .tuple(fc.constantFrom('[', '{a: ', '{"a": {b: ', '- ', '\n  c:\n    - '), fc.nat({ max: 6 }), fc.nat({ max: 15_000 }))
    .map(([open, depth, length]) =>
      text('&a [', repeat('b', length), ', ', repeat(open, depth), '*a', repeat(open.includes('{') ? '}' : ']', depth), ']'),
    ),
  // A text that is named very often, and escapes that are valid or not.
  fc
    .tuple(fc.nat({ max: 15_000 }), fc.nat({ max: 110 }))
    .map(([length, times]) => text('{a: &a "', repeat('b', length), '", b: [', repeat('*a, ', times), ']}')),
  fc
    .tuple(fc.constantFrom('\\q', '\\x', '\\x41', '\\0', '\\U0010ffff', '\\\n', ' \n'), fc.nat({ max: 7000 }))
    .map(([each, times]) => text('"', repeat(each, times), '"')),
  longText(15_000),
  oddText,
);

const frontmatter: fc.Arbitrary<Value> = fc
  .array(
    fc.tuple(
      fc.constantFrom('name', 'description', 'license', 'metadata', 'allowed-tools', 'compatibility', 'x', '? a', '<<', '"\\u0000"'),
      hardYaml,
    ),
    { maxLength: 4 },
  )
  .map((pairs) => text('---\n', ...pairs.flatMap(([key, value]): Value[] => [key, ': ', value, '\n']), '---\n'));

const body: fc.Arbitrary<Value> = fc.oneof(
  longText(MAX_TEXT),
  fc.constantFrom<Value>('# Title\n\nText.\n', '', '[a](../../../outside/secret.txt)\n', '```\n', '![a](b.png)'),
  fc.tuple(unit, fc.nat({ max: 20_000 })).map(([each, times]) => text('# ', repeat(each, times), '\n')),
  // Much for lint to find.
  fc
    .tuple(
      fc.constantFrom('TODO x\n', '[a](b{#}.md)\n', '[a](b{#}.md) ', 'password = "aB3dE6gH9jK2mN5p{#}"\n', '<your name>\n'),
      fc.nat({ max: 20_000 }),
    )
    .map(([each, times]) => text(many(each, times))),
);

export const skillText: fc.Arbitrary<Value> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(frontmatter, body).map((parts) => text(...parts)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(oddText, longText(4000), body)
      .map(([name, description, rest]) => text('---\nname: ', name, '\ndescription: ', description, '\n---\n', rest)),
  },
  { weight: 1, arbitrary: body },
  { weight: 1, arbitrary: body.map((rest) => text('---\nname: first\ndescription: The first one.\n---\n', rest)) },
);

const folderName = fc.oneof(
  fc.constantFrom('first', 'a', 'a/b/c/d', 'x/y', '.hidden', 'node_modules/x', 'A', 'first/inner'),
  oddName,
  fc.tuple(unit, fc.nat({ max: 60 })).map(([each, times]) => each.repeat(times)),
);

export const skillCase: fc.Arbitrary<SkillCase> = fc.record({
  entry: fc.constant('skill' as const),
  files: fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.record({ path: folderName.map((name) => `${name}/SKILL.md`), text: skillText }) },
      { weight: 1, arbitrary: fc.record({ path: fc.tuple(folderName, oddName).map((parts) => parts.join('/')), text: body }) },
    ),
    { minLength: 1, maxLength: 4 },
  ),
  links: fc.array(
    fc.record({
      path: folderName,
      target: fc.constantFrom('..', '.', '../../../outside', '/etc', '/dev/zero', '/proc/self/fd', 'first', 'nowhere'),
    }),
    { maxLength: 2 },
  ),
  folders: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 3000 }) }),
  crowd: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 30_000 }) }),
  query: fc.oneof(
    longText(600),
    oddText,
    fc.array(unit, { maxLength: 20 }).map((units) => units.map((each) => each.repeat(20)).join(' ')),
  ),
});

/** Nothing that could be started or reached. */
const SERVER: Value = {
  command: '/nonexistent/server',
  args: ['-y', 'x'],
  env: { A: '\u0024{FUZZ_NONE:-b}' },
  tools: ['a*'],
  prefix: 'x_',
};
const REMOTE: Value = { url: 'http://127.0.0.1:9/mcp', headers: { 'X-Key': '\u0024{FUZZ_NONE:-k}' } };

const CONFIG: Value = {
  skills: ['./team', '~/skills'],
  standardFolders: false,
  mcpServers: { one: SERVER, two: REMOTE },
  tools: { skill: true, get_resource: { description: 'x' } },
  catalogue: 'tool',
  hosts: { 'claude-code': { part: 1000 } },
  identity: { name: 'a', roles: ['reader'] },
  http: {
    tokens: [{ name: 'a', sha256: '31adc7ff0dd1382fea27f2590293ec18d756f0359305f150c0930e8749d832af', roles: ['reader'] }],
    roles: { reader: { skills: ['*'], resources: ['docs://*'], tools: ['*'] } },
    limits: { burst: 5 },
    publicUrl: 'https://mcp.example.org',
    hosts: ['a.example'],
    origins: ['https://a.example'],
  },
};

/** Changes of the text itself: what a parser meets that no serializer writes. */
function spoiled(valid: string): fc.Arbitrary<Value> {
  return fc
    .record({ at: fc.nat({ max: valid.length }), cut: fc.nat({ max: 40 }), put: fc.oneof(longText(MAX_TEXT), oddText, hardYaml) })
    .map(({ at, cut, put }) => text(valid.slice(0, at), put, valid.slice(at + cut)));
}

export const configCase: fc.Arbitrary<ConfigCase> = fc
  .oneof(
    mutated(CONFIG, MAX_TEXT).map((value): Value => (typeof value === 'object' && value !== null ? text(value) : value)),
    spoiled(JSON.stringify(CONFIG, undefined, 2)),
    hostileValue(MAX_TEXT),
  )
  .filter((value) => !/"(?:command|url|packs)":"(?!\/nonexistent|http:\/\/127\.0\.0\.1:9)/.test(JSON.stringify(value)))
  .map((value) => ({ entry: 'config', text: value }));

const HOST_TEXTS: Readonly<Record<string, string>> = {
  json: JSON.stringify(
    {
      mcpServers: { one: { command: '/nonexistent/server', args: ['x'] }, two: { url: 'http://127.0.0.1:9/mcp' } },
      servers: {},
      theme: 'dark',
    },
    undefined,
    2,
  ),
  toml: 'model = "x"\n\n[mcp_servers.one]\ncommand = "/nonexistent/server"\nargs = ["x"]\n\n[mcp_servers.two]\nurl = "http://127.0.0.1:9/mcp"\n',
  yaml: 'extensions:\n  one:\n    type: stdio\n    cmd: /nonexistent/server\n    args: [x]\n    enabled: true\n',
};

export const hostCase: fc.Arbitrary<HostCase> = fc.constantFrom(...Object.keys(HOST_FILES)).chain((host) => {
  const format = host === 'codex' ? 'toml' : host === 'goose' ? 'yaml' : 'json';
  return fc
    .oneof(
      { weight: 4, arbitrary: spoiled(HOST_TEXTS[format] ?? '') },
      { weight: 1, arbitrary: hostileValue(MAX_TEXT) },
      { weight: 1, arbitrary: hardYaml },
    )
    .map((value): HostCase => ({ entry: 'host', host, text: value }));
});
