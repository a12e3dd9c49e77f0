/** Detects installed MCP hosts and reads their configuration, in every format. */

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startsFootbridge } from '../src/cli/hosts/entries.js';
import { createWorld, type World } from './support/folders.js';
import { hostText, writeHosts } from './support/hosts.js';

type Hosts = typeof import('../src/cli/hosts/index.js');

describe.runIf(process.platform === 'linux')('hosts', () => {
  let world: World;
  let hosts: Hosts;

  beforeAll(async () => {
    world = createWorld(afterAll);
    // Hosts are looked for in the home that the process has as they are first asked for.
    vi.stubEnv('HOME', world.home);
    vi.stubEnv('XDG_CONFIG_HOME', '');
    hosts = await import('../src/cli/hosts/index.js');
  });
  afterAll(() => void vi.unstubAllEnvs());

  it('are recognized by ids, aliases and titles, in any case', async () => {
    expect((await hosts.allHosts()).length).toBeGreaterThanOrEqual(23);
    const found = await Promise.all(
      ['Gemini', 'copilot', 'Claude Code', 'qwen-code', 'KIRO', '__proto__', 'nobody'].map((name) => hosts.findHost(name)),
    );
    expect(found.map((host) => host?.id)).toEqual([
      'gemini-cli',
      'github-copilot-cli',
      'claude-code',
      'qwen-code',
      'kiro-cli',
      undefined,
      undefined,
    ]);
  });

  it('are detected by their files or folders, in the home folder and in a project', async () => {
    writeHosts(world, ['claude-code', 'goose', 'opencode']);
    mkdirSync(join(world.home, '.copilot'));
    world.write('project/.mcp.json', '{}');
    world.write('project/.qwen/settings.json', '{}');
    const places = await hosts.presentPlaces(world.project);
    expect(
      places.map(({ exists, file, host, scope }) => [host.id, scope, file.replace(world.home, '~').replace(world.project, '.'), exists]),
    ).toEqual([
      ['claude-code', 'project', './.mcp.json', true],
      ['claude-code', 'global', '~/.claude.json', true],
      ['github-copilot-cli', 'project', './.mcp.json', true],
      ['github-copilot-cli', 'global', '~/.copilot/mcp-config.json', false],
      ['goose', 'global', '~/.config/goose/config.yaml', true],
      ['opencode', 'global', '~/.config/opencode/opencode.json', true],
      ['qwen-code', 'project', './.qwen/settings.json', true],
    ]);
    expect((await hosts.presentPlaces(world.home)).every(({ scope }) => scope === 'global')).toBe(true);
    const goose = places.find(({ host }) => host.id === 'goose')?.host;
    expect(goose === undefined ? 'none' : await hosts.hostPlace(goose, 'project', world.project)).toBeUndefined();
    expect(hosts.shortName(join(world.home, 'a'))).toBe('~/a');
    expect(hosts.shortName(world.home)).toBe('~');
    expect(hosts.shortName(`${world.home}x`)).toBe(`${world.home}x`);
  });

  async function entries(id: string, text: string, scope: 'project' | 'global' = 'global') {
    const host = await hosts.findHost(id);
    const place = host === undefined ? undefined : await hosts.hostPlace(host, scope, world.project);
    if (place === undefined) throw new Error('no such place');
    const file = await hosts.readHostFile({ ...place, file: world.write('outside/file', text) });
    return file.ok ? Object.fromEntries(file.entries.map(({ name, ...entry }) => [name, entry])) : file;
  }

  it('have servers in many formats', async () => {
    expect(await entries('goose', hostText('goose'))).toMatchObject({
      developer: { server: { kind: 'unknown' } },
      fetch: { server: { kind: 'command', command: 'uvx', env: { FETCH_TOKEN: 'not-a-real-token-0005' } } },
      remote: { server: { kind: 'url', url: 'https://127.0.0.1:9/remote' } },
    });
    expect(await entries('zed', hostText('zed'))).toMatchObject({
      brave: { disabled: true, server: { command: 'npx' } },
      older: { disabled: false, server: { kind: 'command', command: 'node', args: ['older.js'], env: {} } },
    });
    expect(await entries('opencode', hostText('opencode'))).toMatchObject({
      everything: { server: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'], env: { LEVEL: '3' } } },
      sentry: { disabled: true, server: { kind: 'url' } },
    });
    expect(await entries('opencode', '{"mcp": {"timeout": 5, "servers": {"a": {"command": []}}, "b": {"url": "x"}}}')).toMatchObject({
      a: { server: { kind: 'unknown' } },
      b: { server: { url: 'x' } },
    });
    expect(await entries('codex', hostText('codex'))).toMatchObject({
      'figma.local': { server: { headers: { 'X-Figma-Region': 'us-east-1' } } },
    });
    expect(await entries('gemini', hostText('gemini'))).toMatchObject({
      python: { server: { cwd: './tools' } },
      weather: { server: { kind: 'url' } },
    });
    expect(await entries('copilot', '{"a": {"command": "npx", "args": ["footbridge"]}}', 'project')).toMatchObject({
      a: { isFootbridge: true },
    });
    expect(
      await entries('cursor', '{"mcpServers": {"a": {"command": "x", "env": {"PORT": 1, "ON": true, "NO": null}}, "b": 3}}'),
    ).toMatchObject({
      a: { server: { env: { PORT: '1', ON: 'true' } } },
    });
    for (const text of ['', '  \n', '\uFEFF', '// none', '{"mcpServers": null}', '{"__proto__": {"mcpServers": {"a": {"command": "x"}}}}'])
      expect(await entries('cursor', text), text).toEqual({});
    for (const [id, text] of [
      ['goose', '# none'],
      ['codex', '# none'],
    ] as const)
      expect(await entries(id, text)).toEqual({});
  });

  it('with an invalid file are reported with the position', async () => {
    expect(await entries('cursor', '{"a": 1,\n  b}')).toMatchObject({
      ok: false,
      line: 2,
      column: 3,
      problem: 'Unquoted text is not JSON.',
    });
    expect(await entries('cursor', '['.repeat(100_000))).toMatchObject({ ok: false, problem: 'It is nested too deeply.' });
    expect(await entries('goose', '- '.repeat(5_000))).toMatchObject({ ok: false });
    expect(
      await entries(
        'goose',
        `a: &a [x]\n${Array.from({ length: 9 }, (_, at) => `${'bcdefghij'[at]}: &${'bcdefghij'[at]} [${`*${'abcdefghi'[at]},`.repeat(9)}]`).join('\n')}`,
      ),
    ).toMatchObject({ ok: false });
    expect(await entries('codex', 'a = 1\na = 2\n')).toMatchObject({ ok: false, line: 2 });
    expect(await entries('codex', 'a = 12345678901234567890123\n')).toEqual({});
    const host = await hosts.findHost('cursor');
    if (host === undefined) throw new Error('no such host');
    const read = (file: string) => hosts.readHostFile({ host, scope: 'global', file, exists: true });
    symlinkSync(join(world.outside, 'loop'), join(world.outside, 'loop'));
    execFileSync('mkfifo', [join(world.outside, 'pipe')]);
    chmodSync(world.write('outside/closed', '{}'), 0);
    expect(await read(join(world.outside, 'loop'))).toEqual({ ok: false, problem: 'It is a circular link.' });
    expect(await read(join(world.outside, 'pipe'))).toEqual({ ok: false, problem: 'It is not a file.' });
    expect(await read(join(world.outside, 'closed', 'x'))).toEqual({ ok: false, problem: 'A folder above it is a file.' });
    expect(await read(`${world.outside}/a\0b`)).toMatchObject({ ok: false });
    expect(await read(join(world.outside, 'none'))).toEqual({ ok: true, text: '', entries: [] });
    expect(await read(world.write('outside/nul', 'a\0'))).toEqual({ ok: false, problem: 'It is not UTF-8.' });
  });
});

describe('the started program', () => {
  it.each([
    'footbridge',
    'npx -y footbridge',
    'npx -y footbridge@1.2 wrap -- node x.js',
    'npx --package footbridge footbridge',
    'npx -y ./footbridge-0.1.0.tgz',
    'node --import x /a/bin/footbridge.cjs --skills b',
    '/a/node_modules/.bin/footbridge',
    'C:\\a\\footbridge.cmd',
    'cmd /c npx -y footbridge',
    'cmd.exe /d /C footbridge',
    'pnpm dlx footbridge',
    'npm exec -- footbridge',
    'env A=b npx footbridge',
  ])('%s is ours', (line) => {
    const [command = '', ...args] = line.split(' ');
    expect(startsFootbridge(command, args)).toBe(true);
  });

  it.each([
    'node server.js footbridge',
    'npx -y other footbridge',
    'npx -y @acme/footbridge',
    'npx -y @footbridge/engage',
    'node /home/footbridge/server.js',
    'footbridge-like',
    'cmd /k footbridge',
    'npx',
    'python footbridge',
    'constructor footbridge',
  ])('%s is not', (line) => {
    const [command = '', ...args] = line.split(' ');
    expect(startsFootbridge(command, args)).toBe(false);
  });
});
