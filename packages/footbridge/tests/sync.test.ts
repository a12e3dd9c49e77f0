/** `footbridge sync`: skills in the folders that hosts read themselves. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseFolders } from '../src/cli/sync/targets.js';
import { HOST_PROFILES } from '../src/surfaces/hosts/profile.js';
import type { Json } from './support/client.js';
import { run } from './support/command.js';
import { createWorld, type World } from './support/folders.js';
import { startHttp } from './support/http-server.js';
import { serve, textOf } from './support/server.js';

/** A project whose only server is another Footbridge, as a team has one. */
async function withTeam() {
  const team = createWorld();
  team.skill('project/.agents/skills/pdf', { description: 'Fill in forms of PDF files' });
  team.write('project/.agents/skills/pdf/scripts/fill.py', 'print("filled")\n');
  team.write('project/.agents/skills/pdf/logo.png', Buffer.from([0x89, 0x50, 0, 0xff]));
  team.skill('project/.agents/skills/review', { description: 'Review a change' });
  const { endpoint } = await startHttp(team);
  const world = createWorld();
  world.write('project/footbridge.json', JSON.stringify({ mcpServers: { team: { url: endpoint, exclude: { tools: ['*'] } } } }));
  return { team, world };
}

const TO = ['sync', '--to', 'claude-code', '--yes'];

function synced(world: World): Json {
  return (...args: string[]) => run(world, ...TO, ...args, '--json').then(({ code, stdout }) => ({ code, ...JSON.parse(stdout) }));
}

async function catalogueOf(world: World, clientName: string): Promise<string> {
  const client = await serve(world, { clientName });
  await expect.poll(async () => textOf(await client.call('list_skills', {}))).toContain('pdf');
  const { tools } = (await client.request('tools/list')).result;
  const { description, inputSchema } = tools.find(({ name }: Json) => name === 'skill');
  return [client.handshake.instructions, description, inputSchema.properties.name.description].join('\n');
}

describe('the skills of a team server', () => {
  it('are written with all files, and removed completely', async () => {
    const { team, world } = await withTeam();
    const before = readdirSync(world.project);
    const shown = await run(world, 'sync', '--to', 'claude-code');
    expect(shown).toMatchObject({ code: 1, stderr: expect.stringContaining('--yes') });
    expect(shown.stdout).toContain('+ pdf  from team, 3 files');
    expect(readdirSync(world.project)).toEqual(before);

    const { code, stdout } = await run(world, ...TO);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Wrote 2 skills.') });
    for (const path of ['pdf/SKILL.md', 'pdf/scripts/fill.py', 'pdf/logo.png', 'review/SKILL.md'])
      expect(readFileSync(world.path(`project/.claude/skills/${path}`))).toEqual(readFileSync(team.path(`project/.agents/skills/${path}`)));
    expect(readdirSync(world.path('project/.claude/skills'))).toEqual(['pdf', 'review']);
    expect(await run(world, ...TO)).toMatchObject({ code: 0, stdout: expect.stringContaining('2 skills up to date') });

    expect(await run(world, 'sync', '--remove', '--yes')).toMatchObject({ code: 0, stdout: expect.stringContaining('Removed 2 skills.') });
    expect(readdirSync(world.project)).toEqual(before);
  });

  it('are omitted from the catalogue of that host only, and can still be found and loaded', async () => {
    const { world } = await withTeam();
    expect(await catalogueOf(world, 'claude-code')).toContain('Fill in forms');
    await run(world, ...TO, '--skill', 'pdf');
    const seen = await catalogueOf(world, 'claude-code');
    expect(seen).not.toContain('Fill in forms');
    expect(seen).toContain('Review a change');
    expect((await catalogueOf(world, 'codex-mcp-client')).match(/Fill in forms/g)).toHaveLength(1);
    const client = await serve(world, { clientName: 'claude-code' });
    const found = textOf(await client.call('list_skills', { query: 'forms of PDF' }));
    expect(found.match(/Fill in forms/g)).toHaveLength(1);
    expect(textOf(await client.call('skill', { name: 'pdf' }))).toContain('Instructions of pdf.');
    await run(world, 'sync', '--remove', '--yes');
    expect(await catalogueOf(world, 'claude-code')).toContain('Fill in forms');
  });

  it("are updated and removed with the server's", async () => {
    const { team, world } = await withTeam();
    const sync = synced(world);
    await sync();
    team.write('project/.agents/skills/pdf/scripts/fill.py', 'print("better")\n');
    team.remove('project/.agents/skills/review');
    await expect
      .poll(async () => (await sync()).folders[0].skills, { timeout: 20_000 })
      .toEqual([expect.objectContaining({ name: 'pdf', action: 'current' })]);
    expect(readFileSync(world.path('project/.claude/skills/pdf/scripts/fill.py'), 'utf8')).toBe('print("better")\n');
    expect(readdirSync(world.path('project/.claude/skills'))).toEqual(['pdf']);
  });

  it('stay when the server does not answer', async () => {
    const { world } = await withTeam();
    await synced(world)();
    world.write('project/footbridge.json', JSON.stringify({ mcpServers: { team: { url: 'http://127.0.0.1:9/mcp' } } }));
    expect(await synced(world)()).toMatchObject({ code: 0, written: false });
    expect(readdirSync(world.path('project/.claude/skills'))).toEqual(['pdf', 'review']);
  });
});

/** A project with a folder of skills that no host reads. */
function withFolder() {
  const world = createWorld();
  world.skill('project/team/pdf');
  world.write('project/team/pdf/notes.md', 'Notes\n');
  world.write('project/footbridge.json', JSON.stringify({ skills: ['./team'] }));
  return { world, sync: synced(world), copy: (path = '') => world.path(`project/.claude/skills/pdf${path}`) };
}

describe('a change by the user', () => {
  it("is kept: an edited file is neither overwritten nor removed, and is served as the user's copy", async () => {
    const { copy, sync, world } = withFolder();
    await sync();
    expect(JSON.parse((await run(world, 'list', '--json')).stdout).skills).toMatchObject([{ name: 'pdf', origin: './team' }]);
    writeFileSync(copy('/SKILL.md'), '---\nname: pdf\ndescription: Mine\n---\nMine\n');
    world.write('project/team/pdf/notes.md', 'New notes\n');
    for (const args of [[], ['--remove']])
      expect(await sync(...args)).toMatchObject({
        code: 1,
        folders: [{ skills: [{ action: 'refused', reason: expect.stringMatching(/^SKILL\.md changed since it was written\./) }] }],
      });
    expect(readFileSync(copy('/SKILL.md'), 'utf8')).toContain('Mine');
    expect(readFileSync(copy('/notes.md'), 'utf8')).toBe('Notes\n');
    expect(JSON.parse((await run(world, 'list', '--json')).stdout).skills).toMatchObject([{ description: 'Mine' }]);
  });

  it('is kept: added files survive an update and a removal', async () => {
    const { copy, sync, world } = withFolder();
    await sync();
    mkdirSync(copy('/__pycache__'));
    writeFileSync(copy('/__pycache__/fill.pyc'), 'cached');
    world.write('project/team/pdf/notes.md', 'New notes\n');
    expect(await sync()).toMatchObject({ code: 0, folders: [{ skills: [{ action: 'update' }] }] });
    expect(readFileSync(copy('/notes.md'), 'utf8')).toBe('New notes\n');
    expect(await sync('--remove')).toMatchObject({ folders: [{ skills: [{ note: 'Files that you added stay: __pycache__' }] }] });
    expect(readdirSync(copy())).toEqual(['__pycache__']);
  });

  it('is kept: a skill of the same name that sync did not write', async () => {
    const { copy, sync, world } = withFolder();
    world.skill('project/.claude/skills/pdf', { description: 'Older' });
    world.write('project/footbridge.json', JSON.stringify({ skills: ['./team'], standardFolders: false }));
    expect(await sync()).toMatchObject({
      code: 1,
      folders: [{ skills: [{ action: 'refused', reason: expect.stringContaining('Another skill is there already') }] }],
    });
    expect(await run(world, 'sync', '--remove', '--yes')).toMatchObject({ code: 0, stdout: 'Nothing here was written by sync.\n' });
    expect(readFileSync(copy('/SKILL.md'), 'utf8')).toContain('Older');
  });

  it('is repaired where a file is missing, also after an interrupted run', async () => {
    const { copy, sync, world } = withFolder();
    await sync();
    rmSync(copy('/notes.md'));
    expect(await sync()).toMatchObject({ code: 0, folders: [{ skills: [{ action: 'update' }] }] });
    expect(existsSync(copy('/notes.md'))).toBe(true);
    // Between the two renames of an update.
    const staging = world.path('project/.claude/.footbridge-skills-0123456789abcdef');
    mkdirSync(join(staging, 'old'), { recursive: true });
    renameSync(copy(), join(staging, 'old', 'pdf'));
    expect(await sync()).toMatchObject({ code: 0 });
    expect([readdirSync(world.path('project/.claude')), readdirSync(world.path('project/.claude/skills'))]).toEqual([['skills'], ['pdf']]);
  });
});

describe('links', () => {
  it('that lead out of the project are rejected', async () => {
    const { sync, world } = withFolder();
    mkdirSync(world.path('project/.claude'));
    symlinkSync(world.outside, world.path('project/.claude/skills'));
    const { code, stderr } = await run(world, ...TO);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('leads out of the project') });
    expect(readdirSync(world.outside)).toEqual([]);
    rmSync(world.path('project/.claude'), { recursive: true });
    await sync();
  });

  it('that replaced written files are not followed', async () => {
    const { copy, sync, world } = withFolder();
    await sync();
    rmSync(copy(), { recursive: true });
    world.write('outside/pdf/SKILL.md', readFileSync(world.path('project/team/pdf/SKILL.md')));
    world.write('outside/pdf/notes.md', 'Notes\n');
    symlinkSync(world.path('outside/pdf'), copy());
    world.write('project/team/pdf/notes.md', 'New\n');
    for (const args of [[], ['--remove']])
      expect(await sync(...args)).toMatchObject({ code: 1, folders: [{ skills: [{ action: 'refused' }] }] });
    expect(readdirSync(world.path('outside/pdf'))).toEqual(['SKILL.md', 'notes.md']);
    expect(readFileSync(world.path('outside/pdf/notes.md'), 'utf8')).toBe('Notes\n');
    rmSync(copy());
    await sync();
    rmSync(copy('/notes.md'));
    symlinkSync(world.path('outside/pdf/notes.md'), copy('/notes.md'));
    expect(await sync('--remove')).toMatchObject({ code: 1, folders: [{ skills: [{ action: 'refused' }] }] });
    expect(readFileSync(world.path('outside/pdf/notes.md'), 'utf8')).toBe('Notes\n');
  });
});

describe('folders', () => {
  const chosen = (...names: string[]) =>
    chooseFolders(
      names.map((name) => HOST_PROFILES[name] ?? expect.fail(name)),
      'project',
    ).map(({ folder, readers }) => [folder, readers.map(({ host }) => host)]);

  it('are the fewest that the hosts need, and are not read by other hosts', () => {
    expect(chosen('codex-mcp-client')).toEqual([['.codex/skills', ['Codex']]]);
    expect(chosen('codex-mcp-client', 'gemini-cli-mcp-client')).toEqual([['.agents/skills', ['Codex', 'Gemini CLI']]]);
    expect(chosen('claude-code', 'codex-mcp-client', 'opencode')).toEqual([
      ['.claude/skills', ['Claude Code', 'opencode']],
      ['.codex/skills', ['Codex']],
    ]);
  });

  it('are not written to for a host that reads the skill elsewhere', async () => {
    const { sync, world } = withFolder();
    await sync();
    expect(await run(world, 'sync', '--to', 'opencode', '--yes')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Nothing to write'),
    });
    world.skill('project/.claude/skills/own');
    expect(await run(world, 'sync', '--to', 'claude-code', '--skill', 'own', '--yes')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Nothing to write'),
    });
  });

  it('in the home folder are used by --global, and files that another project wrote there are kept', async () => {
    const { world } = withFolder();
    expect(await run(world, ...TO, '--global')).toMatchObject({ code: 0 });
    expect(readdirSync(world.path('home/.claude/skills'))).toEqual(['pdf']);
    mkdirSync(world.path('project/inner'));
    const other = { ...world, project: world.path('project/inner') };
    expect(await run(other, ...TO, '--global')).toMatchObject({ code: 0 });
    expect(readdirSync(world.path('home/.claude/skills'))).toEqual(['pdf']);
    expect(await run(other, 'sync', '--remove', '--to', 'claude-code', '--global', '--yes')).toMatchObject({ code: 0 });
    expect(existsSync(world.path('home/.claude'))).toBe(false);
  });

  it.each([
    [['--to', 'claude-desktop'], 'reads no skill folders'],
    [['--to', 'cloude-code'], 'Did you mean claude-code?'],
    [['--to', 'claude-code', '--skill', 'pfd'], 'Did you mean pdf?'],
    [['--to', 'continue', '--global'], 'Continue reads no skill folders. Add'],
    [['--remove', '--skill', 'pdf'], 'was not written by sync here'],
  ])('are rejected with a fix for %j', async (args, words) => {
    const { world } = withFolder();
    expect(await run(world, 'sync', ...args, '--yes')).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(words) });
  });
});
