/** `footbridge install --url`: hosts connected to a team server. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTRY, type Json } from './support/client.js';
import { run } from './support/command.js';
import { createWorld, type World } from './support/folders.js';

const URL_OF_TEAM = 'https://mcp.example.org/mcp';

let world: World;
beforeAll(() => {
  world = createWorld(afterAll);
});

async function changed(...args: string[]): Promise<{ code: number; changes: Json[]; text: (host: string) => string }> {
  const { code, stdout } = await run(world, ...args, '--json');
  const { changes } = JSON.parse(stdout);
  const file = (host: string) => changes.find((change: Json) => change.host === host).file;
  return { code, changes, text: (host) => readFileSync(file(host), 'utf8') };
}

describe('install --url', () => {
  it('refers to the token variable in the syntax of each host, and uninstall restores every file', async () => {
    const hosts = [
      'claude-code',
      'codex',
      'cursor',
      'fx',
      'gemini-cli',
      'goose',
      'opencode',
      'qwen-code',
      'vscode',
      'windsurf',
      'zed',
      'claude-desktop',
    ];
    mkdirSync(join(world.home, '.cursor'));
    world.write('home/.cursor/mcp.json', '{ "mcpServers": {} }\n');
    const all = ['install', '--global', '--yes', '--url', URL_OF_TEAM, '--token-env', 'TEAM_TOKEN', '--host', ...hosts];
    const { code, text } = await changed(...all);
    expect(code).toBe(0);
    const entry = (host: string, ...path: string[]) => path.reduce((value, key) => value[key], JSON.parse(text(host)));
    const bearer = (reference: string) => ({ Authorization: `Bearer ${reference}` });
    expect(entry('claude-code', 'mcpServers', 'footbridge-team')).toEqual({
      type: 'http',
      url: URL_OF_TEAM,
      headers: bearer('$' + '{TEAM_TOKEN}'),
    });
    expect(entry('cursor', 'mcpServers', 'footbridge-team')).toEqual({ url: URL_OF_TEAM, headers: bearer('$' + '{env:TEAM_TOKEN}') });
    expect(entry('vscode', 'servers', 'footbridge-team')).toMatchObject({ url: URL_OF_TEAM, headers: bearer('$' + '{env:TEAM_TOKEN}') });
    expect(entry('opencode', 'mcp', 'footbridge-team')).toMatchObject({ type: 'remote', headers: bearer('{env:TEAM_TOKEN}') });
    expect(entry('fx', 'mcp', 'footbridge-team')).toMatchObject({ bearer_token_env: 'TEAM_TOKEN' });
    // Their `url` is the SSE transport of 2024.
    for (const host of ['gemini-cli', 'qwen-code'])
      expect(entry(host, 'mcpServers', 'footbridge-team')).toEqual({ httpUrl: URL_OF_TEAM, headers: bearer('$' + '{TEAM_TOKEN}') });
    expect(entry('windsurf', 'mcpServers', 'footbridge-team')).toEqual({
      serverUrl: URL_OF_TEAM,
      headers: bearer('$' + '{env:TEAM_TOKEN}'),
    });
    expect(text('codex')).toContain('bearer_token_env_var = "TEAM_TOKEN"');
    expect(text('goose')).toMatch(/env_keys:\s+- TEAM_TOKEN/);
    // These take no URL, or expand no variables in headers.
    const started = {
      command: process.execPath,
      args: [ENTRY, 'wrap', '--header', `Authorization: Bearer $${'{TEAM_TOKEN}'}`, URL_OF_TEAM],
    };
    expect(entry('claude-desktop', 'mcpServers', 'footbridge-team')).toMatchObject(started);
    expect(entry('zed', 'context_servers', 'footbridge-team')).toMatchObject(started);
    expect((await changed(...all)).changes.map(({ action }) => action)).toEqual(hosts.map(() => 'none'));
    await changed('uninstall', '--global', '--yes');
    expect(readFileSync(join(world.home, '.cursor/mcp.json'), 'utf8')).toBe('{ "mcpServers": {} }\n');
  });

  it('says that the variable is not set and which entries start Footbridge, and never writes a token', async () => {
    const args = ['install', '--global', '--dry-run', '--url', URL_OF_TEAM, '--token-env', 'TEAM_TOKEN', '--host', 'cursor', 'zed'];
    const { stdout } = await run(world, ...args);
    expect(stdout).toContain('The variable TEAM_TOKEN is not set here.');
    expect(stdout).toContain('Zed: the entry starts Footbridge, which reads TEAM_TOKEN');
  });

  it('removes its entry from a file that has changed since, and leaves the local Footbridge', async () => {
    await changed('install', '--yes', '--host', 'cursor');
    await changed('install', '--yes', '--host', 'cursor', '--url', URL_OF_TEAM);
    const file = join(world.project, '.cursor/mcp.json');
    const both = readFileSync(file, 'utf8');
    expect(Object.keys(JSON.parse(both).mcpServers)).toEqual(['footbridge', 'footbridge-team']);
    world.write('project/.cursor/mcp.json', both.replace('{', '{ "mine": 1,'));
    await changed('uninstall', '--yes');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mine: 1 });
  });

  it.each([
    [['--url', 'mcp.example.org'], '--url: Invalid URL.'],
    [['--url', 'https://me:secret@mcp.example.org/mcp'], '--url: The URL contains a user name or a password'],
    [['--url', URL_OF_TEAM, '--token-env', 'fb_0123456789'.concat('-x')], '--token-env: Invalid name of a variable.'],
    [['--token-env', 'TEAM_TOKEN'], '--token-env requires --url.'],
  ])('rejects %j', async (args, message) => {
    expect(await run(world, 'install', '--yes', '--host', 'cursor', ...args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(message),
    });
  });
});
