/** `footbridge init` creates a valid skill. */
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { run } from './support/command.js';
import { createWorld } from './support/folders.js';

describe('init', () => {
  it('creates a valid skill that is served at once, and suggests the next step', async () => {
    const world = createWorld();
    const made = await run(world, 'init', 'pdf-forms');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toContain('Created .agents/skills/pdf-forms/SKILL.md, served as skill://pdf-forms/SKILL.md\n');
    for (const step of ['lint .agents/skills/pdf-forms', 'dev .agents/skills/pdf-forms', 'install'])
      expect(made.stdout).toContain(`footbridge ${step} `);
    const text = readFileSync(world.path('project/.agents/skills/pdf-forms/SKILL.md'), 'utf8');
    expect(text).not.toContain('\r');
    for (const heading of ['When to use', 'Steps', 'Example']) expect(text).toContain(`\n## ${heading}\n`);
    const lint = await run(world, 'lint');
    // Until the sentences of the template are replaced.
    expect(lint.code).toBe(1);
    expect(lint.stdout).toContain('1 skill, 8 errors, 0 warnings');
  });

  it('quotes a description and a name that YAML would read as another type', async () => {
    const world = createWorld();
    const description = 'Use: "always" # not a comment, \'never\' {a: [b]} | & * ! % @ `c`\u001b[31m\nnext line --- end';
    const { stdout } = await run(world, 'init', './team/123', '--description', description, '--json');
    expect(JSON.parse(stdout)).toEqual({
      name: '123',
      path: world.path('project/team/123/SKILL.md'),
      uri: null,
      served: false,
      notes: [expect.stringContaining('Serve it with --skills team, or add that folder to "skills" in footbridge.json.')],
    });
    const { skills } = JSON.parse((await run(world, 'list', '--skills', './team', '--json')).stdout);
    expect(skills).toEqual([expect.objectContaining({ name: '123', description: description.replace('\u001b', ' ').replace('\n', ' ') })]);
    expect((await run(world, 'lint', 'team')).stdout).toContain('1 skill, 7 errors, ');
  });

  it('rejects a name that the standard does not allow, suggests a valid one, and creates nothing', async () => {
    const world = createWorld();
    const near = { 'PDF Forms': 'pdf-forms', './team/Änder--ung_': 'team/ander-ung', [`${'x'.repeat(63)}-y`]: 'x'.repeat(63) };
    for (const [name, meant] of Object.entries(near)) {
      const { code, stderr } = await run(world, 'init', name);
      expect(code).toBe(1);
      expect(stderr).toContain(`Did you mean ${meant}?`);
    }
    expect((await run(world, 'init', '..')).stderr).toContain('Choose a name such as pdf-forms.');
    expect((await run(world, 'init', './a/b', '--global')).stderr).toContain('Pass only its name');
    expect((await run(world, 'init', 'a', '--description', ' ')).stderr).toContain('The description is empty.');
    expect((await run(world, 'init', 'a', '--description', 'x'.repeat(1025))).stderr).toContain('the standard allows 1024');
    expect(existsSync(world.path('project/.agents'))).toBe(false);
    expect(existsSync(world.path('project/team'))).toBe(false);
    expect(await run(world, 'init', '~/team/notes')).toMatchObject({ code: 0 });
    expect(existsSync(world.path('home/team/notes/SKILL.md'))).toBe(true);
  });

  it('never overwrites existing files', async () => {
    const world = createWorld();
    const file = world.skill('project/.agents/skills/git');
    const before = readFileSync(file, 'utf8');
    world.write('project/.agents/skills/notes/draft.md', 'mine');
    world.write('project/.agents/skills/plain', 'a file');
    symlinkSync('/nowhere', world.path('project/.agents/skills/link'));
    for (const name of ['git', 'notes', 'plain', 'link']) {
      const { code, stderr } = await run(world, 'init', name);
      expect({ name, code }).toEqual({ name, code: 1 });
      expect(stderr).toContain('Nothing was changed.');
    }
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect((await run(world, 'init', './.agents/skills/git/inner')).stderr).toContain('is itself a skill');
    expect((await run(world, 'init', './.agents/skills/plain/inner')).stderr).toContain('cannot be created (ENOTDIR)');
  });

  it('reports another skill of the same name, whichever takes precedence', async () => {
    const world = createWorld();
    world.skill('home/.claude/skills/git');
    const first = await run(world, 'init', 'git');
    expect(first.stdout).toContain('/home/.claude/skills/git/SKILL.md has the same name and is no longer served');
    const second = await run(world, 'init', 'git', '--global');
    expect(second.code).toBe(0);
    expect(existsSync(world.path('home/.agents/skills/git/SKILL.md'))).toBe(true);
    expect(second.stdout).toContain('It is not served: .agents/skills/git/SKILL.md has the same name and takes precedence.');
    world.write('project/footbridge.json', '{ "skills": 1 }');
    const third = await run(world, 'init', 'other');
    expect(third.code).toBe(0);
    expect(third.stdout).toContain('Could not determine whether it is served:');
  });
});
