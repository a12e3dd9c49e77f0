/** The command line, used by people and scripts. */
import { chmodSync, mkdirSync, readFileSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Capture, run, runIn } from './support/command.js';
import { createWorld, type World } from './support/folders.js';

function someSkills(): World {
  const world = createWorld();
  world.skill('project/.agents/skills/pdf', { description: 'Fill in and split PDF forms' });
  world.skill('home/.claude/skills/release-notes', { description: 'Write notes for a new release' });
  world.write('project/.agents/skills/pdf/assets/data.bin', new Uint8Array([0, 255, 254, 10]));
  return world;
}

describe('list, show, read, search', () => {
  it('list prints text for people and JSON for scripts, without colours to a pipe', async () => {
    const world = someSkills();
    const people = await run(world, 'list');
    expect(people).toMatchObject({ code: 0, stderr: '' });
    expect(people.stdout).toBe(
      [
        'NAME           FROM              DESCRIPTION',
        'pdf            ./.agents/skills  Fill in and split PDF forms',
        'release-notes  ~/.claude/skills  Write notes for a new release',
        '',
        '2 skills',
        '',
      ].join('\n'),
    );
    expect((await run(world, 'list', '--long')).stdout).toBe(
      `pdf  project, ./.agents/skills\n  Fill in and split PDF forms\n  skill://pdf/SKILL.md\n  ${world.path('project/.agents/skills/pdf')}\nrelease-notes  global, ~/.claude/skills\n  Write notes for a new release\n  skill://release-notes/SKILL.md\n  ~/.claude/skills/release-notes\n`,
    );
    const { skills } = JSON.parse((await run(world, 'list', '--json')).stdout);
    expect(skills[0]).toEqual({
      name: 'pdf',
      description: 'Fill in and split PDF forms',
      uri: 'skill://pdf/SKILL.md',
      location: 'project',
      origin: './.agents/skills',
    });
    expect((await run(createWorld(), 'list')).stdout).toContain('No skills found. Create one with footbridge init');
  });

  it('list accepts --skills after the command, and warns on stderr about a missing folder', async () => {
    const world = createWorld();
    world.skill('outside/team/one');
    const { stdout, stderr, code } = await run(world, 'list', '--long', '--skills', world.path('outside/team'), '--skills', './nowhere');
    expect(code).toBe(0);
    expect(stdout).toContain('skill://one/SKILL.md');
    expect(stderr).toBe(
      'footbridge warn: ./nowhere: The folder does not exist. Skipped. Create it or correct its name; it is served as soon as it exists.\n',
    );
  });

  it('show prints a skill with its files, and suggests the nearest name for an unknown one', async () => {
    const world = someSkills();
    const shown = await run(world, 'show', 'PDF');
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('skill://pdf/assets/data.bin  4 bytes');
    expect(shown.stdout).toContain('Instructions of pdf.');
    const json = JSON.parse((await run(world, 'show', 'pdf', '--json')).stdout);
    expect(json).toMatchObject({
      name: 'pdf',
      conforms: true,
      directory: world.path('project/.agents/skills/pdf'),
      files: [{ uri: 'skill://pdf/SKILL.md' }, { uri: 'skill://pdf/assets/data.bin', size: 4 }],
    });
    const unknown = await run(world, 'show', 'release-note');
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('Did you mean release-notes?');
  });

  it('read writes the bytes unchanged', async () => {
    const world = someSkills();
    const stdout = new Capture();
    await runIn(world, { stdout }, 'read', 'skill://pdf/assets/data.bin');
    expect([...stdout.bytes]).toEqual([0, 255, 254, 10]);
    for (const name of ['pdf', 'PDF/SKILL.md', 'pdff'])
      expect((await run(world, 'read', name)).stderr).toContain('Did you mean skill://pdf/SKILL.md?');
    const unknown = await run(world, 'read', 'skill://pdff/SKILL.md');
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain("Did you mean 'skill://pdf/SKILL.md'?");
  });

  it('search finds words, parts of words and near misses, best first, and exits with 1 without results', async () => {
    const world = someSkills();
    for (const words of [['forms'], ['release'], ['relase', 'notes'], ['split', 'pdf']]) {
      const { skills } = JSON.parse((await run(world, 'search', ...words, '--json')).stdout);
      expect(skills[0].name, words.join(' ')).toBe(/pdf|forms/.test(words.join(' ')) ? 'pdf' : 'release-notes');
    }
    expect((await run(world, 'search', 'zzzzzz')).code).toBe(1);
  });

  it('removes control characters of a skill from terminal output', async () => {
    const world = createWorld();
    world.write('project/.agents/skills/evil/SKILL.md', '---\nname: evil\ndescription: "red \\e[31m alert \\a end"\n---\n');
    const { stdout } = await run(world, 'list');
    expect([...stdout].filter((character) => character < ' ' && character !== '\n')).toEqual([]);
  });
});

describe('help and mistakes', () => {
  it('--help and each command have examples; --version is the version', async () => {
    const world = createWorld();
    for (const args of [
      ['--help'],
      ['serve', '--help'],
      ['list', '--help'],
      ['show', '--help'],
      ['read', '--help'],
      ['search', '--help'],
      ['lint', '--help'],
      ['surface', '--help'],
      ['wrap', '--help'],
      ['token', '--help'],
    ]) {
      const { stdout, code } = await run(world, ...args);
      expect(code).toBe(0);
      expect(stdout).toContain('Examples:\n  $ footbridge');
      // A token is created without a catalog.
      if (args[0] === 'token') expect(stdout).not.toContain('--skills <dir>');
      else expect(stdout).toContain('--skills <dir>');
    }
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8'));
    expect((await run(world, '--version')).stdout.trim()).toBe(manifest.version);
  });

  it('an unknown option or command is rejected with the nearest one', async () => {
    const world = createWorld();
    expect(await run(world, '--skill', 'x')).toMatchObject({ code: 1, stderr: expect.stringContaining('Did you mean --skills?') });
    expect(await run(world, 'lst')).toMatchObject({ code: 1, stderr: expect.stringContaining('Did you mean list?') });
    for (const folder of ['./skills', '/tmp/skills', '~', String.raw`C:\skills`])
      expect((await run(world, folder)).stderr).toContain('Serve a skill folder with: footbridge serve --skills <dir>');
    expect((await run(world, 'https://example.org/mcp')).stderr).toContain('Serve an MCP server with: footbridge wrap <url>');
    expect((await run(world, 'serve', './skills')).stderr).toContain(
      "'serve' takes no arguments. Name a skill folder with: --skills <dir>\n",
    );
    expect(await run(world, 'list', '--jsn')).toMatchObject({ code: 1, stderr: expect.stringContaining('Did you mean --json?') });
    expect(await run(world, 'help', 'lnt')).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Did you mean lint?') });
    expect(await run(world, 'qqqqqqqqq')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('See all commands with: footbridge --help'),
    });
    expect((await run(world, '--log-level', 'loud')).stderr).toContain('Use one of: silent, error, warn, info, debug');
  });

  it('serve rejects a public address without authentication, and an invalid one', async () => {
    const world = createWorld();
    for (const address of ['0.0.0.0:3333', '192.0.2.1:80', '99999', 'abc', '[::]:3333']) {
      const { code, stderr } = await run(world, 'serve', '--http', address);
      expect(code, address).toBe(1);
      expect(stderr).toMatch(/reachable from other machines|Use \[HOST:\]PORT/);
    }
  });

  it.each([[[]], [['serve']]])('prints an introduction at a terminal instead of waiting: %j', async (args) => {
    const stdin = Object.assign(Readable.from([]), { isTTY: true });
    const { code, stdout } = await runIn(createWorld(), { stdin }, ...args);
    expect(code).toBe(0);
    expect(stdout).toContain('every skill and every resource, in every MCP host');
    expect(stdout).toContain('footbridge install');
  });

  it('uses colours at a terminal, unless NO_COLOR is set or it is dumb', async () => {
    const world = someSkills();
    const list = async (env: NodeJS.ProcessEnv) => {
      const stdout = new Capture(true);
      await runIn(world, { stdout, env }, 'list');
      return stdout.text;
    };
    expect(await list({})).toContain('\u001b[1mpdf\u001b[22m');
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) expect(await list(env)).not.toContain('\u001b');
  });
});

describe('lint', () => {
  it('reports no findings for a good skill, and its cost in tokens', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/pdf', { description: 'Fill in PDF forms. Use when a form is to be filled in.' });
    const { code, stdout } = await run(world, 'lint');
    expect(code).toBe(0);
    expect(stdout).toMatch(/pdf +\d+ +\d+/);
    expect(stdout.trimEnd().endsWith('1 skill, 0 errors, 0 warnings')).toBe(true);
  });

  it('reports each problem with file, line, rule and fix, and exits with 1 on errors', async () => {
    const world = createWorld();
    const base = 'project/team';
    world.skill(`${base}/good`);
    world.skill(`${base}/Upper`, { name: 'Upper' });
    world.skill(`${base}/other-folder`, { name: 'other-name' });
    world.skill(`${base}/wordy`, { description: 'x'.repeat(1025) });
    world.write(`${base}/colon/SKILL.md`, '---\nname: colon\ndescription: Use this: always\n---\n');
    world.write(`${base}/bad-yaml/SKILL.md`, '---\nname: bad-yaml\ndescription: ok\nfoo: [1, 2\n---\n');
    world.write(`${base}/nameless/SKILL.md`, '---\ndescription: d\n---\n');
    world.write(`${base}/separator/SKILL.md`, '---\nname: a/b\ndescription: d\n---\n');
    world.write(
      `${base}/fields/SKILL.md`,
      `---\nname: fields\ndescription: d\ncompatibility: ${'y'.repeat(501)}\nmetadata:\n  nested:\n    deep: 1\n---\n`,
    );
    world.write(`${base}/lower/skill.md`, '---\nname: lower\ndescription: d\n---\n');
    world.skill(`${base}/long`, { body: 'word '.repeat(5000) });
    world.skill(`${base}/links`, { body: 'See [this](missing.md), [that](./SKILL.md), [web](https://example.org), [bad](%zz.md).\n' });
    world.write(`${base}/links/.env`, 'KEY=1');
    symlinkSync('/etc/hostname', world.path(`${base}/links/escape`));
    world.write(`${base}/links/big.bin`, '');
    truncateSync(world.path(`${base}/links/big.bin`), 17 * 1024 * 1024);
    world.write(`${base}/latin/SKILL.md`, Buffer.from('---\nname: latin\ndescription: d\n---\ncaf\xe9\n', 'latin1'));
    world.skill(`${base}/many`);
    for (let index = 0; index < 513; index++) world.write(`${base}/many/f/${index}.txt`, 'x');
    world.skill('project/second/good');
    symlinkSync(world.path('outside/none'), world.path(`${base}/dangling`));
    const { code, stdout } = await run(world, 'lint', 'team', 'second', 'absent', '--json');
    expect(code).toBe(1);
    const report = JSON.parse(stdout);
    const found = report.problems
      .filter(({ rule }: { rule: string }) => rule !== 'description-when')
      .map(
        (each: { severity: string; rule: string; file: string; line?: number; column?: number }) =>
          `${each.severity} ${each.rule} ${each.file}${each.line === undefined ? '' : `:${each.line}:${each.column}`}`,
      );
    expect(found.sort()).toEqual(
      [
        'error folder-missing absent',
        'error name-format team/Upper/SKILL.md:2:7',
        'error name-folder team/other-folder/SKILL.md:2:7',
        'error description-length team/wordy/SKILL.md:3:14',
        'warning yaml-colon team/colon/SKILL.md:3:14',
        'error yaml team/bad-yaml/SKILL.md:5:1',
        'error name-missing team/nameless/SKILL.md:1:1',
        'error name-separator team/separator/SKILL.md:2:7',
        'error compatibility-length team/fields/SKILL.md:4:16',
        'error metadata-type team/fields/SKILL.md:5:9',
        'error file-name team/lower/skill.md:1:1',
        'warning body-length team/long/SKILL.md:6:1',
        'warning host-limit team/long/SKILL.md:6:1',
        'warning link-target team/links/SKILL.md:6:12',
        'warning link-target team/links/SKILL.md:6:79',
        'warning secret-file team/links/.env',
        'error link-outside team/links/escape',
        'error file-size team/links/big.bin',
        'error skill-size team/links',
        'warning encoding team/latin/SKILL.md',
        'error skill-size team/many',
        'warning shadowed second/good/SKILL.md:1:1',
        'warning link-broken team/dangling',
      ].sort(),
    );
    for (const problem of report.problems) expect(problem.action).toMatch(/\.$/);
    expect(report.errors + report.warnings).toBe(report.problems.length);
    const people = await run(world, 'lint', 'team');
    expect(people.code).toBe(1);
    expect(people.stdout).toContain('team/bad-yaml/SKILL.md:5:1\n  error  The frontmatter is not valid YAML');
  });

  it('reports a catalogue over its budget', async () => {
    const world = createWorld();
    for (let index = 0; index < 300; index++)
      world.skill(`project/many/skill-${index}`, { description: `Skill ${index} ${'explains itself at length. '.repeat(8)}` });
    const report = JSON.parse((await run(world, 'lint', 'many', '--json')).stdout);
    expect(report.problems).toEqual([expect.objectContaining({ rule: 'catalogue-budget', severity: 'warning' })]);
    expect(report.catalogue).toMatchObject({ budget: 16_000, skills: 300 });
    expect(report.catalogue.named).toBe(300);
    expect(report.catalogue.described).toBeLessThan(100);
    expect(report.problems[0].message).toContain(`only ${report.catalogue.described} of 300 skills are described`);
  });
});

describe('hostile skills', () => {
  it('lint and show survive circular links, unreadable folders and invalid names', async () => {
    const world = createWorld();
    world.skill('project/team/loops', { body: 'See [nul](%00), [out](../../../../etc/passwd), [bad](%zz).\n' });
    for (const name of ['x', 'y', 'z']) symlinkSync('.', world.path(`project/team/loops/${name}`));
    mkdirSync(world.path('project/team/loops/closed'));
    chmodSync(world.path('project/team/loops/closed'), 0o000);
    const lint = JSON.parse((await run(world, 'lint', 'team', '--json')).stdout);
    const links = lint.problems.filter((problem: { rule: string }) => problem.rule === 'link-target');
    expect(links.map((problem: { message: string }) => /"(.*)"/.exec(problem.message)?.[1])).toEqual([
      '%00',
      '../../../../etc/passwd',
      '%zz',
    ]);
    const shown = await run(world, 'show', 'loops', '--skills', 'team', '--json');
    expect(JSON.parse(shown.stdout).files.map((file: { uri: string }) => file.uri)).toEqual(['skill://loops/SKILL.md']);
    chmodSync(world.path('project/team/loops/closed'), 0o755);
  });

  it('an empty --skills is rejected instead of meaning the working folder; ~/ is the home folder', async () => {
    const world = createWorld();
    world.skill('project/private');
    world.skill('home/mine/one');
    for (const args of [
      ['--skills', ''],
      ['list', '--skills='],
      ['lint', ''],
    ]) {
      const { code, stderr, stdout } = await run(world, ...args);
      expect(code, args.join(' ')).toBe(1);
      expect(stderr).toContain('is a variable unset?');
      expect(stdout).not.toContain('private');
    }
    expect((await run(world, 'list', '--long', '--skills', '~/mine')).stdout).toContain('skill://one/SKILL.md');
  });
});
