/** The command line of `footbridge wrap`, and its errors. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as a person writes them
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { servingOptions } from '../src/cli/serving-options.js';
import { serverName } from '../src/cli/wrapped-server.js';
import { runIn, runWith } from './support/command.js';
import { createWorld } from './support/folders.js';

const IO = { cwd: '/', env: { OURS: 'hush' } };
const COMMON = { skills: [], pack: [], prompts: false, logLevel: 'warn' };

describe('a start over stdio only parses the arguments:', () => {
  it.each([
    [
      ['wrap', '--', 'node', 'x.js', '--config', 'y', '--', '-v'],
      { command: 'node', args: ['x.js', '--config', 'y', '--', '-v'], env: {} },
    ],
    [['wrap', 'node', 'x.js'], { command: 'node', args: ['x.js'], env: {} }],
    [['wrap', '--env', 'A=b=c', '--env=D=', '--cwd', '/', '--', 'x'], { command: 'x', args: [], env: { A: 'b=c', D: '' }, cwd: '/' }],
    [['wrap', '--isolation', 'caller', '--env', 'OURS', '--', 'x'], { command: 'x', args: [], env: { OURS: 'hush' }, isolation: 'caller' }],
    [
      ['wrap', '--header', 'Authorization: Bearer ${OURS}', '--header', 'X-A:b', 'https://example.org/mcp'],
      { url: 'https://example.org/mcp', headers: { Authorization: 'Bearer hush', 'X-A': 'b' } },
    ],
  ])('%j', (argv, server) => {
    expect(servingOptions(argv, IO)).toEqual({ ...COMMON, wrapped: { name: expect.any(String), server } });
  });

  it('with global options, before the command and after it', () => {
    const options = servingOptions(
      ['--skills', 'a', 'wrap', '--config=c.json', '--prompts', '--log-level', 'info', '--skills', 'b', '--pack=p', '--', 'x'],
      IO,
    );
    expect(options).toMatchObject({ skills: ['a', 'b'], pack: ['p'], config: 'c.json', prompts: true, logLevel: 'info' });
    expect(options?.wrapped?.name).toBe('x');
  });

  it.each([
    [['wrap']],
    [['wrap', '--']],
    [['--', 'wrap', 'x']],
    [['wrap', '-y', 'x']],
    [['wrap', '--http', '3333', '--', 'x']],
    [['wrap', '--help']],
    [['wrap', '--env', 'NOPE', '--', 'x']],
    [['wrap', 'htp://example.org/mcp']],
    [['wrap', '--isolation', 'none', '--', 'x']],
    [['wrap', '--header', 'a: b', '--', 'x']],
    [['--env', 'A=b']],
    [['--isolation', 'shared']],
    [['--pack', '']],
    [['list']],
    [['surface', '--', 'x']],
  ])('everything else loads the full command line: %j', (argv) => {
    expect(servingOptions(argv, IO)).toBeUndefined();
  });

  it('no command returns the common options', () => {
    expect(servingOptions([], IO)).toEqual(COMMON);
  });
});

describe('a wrapped server has a short name', () => {
  it.each([
    ['everything', ['npx', '-y', '@modelcontextprotocol/server-everything@1']],
    ['git', ['uvx', '--from', 'mcp-server-git@2025.1', 'mcp-server-git', '--repository', '.']],
    ['github', ['docker', 'run', '-i', '--rm', '-e', 'TOKEN=hush', 'ghcr.io/github/github-mcp-server:1']],
    ['weather', ['node', '/home/me/weather/dist/index.js']],
    ['weather', ['C:\\tools\\weather-mcp.exe', '--verbose']],
    ['acme', ['npx', '@acme/mcp']],
    ['remote', ['cmd', '/c', 'npx', '-y', 'mcp-remote', 'https://example.org']],
    ['my_tool', ['python3', '-m', 'my_tool']],
    ['weather', ['env', 'KEY=hush', 'weather']],
    ['example.org', ['https://mcp.example.org/mcp']],
    ['127.0.0.1', ['http://127.0.0.1:3333/mcp']],
    ['1', ['http://[::1]:3333/mcp']],
    ['server', ['server']],
    ['server', ['§§']],
    ['a_b', ['a____b']],
  ])('%s', (name, words) => {
    expect(serverName(words)).toBe(name);
  });
});

describe('a mistake is reported without possible secrets', () => {
  it.each([
    [['wrap'], "Missing required argument 'server'"],
    [['wrap', 'npx', '-y', 'x'], 'Usage: footbridge wrap [options] -- COMMAND'],
    [['wrap', '--', ''], 'The command is empty; is a variable unset?'],
    [['wrap', '--redis', 'redis://x', '--', 'x'], '--redis requires --http'],
    [['wrap', '--http', 'abc', '--', 'x'], 'Use [HOST:]PORT'],
    [['wrap', '--header', 'a: hush', '--', 'x'], '--header requires a URL'],
    [['wrap', '--env', 'A=hush', 'http://x.org/mcp'], '--env requires a command'],
    [['wrap', '--cwd', '.', 'http://x.org/mcp'], '--cwd requires a command'],
    [['wrap', '--cwd', 'nowhere', '--', 'x'], '--cwd: Folder not found: nowhere'],
    [['wrap', '--cwd', '', '--', 'x'], 'is a variable unset?'],
    [['wrap', '--env', '=hush', '--', 'x'], '--env takes NAME=VALUE'],
    [['wrap', '--env', 'NOPE', '--', 'x'], '--env NOPE: the environment variable is not set.'],
    [['wrap', '--header', 'hush', 'http://x.org'], '--header takes "Name: value"'],
    [['wrap', '--header', 'A: ${NOPE}', 'http://x.org'], '--header A: The environment variable NOPE is not set.'],
    [['wrap', '--header', 'A: ${BROKEN}', 'http://x.org'], '--header A: Invalid HTTP header value'],
    [['wrap', 'http://me:hush@x.org'], 'The URL contains a user name or a password'],
    [['wrap', 'http://'], 'Invalid URL.'],
    [['wrap', 'http://x.org', 'hush'], 'Unexpected argument after the URL'],
    [['wrap', '--isolation', 'none', '--', 'x'], 'Use one of: shared, caller'],
    [['wrap', '--hedaer', 'x', 'http://x.org'], 'Did you mean --header?'],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await runWith(createWorld(), { BROKEN: 'hush\nhush' }, ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hush');
  });
});

it('prints an entry for a host’s configuration at a terminal', async () => {
  const stdin = Object.assign(Readable.from([]), { isTTY: true });
  const { code, stdout } = await runIn(createWorld(), { stdin }, 'wrap', '--', 'npx', '-y', 'server-x');
  expect(code).toBe(0);
  expect(JSON.parse(/^\{.*^\}/ms.exec(stdout)?.[0] ?? '')).toEqual({
    mcpServers: { x: { command: 'npx', args: ['-y', 'footbridge', 'wrap', '--', 'npx', '-y', 'server-x'] } },
  });
});
