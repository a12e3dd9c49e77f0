/** `footbridge token`: creates, lists and revokes tokens in footbridge.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findConfig } from '../src/cli/config/index.js';
import { silentLog } from '../src/log.js';
import { createAuthenticator } from '../src/serve/http/auth/index.js';
import { environmentOf, ioOf, runIn } from './support/command.js';
import { createWorld, type World } from './support/folders.js';

const token = (world: World, ...args: string[]) => runIn(world, { env: environmentOf(world) }, 'token', ...args);
const fileOf = (world: World) => readFileSync(join(world.project, 'footbridge.json'), 'utf8');

const COMMENTED = `{
  // Skills of the team.
  "skills": ["./team"],
  "http": {
    "tokens": [
      // For the build.
      { "name": "build", "sha256": "${'a'.repeat(64)}" }, // until spring
      { "name": "ops", "sha256": "${'b'.repeat(64)}", "roles": ["admin"] }
    ]
  }
}
`;

describe('footbridge token', () => {
  it('--write creates the file with only the digest of the token', async () => {
    const world = createWorld();
    const { stdout } = await token(world, 'ada', '--write', '--role', 'reader', '--expires', '90d', '--json');
    const { token: secret, entry, file } = JSON.parse(stdout);
    expect(file).toBe('footbridge.json');
    expect(fileOf(world)).not.toContain(secret);
    expect(JSON.parse(fileOf(world))).toEqual({ http: { tokens: [entry] } });
    expect(entry).toMatchObject({ name: 'ada', roles: ['reader'] });
    expect(Date.parse(entry.expires) - Date.now()).toBeGreaterThan(89 * 86_400_000);
    // The person who ran the command need not trust the file.
    const { http, untrusted } = await findConfig(undefined, ioOf(world, { env: environmentOf(world) }));
    expect(untrusted).toBeUndefined();
    expect(await createAuthenticator(http, silentLog).authenticate(`Bearer ${secret}`)).toMatchObject({
      ok: true,
      caller: { name: 'ada' },
    });
  });

  it('--write and revoke keep comments and layout', async () => {
    const world = createWorld();
    world.write('project/footbridge.json', COMMENTED);
    expect((await token(world, 'ada', '--write')).code).toBe(0);
    const added = fileOf(world);
    for (const kept of ['// Skills of the team.', '// For the build.', '// until spring', '"skills": ["./team"]'])
      expect(added).toContain(kept);
    expect((await token(world, 'revoke', 'ada')).code).toBe(0);
    expect((await token(world, 'revoke', 'ops')).code).toBe(0);
    expect(fileOf(world)).toContain('// For the build.');
    const listed = JSON.parse((await token(world, 'list', '--json')).stdout);
    expect(listed.tokens).toEqual([{ name: 'build', roles: [], expires: null, expired: false }]);
    const last = await token(world, 'revoke', 'build');
    expect(last.stdout).toContain('requires no token');
    expect(fileOf(world)).toContain('// Skills of the team.');
    expect((await token(world, 'list')).stdout).toContain('No tokens in footbridge.json.');
  });

  it('does not trust an unreviewed file', async () => {
    const world = createWorld();
    world.write('project/footbridge.json', JSON.stringify({ mcpServers: { notes: { command: 'notes' } } }));
    await token(world, 'ada', '--write');
    expect((await findConfig(undefined, ioOf(world, { env: environmentOf(world) }))).untrusted).toBeDefined();
  });

  it('rejects a second token of the same name, an unknown name and an invalid duration', async () => {
    const world = createWorld();
    world.write('project/footbridge.json', COMMENTED);
    expect((await token(world, 'ops', '--write')).stderr).toContain("already has a token for 'ops'");
    const unknown = await token(world, 'revoke', 'buildd');
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('Did you mean build?');
    for (const time of ['soon', '2020-01-01', '0d', '999999y']) expect((await token(world, 'x', '--expires', time)).code).not.toBe(0);
    expect(fileOf(world)).toBe(COMMENTED);
  });
});

describe('a token that has expired', () => {
  it('is rejected with its expiry date, and one that has not expired is accepted', async () => {
    const world = createWorld();
    const { token: secret, entry } = JSON.parse((await token(world, 'ada', '--json')).stdout);
    const authenticate = (expires: string) =>
      createAuthenticator({ tokens: [{ ...entry, expires }] }, silentLog).authenticate(`Bearer ${secret}`);
    expect(await authenticate('2026-01-31T00:00:00Z')).toMatchObject({
      ok: false,
      status: 401,
      error: 'invalid_token',
      message: 'The token expired on 2026-01-31. Ask the operator of this server for a new one.',
    });
    expect(await authenticate('9000-01-31T00:00:00Z')).toMatchObject({
      ok: true,
      authInfo: { expiresAt: Date.parse('9000-01-31T00:00:00Z') / 1000 },
    });
  });
});
