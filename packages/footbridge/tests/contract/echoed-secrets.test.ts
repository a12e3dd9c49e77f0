/** Errors repeat parts of a request, but never a secret in it. */
import { Catalog, createServer, defineResource, defineResources, skillFolders } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { echo } from '../../src/errors.js';
import { createWorld } from '../support/folders.js';
import { connect, type MemoryClient } from '../support/memory.js';

// Put together here, so that no scanner takes this file for a leak.
const letters = (count: number) => 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8cF0xL'.repeat(4).slice(0, count);
const SECRETS: Readonly<Record<string, string>> = {
  GitHub: `ghp_${letters(36)}`,
  'GitHub, fine-grained': `github_pat_${letters(22)}_${letters(59)}`,
  GitLab: `glpat-${letters(20)}`,
  'AWS key id': `AKIA${'IOSFODNN7EXAMPLE'}`,
  'AWS secret': `wJalrXUtnFEMI0K7MDENG0bPxRfiCY${letters(10)}`,
  Slack: `xoxb-${'123456789012'}-${'1234567890123'}-${letters(24)}`,
  Stripe: `sk_live_${letters(24)}`,
  OpenAI: `sk-proj-${letters(48)}`,
  Anthropic: `sk-ant-api03-${letters(80)}`,
  'Google API key': `AIza${letters(35)}`,
  'Google token': `ya29.${letters(40)}`,
  JWT: `eyJ${letters(20)}.eyJ${letters(30)}.${letters(43)}`,
  npm: `npm_${letters(36)}`,
};
const PLAIN = 'swordfish-of-the-north';
const KEY_BODY = letters(64);
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${KEY_BODY}\n-----END RSA PRIVATE KEY-----`;

/** Inputs with the part of them that must not be shown. */
const INPUTS: readonly (readonly [string, string, string])[] = [
  ...Object.entries(SECRETS).flatMap(([issuer, secret]): [string, string, string][] => [
    [`${issuer} as a name`, secret, secret],
    [`${issuer} in a path`, `skill://${secret}/SKILL.md`, secret],
    [`${issuer} in another path`, `docs://pages/${secret}/index`, secret],
    [`${issuer} in a query`, `https://example.org/a?x=${secret}&y=1`, secret],
    [`${issuer} in a fragment`, `https://example.org/a#${secret}`, secret],
    [
      `${issuer} percent-encoded`,
      `docs://pages/${secret.replaceAll(/[_.-]/g, (each) => `%${each.charCodeAt(0).toString(16)}`)}`,
      secret.slice(-16),
    ],
  ]),
  ['a private key', PEM, KEY_BODY],
  ['a private key in a URI', `docs://${encodeURIComponent(PEM)}`, KEY_BODY],
  ['userinfo', `https://user:${PLAIN}@example.org/a`, PLAIN],
  ['userinfo, encoded', `https%3A%2F%2Fuser%3A${PLAIN}%40example.org`, PLAIN],
  ...['token', 'key', 'password', 'access_token', 'api_key'].flatMap((name): [string, string, string][] => [
    [`${name}= in a query`, `https://example.org/a?${name}=${PLAIN}&page=2`, PLAIN],
    [`${name}= in a fragment`, `https://example.org/a#${name}=${PLAIN}`, PLAIN],
    [`${name}%3D`, `https://example.org/a?q=${name}%3D${PLAIN}`, PLAIN],
    [`${name}= twice encoded`, `https://example.org/a?q=${name}%253D${PLAIN}`, PLAIN],
    [`${name}= in a skill's URI`, `skill://pdf/SKILL.md?${name}=${PLAIN}`, PLAIN],
  ]),
];

const ORDINARY = [
  ...[
    'pdf',
    'office:pdf',
    'auth:login',
    'session:list',
    'key-vault',
    'token-count',
    'secrets-manager',
    'API keys of tomorrow',
    'bulk-19999',
  ],
  ...['skill://auth/SKILL.md', 'auth://status', 'metadata://templates/standard', 'docs://pages/password-reset', 'keys://all'],
  ...[
    'skill://csv-cleanup/assets/orders.csv',
    'https://example.org/a?page=2&q=password',
    'workflow://w/0f8fad5b-d9cb-469f-a165-70867728950e/status',
  ],
  ...[
    'git://commit/da39a3ee5e6b4b0d3255bfef95601890afd80709',
    'docs://%C3%BCber/100%25',
    'file:notes.txt',
    '../../etc/hosts',
    '/home/ada/skills',
  ],
];

async function serve(): Promise<MemoryClient> {
  const world = createWorld();
  world.skill('project/team/pdf');
  world.skill('project/team/ghp');
  const catalog = await Catalog.open([
    skillFolders({ folders: [world.path('project/team')], standardFolders: false, watch: false }),
    defineResources([
      defineResource({ uri: 'docs://about', name: 'about', read: () => '' }),
      defineResource({ uri: 'notes://{name}', name: 'note', read: () => undefined }),
    ]),
  ]);
  onTestFinished(() => catalog.close());
  return connect(createServer({ catalog, prompts: true }));
}

const CALLS: readonly (readonly [string, (input: string) => readonly [string, Record<string, unknown>]])[] = [
  ['skill', (name) => ['tools/call', { name: 'skill', arguments: { name } }]],
  ['get_skill', (uri) => ['tools/call', { name: 'get_skill', arguments: { uri } }]],
  ['get_resource', (uri) => ['tools/call', { name: 'get_resource', arguments: { uri } }]],
  [
    'get_resource, by a template',
    (name) => ['tools/call', { name: 'get_resource', arguments: { uri: 'notes://{name}', variables: { name } } }],
  ],
  ['get_resource, by another template', (uri) => ['tools/call', { name: 'get_resource', arguments: { uri, variables: { [uri]: uri } } }]],
  ['get_resources', (uri) => ['tools/call', { name: 'get_resources', arguments: { uris: [uri, 'docs://nothing'] } }]],
  ['list_skills', (query) => ['tools/call', { name: 'list_skills', arguments: { query: query.slice(0, 500) } }]],
  ['an unknown argument', (name) => ['tools/call', { name: 'skill', arguments: { name: 'pdf', [name]: 1 } }]],
  ['an unknown tool', (name) => ['tools/call', { name, arguments: {} }]],
  ['an unknown prompt', (name) => ['prompts/get', { name }]],
  ['resources/read', (uri) => ['resources/read', { uri }]],
  ['resources/directory/read', (uri) => ['resources/directory/read', { uri }]],
  ['skills/get', (uri) => ['skills/get', { uri }]],
  ['an unknown method', (method) => [method, {}]],
];

describe('errors do not repeat secrets from the input', () => {
  it.each(CALLS)('%s', async (_, callFor) => {
    const client = await serve();
    for (const [kind, input, secret] of INPUTS) {
      const { id: _id, ...answer } = await client.request(...callFor(input));
      expect(JSON.stringify(answer), kind).not.toContain(secret);
    }
  });

  it('ordinary names and URIs are repeated as they are', () => {
    for (const input of ORDINARY) expect(echo(input)).toBe(input);
  });

  it('the text around a secret is repeated', () => {
    expect(echo(`https://user:${PLAIN}@example.org/a?token=${PLAIN}&page=2`)).toBe(
      'https://[redacted]@example.org/a?token=[redacted]&page=2',
    );
    expect(echo(`skill://${SECRETS['GitHub']}/SKILL.md`)).toBe('skill://[redacted]/SKILL.md');
  });
});
