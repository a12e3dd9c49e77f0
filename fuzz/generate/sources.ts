/** What is fetched: archives, indexes, registries, plugins and marketplaces; and the lock of it. */
import fc from 'fast-check';
import type { FileText, LockCase, Packed, Page, Site, SourceCase } from '../case.js';
import { many, repeat, text, type Value } from '../value.js';
import { skillText } from './files.js';
import { count, hostileValue, longText, mutated, oddName, oddText, unit } from './values.js';

const MAX = 1_500_000;
const DIGEST = `sha256:${'0'.repeat(64)}`;

const page = (body: Page['body'], headers: Page['headers'] = []): Page => ({ status: 200, headers, body });

const filePath: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom(
    'first/SKILL.md',
    'SKILL.md',
    'package/first/SKILL.md',
    'first/notes.md',
    '../out',
    '/etc/x',
    'first/../../out',
    'C:x',
    'a\\b',
  ),
  fc.tuple(unit, fc.nat({ max: 90 })).map(([each, times]) => `${each.repeat(times)}/SKILL.md`.slice(0, 99)),
  oddName.map((name) => `first/${name}`),
);

const packed: fc.Arbitrary<Packed> = fc
  .record({
    $pack: fc.constantFrom('tgz' as const, 'zip' as const),
    files: fc.array(fc.record({ path: filePath, text: skillText }), { minLength: 1, maxLength: 4 }),
    cut: fc.option(fc.nat({ max: 2000 }), { nil: undefined, freq: 8 }),
  })
  .map(({ $pack, cut, files }): Packed => ({ $pack, files: files as FileText[], ...(cut === undefined ? {} : { cut }) }));

/** Good, wrong in some way, or anything. */
function document(valid: Value): fc.Arbitrary<Value> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(valid) },
    { weight: 6, arbitrary: mutated(valid, MAX) },
    { weight: 1, arbitrary: hostileValue(MAX) },
  );
}

const archives = fc.tuple(fc.constantFrom('first.skill', 'first.tgz', 'first.zip', 'first.tar.gz'), packed).map(([name, body]) => ({
  source: `{site}/${name}`,
  site: { [`/${name}`]: page(body) } as Site,
}));

const wellKnown = fc
  .tuple(
    packed,
    skillText,
    document({
      skills: [
        { name: 'first', type: 'archive', description: 'x', url: '/first.zip', digest: 'sha256:{sha256:/first.zip}' },
        { name: 'second', type: 'skill-md', description: 'x', url: '/second.md', digest: 'sha256:{sha256:/second.md}' },
        { name: 'third', description: 'x', files: ['SKILL.md', 'notes.md'] },
      ],
    }),
  )
  .map(([body, markdown, index]) => ({
    source: '{site}',
    site: { '/.well-known/agent-skills/index.json': page(index), '/first.zip': page(body), '/second.md': page(markdown) } as Site,
  }));

const npm = fc
  .tuple(
    packed,
    fc.constantFrom('npm:skills', 'npm:skills@^1', 'npm:skills@1.0.0', 'npm:@scope/skills', 'npm:skills@>=1 <3 || 5.x'),
    document({
      name: 'skills',
      'dist-tags': { latest: '1.0.0', next: '2.0.0-beta.1' },
      versions: {
        '1.0.0': {
          name: 'skills',
          version: '1.0.0',
          dist: {
            tarball: '{site}/skills.tgz',
            integrity: 'sha512-{sha512:/skills.tgz}',
            shasum: '00',
            signatures: [{ keyid: 'SHA256:x', sig: 'MEUCIQ==' }],
            attestations: { url: '{site}/attestations', provenance: { predicateType: 'https://slsa.dev/provenance/v1' } },
          },
        },
        '2.0.0-beta.1': { deprecated: 'x', dist: { tarball: '{site}/skills.tgz' } },
      },
    }),
  )
  .map(([body, source, answer]) => ({
    source,
    site: { '/skills': page(answer), '/@scope%2fskills': page(answer), '/skills.tgz': page(body), '/attestations': page(answer) } as Site,
  }));

const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';
const oci = fc
  .tuple(
    packed,
    document({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: { mediaType: 'application/vnd.oci.empty.v1+json', digest: DIGEST, size: 2 },
      layers: [
        {
          mediaType: LAYER,
          digest: 'sha256:{sha256:/layer}',
          size: { $raw: ['{size:/layer}'] },
          annotations: { 'org.opencontainers.image.title': 'first.tgz' },
        },
      ],
      annotations: { a: 'b' },
    }),
    document({ manifests: [{ mediaType: 'application/vnd.oci.image.manifest.v1+json', digest: DIGEST, size: 3, artifactType: 'x' }] }),
    document({ token: 'given', access_token: 'given', expires_in: 60 }),
    fc.option(
      fc.oneof(
        fc.constant<Value>('Bearer realm="{site}/token",service="x",scope="y"'),
        fc
          .tuple(unit, fc.nat({ max: 6000 }))
          .map(([each, times]) => text('Bearer realm="{site}/token', repeat(each, Math.floor(times / each.length)), '"')),
        longText(10_000),
      ),
      { nil: undefined, freq: 2 },
    ),
  )
  .map(([body, manifest, referrers, token, challenge]) => ({
    source: 'oci://{host}/skills/one:1.0.0',
    site: {
      '/v2/skills/one/manifests/1.0.0':
        challenge === undefined ? page(manifest) : { ...page(manifest, [['www-authenticate', challenge]]), status: 401 },
      '/layer': page(body),
      '/v2/skills/one/blobs/sha256:{sha256:/layer}': page(body),
      '/v2/skills/one/referrers/sha256:{sha256:/v2/skills/one/manifests/1.0.0}': page(referrers),
      '/token': page(token),
    } as Site,
  }));

const SERVERS: Value = {
  mcpServers: {
    one: { command: 'node', args: ['\u0024{CLAUDE_PLUGIN_ROOT}/server.js'], env: { A: '\u0024{HOME}' } },
    two: { type: 'http', url: 'https://example.org/mcp', headers: { Authorization: 'Bearer \u0024{TOKEN}' } },
  },
};
const plugin = fc
  .record({
    '.claude-plugin/marketplace.json': document({
      name: 'market',
      metadata: { pluginRoot: './plugins' },
      plugins: [
        { name: 'one', source: './one', strict: false, skills: ['./skills'], mcpServers: './.mcp.json' },
        { name: 'two', source: { source: 'github', repo: 'owner/repo' } },
      ],
    }),
    '.claude-plugin/plugin.json': document({ name: 'one', version: '1', skills: ['./skills', './more'], mcpServers: SERVERS }),
    'plugin.json': document({ $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json', name: 'one', version: '1.0.0' }),
    'mcp.json': document({ $schema: 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json', ...(SERVERS as object) }),
    '.mcp.json': document(SERVERS),
    'skills/first/SKILL.md': skillText,
    'plugins/one/skills/second/SKILL.md': skillText,
  })
  .chain((all) => fc.subarray(Object.entries(all), { minLength: 2 }))
  .map((files) => ({
    source: './plugin',
    site: {} as Site,
    files: files.map(([path, body]): FileText => ({ path: `plugin/${path}`, text: asText(body) })),
  }));

/** A file is text: a value in it is JSON. */
function asText(value: Value): Value {
  return typeof value === 'object' && value !== null ? text(value) : value;
}

export const sourceCase: fc.Arbitrary<SourceCase> = fc
  .oneof(
    archives.map((each) => ({ ...each, files: [] })),
    wellKnown.map((each) => ({ ...each, files: [] })),
    npm.map((each) => ({ ...each, files: [] })),
    oci.map((each) => ({ ...each, files: [] })),
    plugin,
  )
  .map((each): SourceCase => ({ entry: 'source', ...each }));

const FILE: Value = { path: 'SKILL.md', digest: DIGEST, size: 3 };
const SOURCE: Value = {
  source: './team',
  kind: 'folder',
  version: '1',
  resolved: { commit: 'x' },
  promised: 'x',
  signer: { method: 'npm', identity: 'x', issuer: 'y' },
  content: DIGEST,
  skills: [{ folder: 'first', name: 'first', description: 'x', files: [FILE] }],
};
const LOCK: Value = {
  lockVersion: 1,
  scope: 'all',
  skills: [
    { uri: 'skill://first', origin: './skills', description: 'x', files: [{ uri: 'skill://first/SKILL.md', digest: DIGEST, size: 3 }] },
  ],
  listings: [{ kind: 'tool', name: 'x', origin: 'y', digest: DIGEST, size: 3, entry: { name: 'x' } }],
  sources: [SOURCE],
};

/** Long lists of good entries, which are checked one by one. */
const large: fc.Arbitrary<Value> = count(20_000).chain((times) =>
  fc.constantFrom<Value>(
    { ...(LOCK as object), skills: many({ uri: 'skill://s-{#}', origin: './skills', description: 'x', files: [] }, times) },
    {
      ...(LOCK as object),
      listings: many({ kind: 'tool', name: 'x-{#}', origin: 'y', digest: DIGEST, size: 3, entry: { name: 'x' } }, times),
    },
    {
      ...(LOCK as object),
      skills: [],
      listings: [],
      sources: many({ ...(SOURCE as object), source: './team-{#}' }, Math.min(times, 5000)),
    },
    {
      ...(LOCK as object),
      sources: [
        {
          ...(SOURCE as object),
          skills: [{ folder: 'first', name: 'x', description: 'x', files: many({ path: 'f-{#}', digest: DIGEST, size: 3 }, times) }],
        },
      ],
    },
  ),
);

export const lockCase: fc.Arbitrary<LockCase> = fc
  .record({
    isLocked: fc.boolean(),
    text: fc.oneof(
      { weight: 5, arbitrary: mutated(LOCK, MAX) },
      { weight: 3, arbitrary: large },
      { weight: 1, arbitrary: hostileValue(MAX) },
      { weight: 1, arbitrary: oddText },
    ),
  })
  .map(({ isLocked, text: given }): LockCase => ({ entry: 'lock', isLocked, text: asText(given) }));
