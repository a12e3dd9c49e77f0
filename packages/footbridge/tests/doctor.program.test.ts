/** `footbridge doctor` reports problems with their cause and fix, and otherwise what each host sees. */
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { command, type Json } from './support/client.js';
import { run } from './support/command.js';
import { diagnose, diagnoseTwice, doctor, found, servers, stranger } from './support/doctor.js';
import { createWorld, type World } from './support/folders.js';
import { startHttp } from './support/http-server.js';
import { configure, toOrder } from './support/to-order.js';

const COMMAND = command();

const GARDEN = join(import.meta.dirname, 'fixtures', 'packs', 'garden.mjs');
const SECRET = 'hunter2-of-the-host';

/** An entry that starts the program as it is published. */
function entry(...args: string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [COMMAND, ...args] };
}

const hostsOf = ({ report }: { report: Json }, id: string): Json[] => report.hosts.filter((host: Json) => host.id === id);

describe('doctor without problems', () => {
  async function healthy(): Promise<{ world: World; starts: string }> {
    const world = createWorld();
    const starts = world.path('outside/starts');
    world.skill('project/.agents/skills/one');
    world.skill('home/.claude/skills/two');
    configure(world, {
      notes: toOrder({ name: 'notes', version: '7', tools: 2, resources: 3, templates: ['notes://{id}'], prompts: ['greet'] }),
      other: { ...toOrder({ name: 'other', tools: 1 }), env: { KEY: SECRET } },
    });
    // Both Claude Code and Copilot CLI read this file.
    const counted = world.write('outside/count.cjs', `require('fs').appendFileSync(${JSON.stringify(starts)}, 'x');`);
    world.write(
      'project/.mcp.json',
      servers({
        footbridge: { ...entry(), env: { NODE_OPTIONS: `--require=${counted}`, PASSWORD: SECRET } },
        else: { command: 'other-server' },
      }),
    );
    world.write('home/.codex/config.toml', '[mcp_servers.footbridge]\ncommand = "npx"\nargs = ["-y", "footbridge"]\nenabled = false\n');
    world.write('home/.copilot/config.json', '{}');
    world.write('home/.cursor/mcp.json', servers({ other: { command: 'other-server' } }));
    // In a host that supports only tools, skills and resources are reachable only through ours.
    const off = {
      standardFolders: false,
      skills: ['../project/.agents/skills'],
      tools: { skill: false, get_skill: false, get_resource: false },
    };
    world.write('outside/off.json', JSON.stringify({ ...off, tools: { ...off.tools, get_resources: false } }));
    world.write('home/.codeium/windsurf/mcp_config.json', servers({ footbridge: entry('--config', world.path('outside/off.json')) }));
    return { world, starts };
  }

  it('reports no errors, and for each host what it sees and how; starts each entry as that host would', async () => {
    const { starts, world } = await healthy();
    const common = ['--pack', GARDEN, '--http', '127.0.0.1:0'];
    const [diagnosis, people] = await Promise.all([diagnose(world, ...common), doctor(world, ...common, '--host', 'claude-code')]);
    const { all, code, report } = diagnosis;
    const text = people.stdout;
    expect({ code, errors: report.errors }, all).toEqual({ code: 0, errors: 0 });
    expect(report).toMatchObject({
      version: JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')).version,
      node: { version: process.versions.node, path: process.execPath },
      protocols: expect.arrayContaining(['2026-07-28', '2025-11-25', '2024-11-05']),
      configuration: { file: 'footbridge.json', good: true },
      packs: [{ name: GARDEN, loaded: true }],
      http: { address: '127.0.0.1:0', state: 'free' },
    });
    expect(report.folders).toContainEqual({ folder: './.agents/skills', exists: true, skills: 1 });
    expect(report.folders).toContainEqual({ folder: '~/.agents/skills', exists: false, skills: 0 });
    expect(report.servers).toMatchObject([
      {
        name: 'notes',
        reached: true,
        title: 'notes',
        version: '7',
        revision: '2025-11-25',
        tools: 2,
        resources: 3,
        templates: 1,
        prompts: 1,
      },
      { name: 'other', reached: true, tools: 1, resources: 0 },
    ]);
    const [claude] = hostsOf(diagnosis, 'claude-code');
    expect(claude).toMatchObject({ scope: 'project', file: '.mcp.json', state: 'configured' });
    expect(claude.entries).toHaveLength(1);
    expect(claude.entries[0]).toMatchObject({
      state: 'works',
      revision: '2025-11-25',
      sees: [
        { kind: 'skills', count: 2, tool: 'skill', native: 'yes', text: '2 skills by the tool skill, and as resources' },
        { kind: 'resources', count: 4, tool: 'get_resource', text: '4 resources by the tool get_resource, and as resources' },
        { kind: 'prompts', count: 1, tool: 'get_prompt', text: '1 prompt by the tool get_prompt, and as prompts' },
      ],
    });
    const [copilot] = hostsOf(diagnosis, 'github-copilot-cli');
    expect(copilot.entries[0].sees[0].text).toBe('2 skills by the tool skill');
    // For the two hosts by one, for the named one by the other.
    expect(readFileSync(starts, 'utf8')).toBe('xxx');
    const addition = 'Claude Code reads ~/.claude/skills itself; Footbridge adds 2 skills from garden and ./.agents/skills, and 2 servers';
    expect(claude).toMatchObject({ profile: 'measured with 2.1.197', addition });
    expect(claude.entries[0].model).toMatchObject({ skills: 1, named: 1, described: 1 });
    expect(text).toContain(`ok      ${addition}\n`);
    expect(text).toMatch(/ok {6}Claude Code: 1 of 1 skills with descriptions, \d+ tokens \(measured with 2\.1\.197\)\n/);
    expect(text).toContain('2 skills by the tool skill, and as resources; 4 resources by the tool get_resource, and as resources');
    expect(text).toMatch(/ok {6}notes: notes 7, MCP 2025-11-25, [\d,]+ ms, 2 tools, 3 resources, 1 template, 1 prompt\n/);

    expect(found(diagnosis, 'host-disabled')).toMatchObject({ severity: 'info', where: 'Codex, ~/.codex/config.toml: footbridge' });
    expect(found(diagnosis, 'host-none').action).toBe(
      'Add one with footbridge install --host cursor, for this project, or with --global for all.',
    );
    expect(found(diagnosis, 'host-road')).toMatchObject({
      severity: 'warning',
      message: 'No tool gives access to 1 skill, and the host has no other route.',
    });
    expect(`${all}${text}${people.stderr}`).not.toContain(SECRET);
    expect(people.code).toBe(0);
    expect(text.trimEnd()).toMatch(/\n0 errors, \d+ warnings?$/);
  });

  it('counts nested skills and those of servers as the model sees them, by the options of the entry', async () => {
    const world = createWorld();
    for (const name of ['one', 'two', 'group/three', 'group/four']) world.skill(`project/.agents/skills/${name}`);
    for (const name of ['a', 'b']) world.skill(`project/.agents/skills/${name}/same`);
    world.skill('project/.claude/skills/theirs');
    const { endpoint } = await startHttp(world);
    world.write('project/.mcp.json', servers({ footbridge: entry(), 'footbridge-remote': { type: 'http', url: endpoint } }));
    world.write('outside/all.json', JSON.stringify({ native: 'serve' }));
    world.write('project/.qwen/settings.json', servers({ footbridge: entry('--config', world.path('outside/all.json')) }));
    world.write('home/.codex/config.toml', '');
    const { report, text } = await diagnoseTwice(world, '--host', 'claude-code', '--host', 'qwen-code', '--host', 'codex');
    const models = (id: string) => hostsOf({ report }, id).flatMap(({ entries }: Json) => entries.map(({ model }: Json) => model));
    expect(models('claude-code')).toMatchObject([
      { skills: 6, named: 6, described: 6 },
      { skills: 7, named: 7, described: 7 },
    ]);
    expect(models('qwen-code')).toMatchObject([{ skills: 7, named: 7, described: 7 }]);
    expect(text).toMatch(/ok {6}Codex with Footbridge: 1 of 1 skills with descriptions, \d+ tokens \(measured with 0\.166\.0\)\n/);
    expect(hostsOf({ report }, 'codex')[0].addition).toBe(
      'Codex reads ./.agents/skills itself; Footbridge adds 1 skill from ./.claude/skills',
    );
  });

  it('checks the given hosts and configuration', async () => {
    const world = createWorld();
    world.write('project/.cursor/mcp.json', '{}');
    const { code, report } = await diagnose(world, '--host', 'cursor', '--host', 'Zed', '--config', 'none.json');
    expect(code).toBe(1);
    expect(report.hosts.map((host: Json) => host.id)).toEqual(['cursor']);
    expect(report.findings).toMatchObject([
      { code: 'configuration', where: 'none.json', message: 'File none.json not found.', action: 'Create it, or correct --config.' },
      { severity: 'warning', code: 'host-absent', message: 'Zed is not installed.' },
      {
        severity: 'info',
        code: 'host-none',
        action: 'Add one with footbridge install --host cursor, for this project, or with --global for all.',
      },
    ]);
  });
});

describe('doctor reports', () => {
  it('invalid YAML, a shadowed skill, an unreadable folder, a port in use, servers that exit or hang, a missing path, too many skills', async () => {
    const world = createWorld();
    world.write('project/.agents/skills/bad/SKILL.md', '---\nname: bad\ndescription: ok\nfoo: [1, 2\n---\n');
    world.skill('project/.agents/skills/twin');
    world.skill('home/.agents/skills/twin');
    for (let index = 0; index < 120; index++)
      world.skill(`project/team/skill-${index}`, { description: `Skill ${index} ${'explains itself at length. '.repeat(8)}` });
    world.skill('project/closed/one');
    chmodSync(world.path('project/closed'), 0o000);
    onTestFinished(() => chmodSync(world.path('project/closed'), 0o755));
    const never = world.path('outside/never');
    const loud = `console.error('refused with API_KEY=${SECRET}'); console.error('given ' + process.env.KEY); process.exit(3)`;
    configure(
      world,
      {
        ends: { command: process.execPath, args: ['-e', loud], env: { KEY: 'given-by-somebody' } },
        hangs: { ...toOrder({ after: never }), startTimeoutMs: 300 },
        lost: { command: 'no-such-command-here' },
        refused: { url: 'http://127.0.0.1:9/mcp' },
        page: { url: `http://127.0.0.1:${await stranger()}/mcp` },
      },
      { skills: ['./team', './closed', './absent'] },
    );
    const gone = world.path('outside/gone/footbridge.cjs');
    world.write('project/.cursor/mcp.json', servers({ footbridge: { command: process.execPath, args: [gone] } }));
    const port = await stranger();
    const diagnosis = await diagnose(world, '--http', String(port));
    expect(diagnosis.code).toBe(1);
    expect(found(diagnosis, 'yaml')).toMatchObject({ severity: 'error', where: '.agents/skills/bad/SKILL.md:5' });
    expect(found(diagnosis, 'shadowed')).toMatchObject({ severity: 'warning', message: expect.stringContaining('"twin" is not served') });
    expect(found(diagnosis, 'unreadable')).toMatchObject({ severity: 'error', message: 'It cannot be read (EACCES). It is skipped.' });
    expect(found(diagnosis, 'unreadable').where).toContain('closed');
    expect(found(diagnosis, 'folder-missing')).toMatchObject({ severity: 'warning', where: './absent' });
    expect(found(diagnosis, 'catalogue-budget')).toMatchObject({
      severity: 'warning',
      message: expect.stringContaining('skills are described'),
    });
    expect(found(diagnosis, 'http-taken')).toMatchObject({
      where: `127.0.0.1:${port}`,
      message: `Port ${port} is in use by another program.`,
    });
    expect(found(diagnosis, 'server-ended')).toMatchObject({
      where: 'mcpServers.ends',
      kind: 'exited',
      message: 'The process exited with code 3.',
      details: ['refused with API_KEY=[redacted]', 'given [redacted]'],
    });
    expect(found(diagnosis, 'server-silent')).toMatchObject({
      where: 'mcpServers.hangs',
      message: 'Timed out after 300 ms while starting.',
    });
    expect(found(diagnosis, 'server-command')).toMatchObject({
      where: 'mcpServers.lost',
      kind: 'not-found',
      message: expect.stringContaining('Command not found'),
    });
    expect(found(diagnosis, 'server-unreachable')).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('refused the connection'),
    });
    expect(found(diagnosis, 'server-protocol').message).toContain('web page');
    expect(found(diagnosis, 'host-path')).toMatchObject({
      severity: 'error',
      where: 'Cursor, .cursor/mcp.json: footbridge',
      message: `File ${gone} not found.`,
      action: 'Rewrite it with footbridge install.',
    });
    expect(diagnosis.report).toMatchObject({ errors: 9, warnings: 3, skills: { served: 121, shadowed: 1 } });
    expect(diagnosis.all).not.toContain(SECRET);
    expect(diagnosis.all).not.toContain('given-by-somebody');
  });

  it('an invalid configuration, packs that cannot be loaded, a public address without authentication, an entry that exits', async () => {
    const world = createWorld();
    const script = `console.error('token sk-abcdefghijklmnopqrstuvwx1234567890 is wrong'); process.exit(4)`;
    world.write('project/.gemini/settings.json', servers({ footbridge: { command: process.execPath, args: ['-e', script] } }));
    await run(world, 'trust', '--yes');
    world.write(
      'project/footbridge.json',
      `{\n  "skils": [],\n  "mcpServers": { "one": { "command": 7 } },\n  "http": { "password": "${SECRET}" }\n}\n`,
    );
    const diagnosis = await diagnoseTwice(world, '--pack', 'not-installed-anywhere', '--http', '0.0.0.0:0');
    expect(diagnosis.code).toBe(1);
    const problems = diagnosis.report.findings.filter((each: Json) => each.code === 'configuration');
    expect(problems.map((each: Json) => each.where)).toEqual([
      'footbridge.json:2:3',
      expect.stringMatching(/:3:\d+$/),
      expect.stringMatching(/:4:\d+$/),
    ]);
    expect(problems[0]).toMatchObject({
      severity: 'error',
      message: expect.stringContaining('skils'),
      action: expect.stringContaining('skills'),
    });
    expect(found(diagnosis, 'pack')).toMatchObject({ where: 'not-installed-anywhere', message: expect.stringContaining('npm install') });
    expect(found(diagnosis, 'http-open').message).toContain("'0.0.0.0' is reachable from other machines");
    expect(diagnosis.report.configuration).toEqual({ file: 'footbridge.json', good: false });
    expect(found(diagnosis, 'host-ended')).toMatchObject({
      message: 'The process exited with code 4.',
      details: ['token [redacted] is wrong'],
    });
    expect(diagnosis.text).toContain('\n          | token [redacted] is wrong\n          → ');
    expect(diagnosis.text.trimEnd().endsWith('6 errors, 0 warnings')).toBe(true);
    expect(diagnosis.all).not.toMatch(/sk-abcdef|hunter2/);
  });
});
