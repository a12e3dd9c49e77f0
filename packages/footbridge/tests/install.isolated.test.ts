/** `footbridge install` and `footbridge uninstall`, on the files of hosts as those hosts write them. */
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { PassThrough } from 'node:stream';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { ENTRY, type Json } from './support/client.js';
import { Capture, run, runIn } from './support/command.js';
import { createWorld, type World } from './support/folders.js';
import { FIXTURE_HOSTS, HOST_FILES, homeFiles, hostText, readHost, writeHosts } from './support/hosts.js';

const OURS = { command: process.execPath, args: [ENTRY] };

/** As a project's file has it: relative, because others share the file. */
const shared = ({ project }: World, ...args: string[]) => ({ command: 'node', args: [relative(realpathSync(project), ENTRY), ...args] });

async function runJson(world: World, ...args: string[]): Promise<{ code: number; changes: Json[]; written: boolean; stderr: string }> {
  const { code, stderr, stdout } = await run(world, ...args, '--json');
  return { code, stderr, ...JSON.parse(stdout) };
}

let place: World;
beforeAll(() => {
  place = createWorld(afterAll);
});

/** The same folders for each test, emptied: the library that knows the hosts looks in the first home of a process. */
function emptyWorld(): World {
  for (const folder of [place.project, place.home, place.outside]) {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
  }
  return place;
}

const actions = (changes: readonly Json[]) => Object.fromEntries(changes.map(({ action, host }) => [host, action]));

describe.runIf(process.platform === 'linux')('in a home with the configuration of twelve hosts', () => {
  it('install and uninstall, repeated and with --wrap, restore every byte and keep comments in between', async () => {
    const world = emptyWorld();
    writeHosts(world);
    chmodSync(join(world.home, HOST_FILES.cursor), 0o640);
    const before = homeFiles(world);

    const first = await runJson(world, 'install', '--global', '--yes');
    expect(first).toMatchObject({ code: 0, written: true });
    expect(first.changes).toHaveLength(FIXTURE_HOSTS.length);
    expect(first.changes.every(({ action }: Json) => action === 'change')).toBe(true);
    for (const host of FIXTURE_HOSTS) {
      const lines = new Set(
        readHost(world, host)
          .split('\n')
          .map((line) => line.replace(/,$/, '')),
      );
      // Windsurf has all on one line.
      if (host !== 'windsurf')
        for (const line of hostText(host).split('\n')) if (line !== '  }') expect(lines, host).toContain(line.replace(/,$/, ''));
    }
    expect(parseJsonc(readHost(world, 'claude-code')).mcpServers.footbridge).toEqual(OURS);
    expect(parseJsonc(readHost(world, 'vscode')).servers.footbridge).toEqual(OURS);
    expect(parseJsonc(readHost(world, 'zed')).context_servers.footbridge).toMatchObject(OURS);
    expect(parseJsonc(readHost(world, 'opencode')).mcp.footbridge).toMatchObject({ type: 'local', command: [OURS.command, ENTRY] });
    expect(parseJsonc(readHost(world, 'qwen'))).toMatchObject({ $version: 4, mcpServers: { footbridge: OURS } });
    expect(parseToml(readHost(world, 'codex'))).toMatchObject({ mcp_servers: { footbridge: OURS }, profiles: { fast: {} } });
    expect(parseYaml(readHost(world, 'goose')).extensions.footbridge).toMatchObject({ cmd: OURS.command, args: OURS.args, enabled: true });
    expect(readHost(world, 'windsurf')).not.toContain('\n');
    expect(statSync(join(world.home, HOST_FILES.cursor)).mode & 0o777).toBe(0o640);

    const installed = homeFiles(world);
    const again = await runJson(world, 'install', '--global', '--yes');
    expect(again).toMatchObject({ code: 0, written: false });
    expect(new Set(Object.values(actions(again.changes)))).toEqual(new Set(['none']));
    expect(homeFiles(world)).toEqual(installed);

    const wrapped = await runJson(world, 'install', '--global', '--wrap', 'all', '--yes');
    expect(wrapped.code, wrapped.stderr).toBe(1);
    expect(wrapped.changes.find(({ host }) => host === 'goose')).toMatchObject({
      wrapped: ['fetch', 'remote'],
      reason: expect.stringContaining('developer is not wrapped'),
    });
    const codex = readHost(world, 'codex');
    expect(codex).toContain('# the usual one');
    expect(codex).toContain('"python3", # [not a table]');
    expect(codex).toContain('[mcp_servers.context7.env]');
    expect(parseToml(codex)['mcp_servers']).toMatchObject({
      context7: {
        command: OURS.command,
        args: [ENTRY, 'wrap', '--env', 'CONTEXT7_API_KEY', '--', 'npx', '-y', '@upstash/context7-mcp'],
        startup_timeout_sec: 20,
        env: { CONTEXT7_API_KEY: 'not-a-real-token-0003' },
      },
      'figma.local': {
        args: [ENTRY, 'wrap', '--header-env', 'X-Figma-Region=FOOTBRIDGE_HEADER_X_FIGMA_REGION', 'http://127.0.0.1:9/mcp'],
        env: { FOOTBRIDGE_HEADER_X_FIGMA_REGION: 'us-east-1' },
      },
    });
    const vscode = parseJsonc(readHost(world, 'vscode')).servers;
    expect(vscode.perplexity).toMatchObject({
      type: 'stdio',
      args: [ENTRY, 'wrap', '--env', 'PERPLEXITY_API_KEY', '--', 'npx', '-y', 'server-perplexity-ask'],
    });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the host's own placeholder
    expect(vscode.remote).toMatchObject({ env: { FOOTBRIDGE_HEADER_AUTHORIZATION: 'Bearer ${input:perplexity-key}' } });
    expect(vscode.remote).not.toHaveProperty('url');
    const { brave, older } = parseJsonc(readHost(world, 'zed')).context_servers;
    expect(brave).toMatchObject({ enabled: false, args: [ENTRY, 'wrap', '--env', 'BRAVE_API_KEY', '--', 'npx', '-y', 'brave-search'] });
    expect(older.command).toEqual({ path: OURS.command, args: [ENTRY, 'wrap', '--', 'node', 'older.js'], env: {} });
    const { everything, sentry } = parseJsonc(readHost(world, 'opencode')).mcp;
    expect(everything.command.slice(2)).toEqual(['wrap', '--env', 'LEVEL', '--', 'npx', '-y', '@modelcontextprotocol/server-everything']);
    expect(sentry).toEqual({
      type: 'local',
      command: [OURS.command, ENTRY, 'wrap', '--header-env', 'X-Key=FOOTBRIDGE_HEADER_X_KEY', 'https://127.0.0.1:9/mcp'],
      environment: { FOOTBRIDGE_HEADER_X_KEY: 'not-a-real-token-0007' },
      enabled: false,
    });
    expect(parseJsonc(readHost(world, 'gemini')).mcpServers.weather).toMatchObject({ timeout: 5000, trust: true, command: OURS.command });
    expect(parseYaml(readHost(world, 'goose')).extensions.fetch.args).toEqual(
      expect.arrayContaining(['--env', 'FETCH_TOKEN', 'FETCH_EXTRA', '--', 'uvx', '--ignore-robots-txt']),
    );
    // What a project of Claude Code has is its own.
    expect(parseJsonc(readHost(world, 'claude-code')).projects).toEqual(parseJsonc(hostText('claude-code')).projects);

    const wrappedFiles = homeFiles(world);
    await runJson(world, 'install', '--global', '--wrap', '*', '--yes');
    expect(homeFiles(world)).toEqual(wrappedFiles);

    const gone = await runJson(world, 'uninstall', '--global', '--yes');
    expect(gone).toMatchObject({ code: 0, written: true });
    expect(homeFiles(world)).toEqual(before);
    expect(readdirSync(join(world.home, '.local/state/footbridge/install'))).toEqual([]);
  });

  it('uninstall removes only our entries from a file that the host has changed since', async () => {
    const world = emptyWorld();
    writeHosts(world, ['claude-code', 'codex', 'goose', 'opencode', 'qwen', 'vscode']);
    await run(world, 'install', '--global', '--yes', '--wrap', 'files', 'docs', 'context7', 'fetch', 'remote', 'everything', 'perplexity');
    const claude = parseJsonc(readHost(world, 'claude-code'));
    world.write(`home/${HOST_FILES['claude-code']}`, JSON.stringify({ ...claude, numStartups: 215 }));
    for (const host of ['codex', 'goose'] as const) world.write(`home/${HOST_FILES[host]}`, `${readHost(world, host)}# mine\n`);
    for (const host of ['opencode', 'vscode', 'qwen'] as const)
      world.write(`home/${HOST_FILES[host]}`, `${readHost(world, host)}\n// mine\n`);
    // A second time: what was changed in between belongs to what was before.
    await run(world, 'install', '--global', '--yes', '--wrap', 'sentry');
    world.write(`home/${HOST_FILES.vscode}`, `${readHost(world, 'vscode')}// and more\n`);

    const { changes, code } = await runJson(world, 'uninstall', '--global', '--yes');
    expect(code).toBe(0);
    expect(changes.find(({ host }) => host === 'vscode').reason).toContain('has changed since');
    expect(parseJsonc(readHost(world, 'claude-code'))).toEqual({ ...parseJsonc(hostText('claude-code')), numStartups: 215 });
    expect(parseToml(readHost(world, 'codex'))).toEqual(parseToml(hostText('codex')));
    expect(parseYaml(readHost(world, 'goose'))).toEqual(parseYaml(hostText('goose')));
    expect(parseJsonc(readHost(world, 'opencode'))).toEqual(parseJsonc(hostText('opencode')));
    expect(parseJsonc(readHost(world, 'vscode'))).toEqual(parseJsonc(hostText('vscode')));
    expect(readHost(world, 'qwen')).toBe(`${hostText('qwen')}\n// mine\n`);
    for (const host of ['codex', 'goose', 'opencode'] as const) expect(readHost(world, host)).toContain('mine');
    expect(readHost(world, 'vscode')).toContain('/* asks for the key */');
    expect(readHost(world, 'vscode')).toMatch(/\/\/ mine\n\/\/ and more\n$/);
  });

  it('without a backup, uninstall removes our entry and restores wrapped servers from their entries', async () => {
    const world = emptyWorld();
    writeHosts(world, ['codex', 'cursor', 'goose', 'windsurf']);
    await run(world, 'install', '--global', '--yes', '--wrap', 'context7', 'figma.local', 'github', 'search', 'fetch', 'memory', 'linear');
    world.remove('home/.local');
    const { code } = await runJson(world, 'uninstall', '--global', '--yes');
    expect(code).toBe(0);
    for (const host of ['cursor', 'windsurf'] as const) expect(parseJsonc(readHost(world, host))).toEqual(parseJsonc(hostText(host)));
    expect(parseYaml(readHost(world, 'goose'))).toEqual(parseYaml(hostText('goose')));
    expect(parseToml(readHost(world, 'codex'))).toMatchObject({
      ...parseToml(hostText('codex')),
      mcp_servers: { context7: { command: 'npx', args: ['-y', '@upstash/context7-mcp'] } },
    });
  });

  it('an invalid file is left unchanged and reported with line and column, and the others are changed', async () => {
    const world = emptyWorld();
    writeHosts(world, ['gemini']);
    const broken = {
      'claude-code': '{\n  "mcpServers": {\n    "a": { "command": "x" },\n    nope\n  }\n}\n',
      codex: 'model = "x"\n[mcp_servers.a\ncommand = "b"\n',
      goose: 'extensions:\n  a: {cmd: x\nb: 1\n',
      cursor: '',
      qwen: '{"mcpServers": ["a"]}',
      zed: '[1]',
    };
    for (const [host, text] of Object.entries(broken)) world.write(`home/${HOST_FILES[host as keyof typeof broken]}`, text);
    world.write(`home/${HOST_FILES.windsurf}`, new Uint8Array([0x7b, 0, 0xff]));
    truncateSync(join(world.home, HOST_FILES.cursor), 65 * 2 ** 20);
    mkdirSync(join(world.home, HOST_FILES.vscode), { recursive: true });
    const before = homeFiles(world);
    const { changes, code, written } = await runJson(world, 'install', '--global', '--yes', '--wrap', 'a');
    expect({ code, written }).toEqual({ code: 1, written: true });
    expect(actions(changes)).toMatchObject({ 'gemini-cli': 'change', codex: 'refused', 'claude-code': 'refused', vscode: 'refused' });
    const reasons = Object.fromEntries(changes.map(({ host, reason }) => [host, reason]));
    expect(reasons['claude-code']).toMatch(/^Line 4, column 5: .* The file is left unchanged\.$/);
    expect(reasons['codex']).toMatch(/^Line 2, column \d+: /);
    expect(reasons['goose']).toMatch(/^Line [23], column \d+: /);
    expect(reasons['cursor']).toContain('larger than 64 MiB');
    expect(reasons['qwen-code']).toContain('"mcpServers" is not an object of servers');
    expect(reasons['zed']).toContain('It is not an object');
    expect(reasons['windsurf']).toContain('It is not UTF-8.');
    expect(reasons['vscode']).toContain('not a file');
    const { [HOST_FILES.gemini]: changed, ...others } = homeFiles(world);
    expect(before).toMatchObject(others);
    expect(changed).not.toBe(before[HOST_FILES.gemini]);

    // Broken after it was installed: the way back is said.
    world.write(`home/${HOST_FILES.gemini}`, '{');
    const gone = await runJson(world, 'uninstall', '--global', '--yes');
    expect(gone.code).toBe(1);
    expect(gone.changes[0].reason).toMatch(/Line 1, column 2: .*A backup is in ~\/\.local\/state\/footbridge\/install\/\w+\.json/);
    expect(readHost(world, 'gemini')).toBe('{');
  });

  it('links, byte order marks, line endings, empty and missing files are preserved', async () => {
    const world = emptyWorld();
    const real = world.write('outside/dotfiles/cursor.json', hostText('cursor'));
    chmodSync(real, 0o600);
    mkdirSync(join(world.home, '.cursor'));
    symlinkSync(real, join(world.home, HOST_FILES.cursor));
    world.write(`home/${HOST_FILES.zed}`, `\uFEFF${hostText('zed').replaceAll('\n', '\r\n')}`);
    const codex = world.write(`home/${HOST_FILES.codex}`, hostText('codex').trimEnd().replaceAll('\n', '\r\n'));
    linkSync(codex, world.path('outside/dotfiles/codex.toml'));
    world.write(`home/${HOST_FILES.goose}`, hostText('goose').trimEnd());
    world.write(`home/${HOST_FILES.windsurf}`, '');
    mkdirSync(join(world.home, '.config/opencode'), { recursive: true });
    mkdirSync(join(world.home, '.qwen'));
    symlinkSync(join(world.outside, 'dotfiles/deep/er/qwen.json'), join(world.home, HOST_FILES.qwen));
    const before = homeFiles(world);
    const { code } = await run(
      world,
      'install',
      '--global',
      '--yes',
      '--wrap',
      'all',
      '--host',
      'cursor',
      'zed',
      'codex',
      'windsurf',
      'opencode',
      'qwen',
    );
    expect(code).toBe(0);
    expect(lstatSync(join(world.home, HOST_FILES.cursor)).isSymbolicLink()).toBe(true);
    expect(parseJsonc(readFileSync(real, 'utf8')).mcpServers.footbridge).toEqual(OURS);
    expect(statSync(real).mode & 0o777).toBe(0o600);
    const zed = readHost(world, 'zed');
    expect(zed.startsWith('\uFEFF// Zed settings\r\n')).toBe(true);
    for (const host of ['zed', 'codex'] as const) expect(readHost(world, host).replaceAll('\r\n', '')).not.toContain('\n');
    expect(readHost(world, 'codex').endsWith('\n')).toBe(false);
    expect(readFileSync(world.path('outside/dotfiles/codex.toml'), 'utf8')).toBe(readHost(world, 'codex'));
    expect(statSync(join(world.home, '.config/opencode/opencode.jsonc')).mode & 0o777).toBe(0o600);
    expect(parseJsonc(readFileSync(join(world.outside, 'dotfiles/deep/er/qwen.json'), 'utf8'))).toEqual({
      mcpServers: { footbridge: OURS },
    });
    expect(readHost(world, 'goose')).toBe(hostText('goose').trimEnd());

    await run(world, 'uninstall', '--global', '--yes');
    expect(homeFiles(world)).toEqual(before);
    expect(readdirSync(join(world.outside, 'dotfiles'))).toEqual(['codex.toml', 'cursor.json']);
    expect(statSync(codex).nlink).toBe(2);
  });

  it('the backup of a file survives a concurrent install and the removal of the file', async () => {
    const world = emptyWorld();
    writeHosts(world, ['qwen']);
    const file = join(world.home, HOST_FILES.qwen);
    const [{ backup }] = (await runJson(world, 'install', '--global', '--yes')).changes;
    const installed = readHost(world, 'qwen');
    // Another process holds the lock.
    const lock = `${backup}.lock`;
    writeFileSync(lock, '');
    const busy = await runJson(world, 'install', '--global', '--yes', '--prompts');
    expect(busy).toMatchObject({
      code: 1,
      written: false,
      changes: [{ action: 'refused', reason: expect.stringContaining('is changing it') }],
    });
    expect(readHost(world, 'qwen')).toBe(installed);
    // They have ended half-way, long ago.
    utimesSync(lock, new Date(0), new Date(0));
    expect(await runJson(world, 'install', '--global', '--yes', '--prompts')).toMatchObject({ code: 0, written: true });
    expect(existsSync(lock)).toBe(false);
    renameSync(file, world.path('outside/away.json'));
    const gone = await runJson(world, 'uninstall', '--global', '--yes');
    expect(gone).toMatchObject({ code: 0, changes: [{ reason: expect.stringMatching(/^The file no longer exists\. A backup is in ~/) }] });
    renameSync(world.path('outside/away.json'), file);
    expect(await runJson(world, 'uninstall', '--global', '--yes')).toMatchObject({ code: 0, written: true });
    expect(readHost(world, 'qwen')).toBe(hostText('qwen'));
    expect(existsSync(backup)).toBe(false);
  });

  it('shows the change without secrets, and writes nothing without consent', async () => {
    const world = emptyWorld();
    writeHosts(world, ['claude-code', 'cursor', 'goose']);
    const before = homeFiles(world);
    const asked = await run(world, 'install', '--global', '--wrap', 'all', '--host', 'claude-code', '--host', 'cursor', '--diff');
    expect(asked.code).toBe(1);
    expect(asked.stderr).toContain('run the command again with --yes');
    expect(asked.stdout).toMatch(
      /^Claude Code {2}change, wrap files, docs {5}~\/\.claude\.json\nCursor {7}change, wrap github, search {2}~/,
    );
    expect(asked.stdout).toMatch(/ {2}\+ .*"FOOTBRIDGE_HEADER_AUTHORIZATION": "…"/);
    expect(asked.stdout).toContain('"Authorization=FOOTBRIDGE_HEADER_AUTHORIZATION"');
    expect(asked.stdout).toContain('inherits the variables of its entry and a few safe ones');
    expect(asked.stdout).not.toMatch(/not-a-real-token/);
    const dry = await run(
      world,
      'install',
      '--global',
      '--dry-run',
      '--diff',
      '--host',
      'goose',
      '--wrap',
      'fetch',
      '--skills',
      './team',
      '--prompts',
      '--pack',
      './pack',
      '--config',
      'c.json',
    );
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain(`+       - ${join(world.project, 'team')}`);
    expect(dry.stdout).toContain(`+       - ${join(world.project, 'pack')}`);
    expect(dry.stdout).not.toMatch(/not-a-real-token/);
    expect(homeFiles(world)).toEqual(before);
  });

  it('asks at a terminal, and accepts only yes', async () => {
    const world = emptyWorld();
    writeHosts(world, ['qwen']);
    const no = await atTerminal(
      world,
      [
        [/Write this change\? \[y\/N, d: show the differences\]/, () => 'd\n'],
        [/differences\].*differences\]/s, () => 'n\n'],
      ],
      'install',
      '--global',
    );
    const [before, after] = no.output.split('show the differences', 2);
    expect(before).not.toContain('"footbridge": {');
    expect(after).toContain('\u001b[32m  +     "footbridge": {');
    expect(no).toMatchObject({ code: 1 });
    expect(readHost(world, 'qwen')).toBe(hostText('qwen'));
    // A file that changes before the answer was not confirmed; the others were.
    writeHosts(world, ['gemini']);
    const changed = await atTerminal(
      world,
      [
        [/Which hosts\?/, () => '\r'],
        [
          /\[y\/N/,
          () => {
            world.write(`home/${HOST_FILES.qwen}`, '{}');
            return 'y\n';
          },
        ],
      ],
      'install',
      '--global',
    );
    expect(changed).toMatchObject({
      code: 1,
      output: expect.stringMatching(/It has changed since it was shown and\s+is left unchanged\./),
    });
    expect(readHost(world, 'qwen')).toBe('{}');
    expect(readdirSync(join(world.home, '.qwen'))).toEqual(['settings.json']);
    expect(readdirSync(join(world.home, '.local/state/footbridge/install'))).toHaveLength(1);
    expect(readHost(world, 'gemini')).toContain('footbridge.cjs');
  });
});

describe('for a project', () => {
  it('a file of two hosts is changed once, hosts without such files are named, and created folders are removed again', async () => {
    const world = emptyWorld();
    writeHosts(world, ['claude-code', 'claude-desktop', 'copilot', 'cursor']);
    mkdirSync(join(world.home, '.claude'));
    const first = await run(world, 'install', '--yes', '--skills', './team-skills');
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/^Claude Code {9}new file {2}\.mcp\.json\nGitHub Copilot CLI {2}new file {2}\.mcp\.json\nCursor /);
    expect(first.stdout).toMatch(
      /^The entry starts \S+footbridge\.cjs\. Others who use this project need Footbridge in the same place\.$/m,
    );
    expect(first.stdout).toContain('No project configuration: Claude Desktop. Use --global for these hosts.');
    const entry = shared(world, '--skills', './team-skills');
    expect(JSON.parse(readFileSync(join(world.project, '.mcp.json'), 'utf8'))).toEqual({ mcpServers: { footbridge: entry } });
    expect(JSON.parse(readFileSync(join(world.project, '.cursor/mcp.json'), 'utf8'))).toEqual({ mcpServers: { footbridge: entry } });
    expect(readHost(world, 'cursor')).toBe(hostText('cursor'));

    // An entry that differs is changed, and what else is in it stays.
    world.write('project/.mcp.json', JSON.stringify({ mcpServers: { footbridge: { ...entry, timeout: 5 } } }));
    const second = await runJson(world, 'install', '--yes', '--host', 'claude-code', 'cursor');
    expect(actions(second.changes)).toEqual({ 'claude-code': 'change', cursor: 'change' });
    expect(JSON.parse(readFileSync(join(world.project, '.mcp.json'), 'utf8'))).toEqual({
      mcpServers: { footbridge: { ...shared(world), timeout: 5 } },
    });

    world.write('project/.cursor/rules.md', 'kept');
    const { code, stdout } = await run(world, 'uninstall', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('Removed');
    expect(readdirSync(world.project)).toEqual(['.cursor', '.mcp.json']);
    expect(readdirSync(join(world.project, '.cursor'))).toEqual(['rules.md']);
    expect((await run(world, 'uninstall', '--yes')).stdout).toContain('contain nothing from Footbridge');
  });

  it('mistakes are reported with a fix, and change nothing', async () => {
    const world = emptyWorld();
    const lonely = await run(world, 'install', '--yes');
    expect(lonely).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/No installed MCP host was found\. .*--host NAME.*claude-code, /),
    });
    world.write('home/.codeium/windsurf/mcp_config.json', '{}');
    expect((await run(world, 'install', '--yes')).stderr).toContain('no project configuration: Windsurf. Use --global.');
    writeHosts(world, ['gemini']);
    world.write('project/.gemini/settings.json', '{"mcpServers": {"footbridge": {"command": "other"}, "weather": {"command": "w"}}}');
    const cases: [RegExp, ...string[]][] = [
      [/Unknown host "curser". Did you mean cursor\? Known hosts: antigravity, /, '--host', 'curser'],
      [/Windsurf has no project configuration. Use --global./, '--host', 'windsurf'],
      [/server "wether" not found. Did you mean weather\? Available: footbridge, weather/, '--wrap', 'wether'],
      [/The name is empty/, '--host', ''],
    ];
    for (const [expected, ...args] of cases)
      expect(await run(world, 'install', '--yes', ...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(expected) });
    const taken = await runJson(world, 'install', '--yes');
    expect(taken).toMatchObject({
      code: 1,
      written: false,
      changes: [{ action: 'refused', reason: expect.stringContaining('Another server is named') }],
    });
    const atHome = await run({ ...world, project: world.home }, 'install', '--yes');
    expect(atHome).toMatchObject({ code: 1, stderr: expect.stringContaining('This is your home folder') });
    expect(readHost(world, 'gemini')).toBe(hostText('gemini'));
  });
});

/** What to type as soon as the output matches. */
type Answers = [RegExp, () => string][];

/** Runs a command at a terminal, and answers its questions in turn. */
async function atTerminal(world: World, answers: Answers, ...args: string[]): Promise<{ code: unknown; output: string }> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode() {} });
  const output = new Capture(true);
  const left = [...answers];
  const asked = setInterval(() => {
    const [question, answer] = left[0] ?? [];
    if (question?.test(output.text) !== true || answer === undefined) return;
    left.shift();
    stdin.write(answer());
  }, 5);
  const { code } = await runIn(world, { stdin, stdout: output, stderr: output }, ...args);
  clearInterval(asked);
  return { code, output: output.text };
}

const DOWN = '\u001b[B';

describe('at a terminal', () => {
  it('hosts are chosen from a list with all installed ones selected', async () => {
    const world = emptyWorld();
    writeHosts(world, ['cursor', 'gemini', 'qwen']);
    const before = homeFiles(world);
    // The second of three is left out.
    const { code, output } = await atTerminal(
      world,
      [
        [/Which hosts\?/, () => `${DOWN} \r`],
        [/\[y\/N/, () => 'y\n'],
      ],
      'install',
      '--global',
    );
    expect(code).toBe(0);
    expect(output).toMatch(/Cursor.*~\/\.cursor\/mcp\.json/);
    expect(readHost(world, 'cursor')).toContain('footbridge');
    expect(readHost(world, 'gemini')).toBe(hostText('gemini'));
    expect(readHost(world, 'qwen')).toContain('footbridge');
    const undone = await run(world, 'uninstall', '--global', '--yes');
    expect(undone.code).toBe(0);
    // Escape cancels, and nothing is asked with --yes, --json or named hosts.
    const cancelled = await atTerminal(world, [[/Which hosts\?/, () => '\u0003']], 'install', '--global');
    expect(cancelled).toMatchObject({ code: 1, output: expect.stringContaining('Nothing was written.') });
    expect(homeFiles(world)).toEqual(before);
    for (const args of [['--dry-run'], ['--json', '--dry-run'], ['--host', 'cursor', 'qwen', '--dry-run']])
      expect((await atTerminal(world, [], 'install', '--global', ...args)).output).not.toContain('Which hosts?');
  });

  it('every known host is offered if none is installed', async () => {
    const world = emptyWorld();
    const { code, output } = await atTerminal(
      world,
      [
        [/No installed host was found\. Which hosts/, () => ' \r'],
        [/\[y\/N/, () => 'y\n'],
      ],
      'install',
    );
    expect(code, output).toBe(0);
    expect(readdirSync(world.project)).toHaveLength(1);
  });
});

it('a project file gets no absolute path, and a path that cannot be shared is rejected', async () => {
  const world = emptyWorld();
  const skills = join(world.project, 'team');
  const own = join(world.home, 'skills');
  const { code } = await run(
    world,
    'install',
    '--host',
    'cursor',
    '--yes',
    '--skills',
    skills,
    '--skills',
    own,
    '--pack',
    join(skills, 'pack.mjs'),
  );
  expect(code).toBe(0);
  const text = readFileSync(join(world.project, '.cursor/mcp.json'), 'utf8');
  expect(JSON.parse(text)).toEqual({
    mcpServers: { footbridge: shared(world, '--skills', './team', '--skills', '~/skills', '--pack', './team/pack.mjs') },
  });
  expect(text).not.toMatch(/"\//);
  for (const args of [
    ['--skills', world.outside],
    ['--config', join(world.home, 'c.json')],
  ])
    expect(await run(world, 'install', '--host', 'cursor', '--yes', ...args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Use a path relative to the project, or --global.'),
    });
});

it('install reports what Footbridge adds for a host that reads some skill folders itself', async () => {
  const world = emptyWorld();
  world.skill('project/.agents/skills/theirs');
  world.skill('project/.claude/skills/added');
  world.write('project/footbridge.json', JSON.stringify({ mcpServers: { docs: { command: 'docs-server' } } }));
  const { stdout } = await run(world, 'install', '--host', 'codex', '--yes');
  expect(stdout).toContain('Codex reads ./.agents/skills itself; Footbridge adds 1 skill from ./.claude/skills and 1 server.\n');
});

it('install names the folders that the host reads, not those that Footbridge has the same skills from', async () => {
  const world = emptyWorld();
  world.skill('project/.agents/skills/shared');
  world.skill('project/.agents/skills/ours');
  cpSync(world.path('project/.agents/skills/shared'), world.path('project/.claude/skills/shared'), { recursive: true });
  const { stdout } = await run(world, 'install', '--host', 'claude-code', '--yes');
  expect(stdout).toContain('Claude Code reads ./.claude/skills itself; Footbridge adds 1 skill from ./.agents/skills.\n');
});
