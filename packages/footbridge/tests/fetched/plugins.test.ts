/** Plugins and marketplaces: their skills, and on request their MCP servers. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { PluginServer } from '../../src/sources/fetched/plugins/servers.js';
import { Capture, runIn } from '../support/command.js';
import { createWorld, type World } from '../support/folders.js';
import { type Files, get, newMachine, newRepository, skillText, writeFiles } from './support.js';

const json = JSON.stringify;
/** As it is written in a file. */
const variable = (name: string) => `\${${name}}`;
const AGENT_SCHEMA = 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json';
const MCP_SCHEMA = 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json';

const PLUGIN: Files = {
  '.claude-plugin/plugin.json': json({
    name: 'office',
    version: '1.0.0',
    skills: './more',
    mcpServers: { tables: { url: 'https://example.org/mcp' } },
  }),
  '.mcp.json': json({ mcpServers: { evil: { command: 'touch', args: ['ran'] } } }),
  'commands/hello.md': '# Hello\n',
  'hooks/hooks.json': '{}',
  'skills/pdf/SKILL.md': skillText('pdf'),
  'more/web/SKILL.md': skillText('web'),
  'tests/fixture/SKILL.md': skillText('fixture'),
};

const AGENT_PLUGIN: Files = {
  'plugin.json': json({ $schema: AGENT_SCHEMA, name: 'agent.tools' }),
  'mcp.json': json({
    $schema: MCP_SCHEMA,
    mcpServers: {
      docs: { type: 'stdio', command: 'npx', args: ['-y', 'docs-server', variable('HOME')] },
      own: { type: 'stdio', command: './bin/server', args: [`${variable('PLUGIN_ROOT')}/x`] },
      remote: { type: 'streamable-http', url: 'https://example.org/mcp', headers: { 'X-Tenant': 'public' } },
      broken: { type: 'stdio' },
    },
  }),
  'skills/pdf/SKILL.md': skillText('pdf'),
  'skills/deep/er/SKILL.md': skillText('er'),
};

function below(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));
}

async function foundIn(files: Files, extra: Files = {}) {
  const machine = newMachine();
  writeFiles(machine.home, { ...below('plugin', files), ...extra });
  return get('./plugin', machine, { serversSuffice: true });
}

const names = (skills: readonly { readonly name: string }[]) => skills.map(({ name }) => name).sort();
const problems = (servers: readonly PluginServer[]) => servers.map((each) => [each.name, 'problem' in each ? each.problem : each.setting]);

describe('a plugin', () => {
  it('of Claude Code has the skills in its folders, and no others', async () => {
    const { others, plugins, skills } = await foundIn(PLUGIN);
    expect(names(skills)).toEqual(['pdf', 'web']);
    expect(others).toEqual(['fixture']);
    expect(names(plugins.servers)).toEqual(['evil', 'tables']);
  });

  it('has skills outside its folders if they are named', async () => {
    const machine = newMachine();
    writeFiles(machine.home, below('plugin', PLUGIN));
    expect(names((await get('./plugin', machine, { only: ['fixture'] })).skills)).toEqual(['fixture']);
  });

  it('in the format of Agent Plugins has its skills one level deep', async () => {
    const { others, skills } = await foundIn(AGENT_PLUGIN);
    expect(names(skills)).toEqual(['pdf']);
    expect(others).toEqual(['er']);
  });

  it('in a repository has only servers without files of its own, since fetched files are never run', async () => {
    const { plugins } = await get(`git+file://${newRepository(AGENT_PLUGIN)}`, newMachine());
    expect(problems(plugins.servers)).toEqual([
      ['docs', { command: 'npx', args: ['-y', 'docs-server', `$${variable('HOME')}`] }],
      ['own', expect.stringContaining('uses files of the plugin')],
      ['remote', { type: 'http', url: 'https://example.org/mcp', headers: { 'X-Tenant': 'public' } }],
      ['broken', expect.stringContaining('neither a command nor a url')],
    ]);
  });

  it('in a local folder has servers with their files, and none outside it', async () => {
    const servers = {
      own: { command: './bin/server', args: [`${variable('CLAUDE_PLUGIN_ROOT')}/x`, variable('HOME')] },
      up: { command: '../bin/server' },
      away: { command: 'node', cwd: `${variable('CLAUDE_PLUGIN_ROOT')}/../..` },
      data: { command: 'node', args: [`${variable('CLAUDE_PLUGIN_DATA')}/x`] },
      asked: { command: 'node', env: { KEY: variable('user_config.key') } },
    };
    const machine = newMachine();
    writeFiles(machine.home, below('plugin', { ...PLUGIN, '.mcp.json': json(servers) }));
    const root = join(machine.home, 'plugin');
    const { plugins } = await get('./plugin', machine);
    expect(problems(plugins.servers)).toEqual([
      ['tables', { type: 'http', url: 'https://example.org/mcp' }],
      ['own', { command: join(root, 'bin/server'), args: [`${root}/x`, variable('HOME')], cwd: root }],
      ['up', expect.stringContaining('leads out')],
      ['away', expect.stringContaining('leads out')],
      ['data', expect.stringContaining('CLAUDE_PLUGIN_DATA')],
      ['asked', expect.stringContaining('user_config.key')],
    ]);
  });

  it('of an unknown version is not used', async () => {
    const files = {
      'plugin.json': json({ $schema: AGENT_SCHEMA.replace('1.0.0', '9.0.0'), name: 'x' }),
      'mcp.json': AGENT_PLUGIN['mcp.json'] ?? '',
    };
    await expect(foundIn(files)).rejects.toThrow('version of Agent Plugins is not supported');
  });
});

describe('a marketplace', () => {
  it('in a repository has the skills of its plugins, and names the location of the others', async () => {
    const sha = '0'.repeat(40);
    const plugins = [
      { name: 'office', source: './office' },
      { name: 'web', source: './web', strict: false, skills: ['./web-skills/search'] },
      { name: 'github', source: { source: 'github', repo: 'owner/repo', ref: 'v1', sha } },
      { name: 'sub', source: { source: 'git-subdir', url: 'https://example.org/x.git', path: 'plugins/sub', ref: 'main' } },
      { name: 'npm', source: { source: 'npm', package: '@scope/plugin', version: '1.0.0' } },
      { name: 'shell', source: { source: 'github', repo: 'owner/repo; touch escaped' } },
    ];
    const repository = newRepository({
      '.claude-plugin/marketplace.json': json({ name: 'team', owner: { name: 'Ada' }, metadata: { pluginRoot: './plugins' }, plugins }),
      ...below('plugins/office', PLUGIN),
      'plugins/web/web-skills/search/SKILL.md': skillText('search'),
      'plugins/web/skills/hidden/SKILL.md': skillText('hidden'),
      'plugins/unlisted/skills/unlisted/SKILL.md': skillText('unlisted'),
    });
    const found = await get(`git+file://${repository}`, newMachine());
    expect(names(found.skills)).toEqual(['pdf', 'search', 'web']);
    expect([...found.others].sort()).toEqual(['fixture', 'hidden', 'unlisted']);
    expect(found.plugins.elsewhere).toEqual([
      { name: 'github', source: `github:owner/repo@${sha}` },
      { name: 'sub', source: 'https://example.org/x.git#main:plugins/sub' },
      { name: 'npm', source: 'npm:@scope/plugin@1.0.0' },
    ]);
    expect(found.unusable.map(({ reason }) => reason)).toContainEqual(expect.stringContaining("'shell' is in a place"));
    expect(names((await get(`git+file://${repository}#:plugins/office`, newMachine())).skills)).toEqual(['pdf', 'web']);
  });

  it('whose plugins are all elsewhere reports how to add them', async () => {
    const plugins = [{ name: 'x', source: { source: 'github', repo: 'owner/repo' } }];
    await expect(foundIn({ '.claude-plugin/marketplace.json': json({ name: 'x', plugins }) })).rejects.toMatchObject({
      action: expect.stringContaining('footbridge add github:owner/repo'),
    });
  });

  it.each(['../outside', '/etc', 'C:\\outside', '..\\outside', './a/../../outside', '\\\\server\\share', 7, null, 'a\0b'])(
    'cannot lead out of itself by %j',
    async (source) => {
      const plugins = [
        { name: 'evil', source, skills: source, mcpServers: source },
        { name: 'good', source: './good' },
      ];
      const found = await foundIn(
        { '.claude-plugin/marketplace.json': json({ name: 'x', plugins }), 'good/skills/pdf/SKILL.md': skillText('pdf') },
        { 'outside/skills/secret/SKILL.md': skillText('secret') },
      );
      expect(names(found.skills)).toEqual(['pdf']);
      expect(found.unusable.length).toBeGreaterThan(0);
    },
  );

  it.each(['', '[]', '{', 'null', '{"plugins": 1}', '{"plugins": [1]}', '['.repeat(5000), `{"x": "${'x'.repeat(300_000)}"}`])(
    'with a damaged file has the skills that are found: %s',
    async (text) => {
      const found = await foundIn({ '.claude-plugin/marketplace.json': text, 'skills/pdf/SKILL.md': skillText('pdf') });
      expect(names(found.skills)).toEqual(['pdf']);
      expect(found.unusable).toMatchObject([{ path: '.claude-plugin/marketplace.json' }]);
    },
  );
});

describe('footbridge add --servers', () => {
  /** With a configuration that is not trusted. */
  const run = (world: World, ...args: string[]) => runIn(world, {}, ...args);
  const servers = {
    docs: { command: 'touch', args: ['ran'], env: { MODE: 'x y' } },
    unset: { command: 'x', env: { KEY: variable('NOT_SET_AT_ALL') } },
  };

  function plugin(world: World): string {
    for (const [path, content] of Object.entries({ ...PLUGIN, '.mcp.json': json(servers) }))
      world.write(`outside/office/${path}`, String(content));
    return world.path('outside/office');
  }

  const config = (world: World) => JSON.parse(readFileSync(join(world.project, 'footbridge.json'), 'utf8'));

  it('shows commands, and adds only those whose digest is given, even with --yes', async () => {
    const world = createWorld();
    const source = plugin(world);
    const first = await run(world, 'add', source, '--yes');
    expect(first.stdout).toContain('Its plugins have 3 MCP servers; --servers shows and adds them.');
    const asked = await run(world, 'add', source, '--servers', '--yes');
    expect(asked.stdout).toContain('docs  touch ran\n');
    expect(asked.stdout).toContain('variable MODE="x y"');
    expect(asked.stdout).toContain('The environment variable NOT_SET_AT_ALL is not set.');
    expect(config(world)).toEqual({ sources: [source] });
    const digest = /--accept ([0-9a-f]{24})/.exec(asked.stderr)?.[1] ?? '';
    expect((await run(world, 'add', source, '--servers', '--yes', '--accept', '0'.repeat(24))).stderr).toContain('No server was added');
    expect(config(world)).toEqual({ sources: [source] });
    const added = await run(world, 'add', source, '--servers', '--yes', '--accept', digest);
    expect(added.stdout).toContain('No server starts before you have run in this folder: footbridge trust');
    const cwd = source;
    expect(config(world).mcpServers).toEqual({
      tables: { type: 'http', url: 'https://example.org/mcp' },
      docs: { command: 'touch', args: ['ran'], env: { MODE: 'x y' }, cwd },
    });
    expect((await run(world, 'list')).stdout).toContain('pdf');
    expect(existsSync(join(source, 'ran'))).toBe(false);
    expect((await run(world, 'add', source, '--servers', '--yes')).stdout).toContain('Already in footbridge.json: tables, docs');
  });

  it.each([
    ['y', 2],
    ['n', 0],
  ])('asks at a terminal, also with --yes, and takes %s for an answer', async (answer, count) => {
    const world = createWorld();
    const stdin = Object.assign(Readable.from([`${answer}\n`]), { isTTY: true });
    const { stdout } = await runIn(world, { stdin, stderr: new Capture(true) }, 'add', plugin(world), '--servers', '--yes');
    expect(stdout).toContain('MCP servers. Commands run on this machine');
    expect(Object.keys(config(world).mcpServers ?? {})).toHaveLength(count);
  });

  it('prefixes a duplicate name with that of the plugin', async () => {
    const world = createWorld();
    world.write('project/footbridge.json', json({ mcpServers: { docs: { command: 'other' } } }));
    const { offered } = JSON.parse((await run(world, 'add', plugin(world), '--servers', '--yes', '--json')).stdout);
    expect(Object.keys(offered.usable)).toEqual(['tables', 'office-docs']);
  });
});
