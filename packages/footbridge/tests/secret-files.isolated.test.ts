/** `.env`, private keys and similar files in a skill folder are refused by default, on every route. */
import { symlinkSync } from 'node:fs';
import { Catalog, createLog, createServer, footbridge, skillFolders } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasSecretName, isPrivateKey } from '../src/sources/skills/secret-files.js';
import type { Json } from './support/client.js';
import { run, runIn } from './support/command.js';
import { createWorld, type World } from './support/folders.js';
import { connect, type MemoryClient } from './support/memory.js';
import { serveHere } from './support/serve-here.js';

// Put together here, so that no scanner takes this file for a leak.
const VALUE = ['sw0rd', 'f1sh'].join('');
const KEY = `-----BEGIN OPENSSH ${'PRIVATE'} KEY-----\n${VALUE}\n-----END OPENSSH ${'PRIVATE'} KEY-----\n`;

const REFUSED = [
  ...['.env', '.env.production', '.ENV.local', '.envrc', 'config/.env', '.netrc', '.npmrc', '.git-credentials', 'credentials'],
  ...['id_rsa', 'ID_RSA', 'keys/id_ed25519', 'id_rsa.bak', 'server.pem', 'server.KEY', 'store.p12', 'credentials.json'],
  ...['.ssh/config', '.SSH/other', '.aws/credentials', '.aws/config', '.kube/config'],
];
const SERVED = [
  ...['.env.example', '.env.sample', '.env.local.template', 'id_rsa.pub', '.ssh/id_ed25519.pub', 'environment.md', 'credentials.md'],
  ...['keys.md', 'key', 'pem.txt', 'env', 'ssh/config', 'monkey', 'id_rsa_guide.md'],
];

/** A skill with such files, and with links to them under other names. */
function createSkill(world: World = createWorld()): World {
  world.skill('project/team/deploy', { body: 'See [the settings](settings.md).\n' });
  const write = (path: string, text: string) => world.write(`project/team/deploy/${path}`, text);
  write('.env', `DB_PASSWORD=${VALUE}\n`);
  write('keys/id_rsa', KEY);
  write('.ssh/config', VALUE);
  write('notes.txt', KEY);
  write('settings.md', 'Settings.');
  write('.env.example', 'DB_PASSWORD=\n');
  write('guide.md', `A key looks like this:\n\n${KEY}`);
  symlinkSync('.env', world.path('project/team/deploy/public.md'));
  symlinkSync('keys', world.path('project/team/deploy/docs'));
  return world;
}

const SECRET_PATHS = ['.env', 'keys/id_rsa', '.ssh/config', 'notes.txt', 'public.md', 'docs/id_rsa'];
const PUBLIC_PATHS = ['.env.example', 'SKILL.md', 'guide.md', 'settings.md'];

async function serve(serveSecrets?: boolean): Promise<MemoryClient> {
  const world = createSkill();
  const catalog = await Catalog.open([
    skillFolders({ folders: [world.path('project/team')], standardFolders: false, watch: false, serveSecrets }),
  ]);
  onTestFinished(() => catalog.close());
  return connect(createServer({ catalog }));
}

const uriOf = (path: string) => `skill://deploy/${path}`;

const READS: readonly (readonly [string, (uri: string) => readonly [string, Record<string, unknown>]])[] = [
  ['get_skill', (uri) => ['tools/call', { name: 'get_skill', arguments: { uri } }]],
  ['get_resource', (uri) => ['tools/call', { name: 'get_resource', arguments: { uri } }]],
  ['get_resources', (uri) => ['tools/call', { name: 'get_resources', arguments: { uris: [uri] } }]],
  ['resources/read', (uri) => ['resources/read', { uri }]],
];

describe('.env, private keys and similar files in a skill folder', () => {
  it.each(READS)('are rejected by %s, with the reason and how to allow it', async (_, callFor) => {
    const client = await serve();
    for (const path of SECRET_PATHS) {
      const answer = JSON.stringify(await client.request(...callFor(uriOf(path))));
      expect(answer, path).not.toContain(VALUE);
      expect(answer, path).toContain(`The file '${path}' is not served: it is likely to contain secrets.`);
      expect(answer.replaceAll('\\', ''), path).toContain('"serveSecrets": true');
    }
    for (const path of PUBLIC_PATHS) {
      const { error, result } = await client.request(...callFor(uriOf(path)));
      expect([error, result?.isError ?? false], path).toEqual([undefined, false]);
    }
  });

  it('are reported as not found if they do not exist', async () => {
    const client = await serve();
    const { structuredContent } = await client.call('get_resource', { uri: uriOf('other/.env') });
    expect(structuredContent.error).toBe('NotFound');
  });

  it('appear in no listing, manifest or completion', async () => {
    const client = await serve();
    const folder = async (uri: string) =>
      (await client.request('resources/directory/read', { uri })).result.resources.map((each: Json) => each.uri.replace(uriOf(''), ''));
    // What only its content tells is known when it is read.
    expect(await folder('skill://deploy')).toEqual([
      '.env.example',
      '.ssh',
      'SKILL.md',
      'docs',
      'guide.md',
      'keys',
      'notes.txt',
      'settings.md',
    ]);
    for (const empty of ['keys', 'docs', '.ssh']) expect(await folder(uriOf(empty))).toEqual([]);
    const { skills } = (await client.request('skills/list')).result;
    expect(skills[0].resources.map((each: Json) => each.uri)).toEqual(PUBLIC_PATHS.map(uriOf));
    for (const [variable, value] of [
      ['path', ''],
      ['path', '.e'],
      ['path', 'keys/'],
    ]) {
      const { result } = await client.request('completion/complete', {
        ref: { type: 'ref/resource', uri: 'skill://deploy/{+path}' },
        argument: { name: variable, value },
      });
      for (const path of SECRET_PATHS.slice(0, 3)) expect(JSON.stringify(result ?? {})).not.toContain(`"${path}"`);
    }
    expect(JSON.stringify(client.received)).not.toContain(VALUE);
  });

  it('are rejected by footbridge read, and omitted by show and shell completion', async () => {
    const world = createSkill();
    for (const path of SECRET_PATHS) {
      const { code, stderr, stdout } = await run(world, 'read', uriOf(path), '--skills', 'team');
      expect(code).toBe(1);
      expect(stdout + stderr).not.toContain(VALUE);
      expect(stderr).toContain('"serveSecrets": true');
    }
    const shown = JSON.parse((await run(world, 'show', 'deploy', '--json', '--skills', 'team')).stdout);
    expect(shown.files.map((each: Json) => each.uri).sort()).toEqual(PUBLIC_PATHS.map(uriOf));
    const completed = await runIn(world, {}, '__complete', 'zsh', '--', 'footbridge', '--skills=team', 'read', uriOf(''));
    expect(completed.stdout).toContain(uriOf('settings.md'));
    expect(completed.stdout).not.toContain(uriOf('.env\n'));
    expect(completed.stdout).not.toContain('id_rsa');
  });

  it('are served with "serveSecrets": true, also in a library', async () => {
    const client = await serve(true);
    for (const path of SECRET_PATHS) expect(JSON.stringify(await client.call('get_resource', { uri: uriOf(path) })), path).toContain(VALUE);
    // A folder that is reached twice is published once.
    const { skills } = (await client.request('skills/list')).result;
    expect(skills[0].resources).toHaveLength(SECRET_PATHS.length + PUBLIC_PATHS.length - 1);

    const world = createSkill();
    world.write('project/footbridge.json', '{ "skills": ["./team"], "serveSecrets": true }');
    const host = await serveHere(world, '--config', 'footbridge.json');
    expect(JSON.stringify(await host.call('get_resource', { uri: uriOf('.env') }))).toContain(VALUE);

    const { McpServer } = await import('@modelcontextprotocol/server');
    const own = footbridge(new McpServer({ name: 'own', version: '1' }), {
      skills: [world.path('project/team')],
      serveSecrets: true,
      log: createLog('error'),
    });
    const author = await connect(own);
    await author.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } });
    expect(JSON.stringify(await author.call('get_resource', { uri: uriOf('.env') }))).toContain(VALUE);
  });

  it('are reported by lint, and by doctor', async () => {
    const world = createSkill();
    world.write('project/footbridge.json', '{ "skills": ["./team"], "standardFolders": false }');
    const expected = ['.env', '.ssh/config', 'keys/id_rsa', 'notes.txt', 'public.md'].map((path) => `team/deploy/${path}`);
    const { problems } = JSON.parse((await run(world, 'lint', '--json')).stdout);
    expect(problems.filter((each: Json) => each.rule !== 'description-when').map((each: Json) => [each.rule, each.file])).toEqual(
      expected.map((file) => ['secret-file', file]),
    );
    const { stdout } = await run(world, 'doctor', '--json');
    const found = JSON.parse(stdout).findings.filter((each: Json) => each.code === 'secret-file');
    expect(found.map((each: Json) => each.where)).toEqual(expected);
    expect(stdout).not.toContain(VALUE);
  });

  it('are allowed by a file in the working folder only once it is trusted', async () => {
    const world = createSkill();
    world.write('project/footbridge.json', '{ "skills": ["./team"], "serveSecrets": true }');
    const first = await runIn(world, {}, 'read', uriOf('.env'));
    expect(first.stdout + first.stderr).not.toContain(VALUE);
    expect(first.stderr).toContain('footbridge.json is not trusted yet, so "serveSecrets" is not used.');
    expect((await runIn(world, {}, 'trust', '--yes')).stdout).toContain('serve files of skills that are likely to contain secrets');
    expect((await runIn(world, {}, 'read', uriOf('.env'))).stdout).toContain(VALUE);
  });

  it('stay in the lock, so an older lock still matches', async () => {
    const world = createSkill();
    world.write('project/footbridge.json', '{ "skills": ["./team"], "standardFolders": false, "locked": true, "serveSecrets": true }');
    expect((await run(world, 'lock')).code).toBe(0);
    world.write('project/footbridge.json', '{ "skills": ["./team"], "standardFolders": false, "locked": true }');
    expect((await run(world, 'verify')).code).toBe(0);
    const host = await serveHere(world, '--config', 'footbridge.json');
    expect((await host.call('skill', { name: 'deploy' })).isError ?? false).toBe(false);
    expect((await host.call('get_resource', { uri: uriOf('settings.md') })).isError ?? false).toBe(false);
    expect((await host.call('get_resource', { uri: uriOf('.env') })).structuredContent.error).toBe('Unauthorized');
    const { skills } = (await host.request('skills/list')).result;
    expect(skills[0].resources).toHaveLength(PUBLIC_PATHS.length);
  });

  it('are recognized by their names in any case, and not confused with public ones', () => {
    for (const path of REFUSED) expect(hasSecretName(path), path).toBe(true);
    for (const path of [...SERVED, 'SKILL.md', 'references/SKILL.md']) expect(hasSecretName(path), path).toBe(false);
  });

  it('are recognized by a private key at the beginning, but not further down', () => {
    for (const kind of ['', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '])
      for (const before of ['', '\n', '\uFEFF', ' \r\n\t'])
        expect(isPrivateKey(Buffer.from(`${before}-----BEGIN ${kind}${'PRIVATE'} KEY-----\nabc`)), kind).toBe(true);
    expect(isPrivateKey(Buffer.from(`-----BEGIN PGP ${'PRIVATE'} KEY BLOCK-----`))).toBe(true);
    const others = [
      '',
      '-',
      '---\nname: x\n---\n',
      '-----BEGIN CERTIFICATE-----',
      '-----BEGIN PUBLIC KEY-----',
      `# Keys\n${KEY}`,
      `\`\`\`\n${KEY}`,
    ];
    for (const text of others) expect(isPrivateKey(Buffer.from(text)), text).toBe(false);
  });
});
