/** What `lint` finds in texts, the positions it reports, and its output formats. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { widthOf } from '../src/cli/layout.js';
import { run } from './support/command.js';
import { createWorld, type World } from './support/folders.js';

const USE = 'Use when a form is to be filled in.';

function skillWith(body: string, description = `Fill in forms. ${USE}`): World {
  const world = createWorld();
  world.write('project/team/forms/SKILL.md', `---\nname: forms\ndescription: ${description}\n---\n\n${body}\n`);
  return world;
}

/** Rule, line and column of each problem. */
async function placesIn(world: World): Promise<string[]> {
  const { problems } = JSON.parse((await run(world, 'lint', 'team', '--json')).stdout);
  return problems.map(({ rule, line, column }: { rule: string; line: number; column: number }) => `${rule} ${line}:${column}`);
}

describe('planted faults', () => {
  const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
  for (const [fault, world, expected] of [
    ['a word that says something is missing', () => skillWith('Steps.\n\nTODO: write them.'), 'placeholder 8:1'],
    ['a gap to fill in', () => skillWith('Ask [your name here] first.'), 'placeholder 6:5'],
    ['a sentence of the template', () => skillWith('- Give an example of a request that this skill is for.'), 'placeholder 6:1'],
    ['the template of others', () => skillWith('# Insert instructions below'), 'placeholder 6:1'],
    ['a description of two words', () => skillWith('Steps.', 'Formats code.'), 'description-when 3:14'],
    ['a token in the text', () => skillWith(`Call it with ${TOKEN} as the key.`), 'secret-text 6:14'],
    ['a token in code', () => skillWith(`\`\`\`sh\ncurl -H "Authorization: Bearer ${TOKEN}"\n\`\`\``), 'secret-text 7:32'],
    ['a description that does not say when', () => skillWith('Steps.', 'A helper of the office and its forms'), 'description-when 3:14'],
    ['a text that hosts cut', () => skillWith('word '.repeat(2500)), 'host-limit 6:1'],
    ['a link to nowhere', () => skillWith('See [the steps](steps.md).'), 'link-target 6:17'],
    ['a colon without quotes', () => skillWith('Steps.', `Forms: fill them in. ${USE}`), 'yaml-colon 3:14'],
    ['invalid YAML', () => skillWith('Steps.', `[Forms. ${USE}`), 'yaml 4:1'],
  ] as const)
    it(`finds ${fault}, with its line and column`, async () => {
      expect(await placesIn(world())).toEqual([expected]);
    });

  it('reports nothing for code that contains such words, nor for a good skill', async () => {
    const world = skillWith('Look for `TODO` in the sources:\n\n```sh\ngrep -rn TODO src\n```\n\nSee [the name](SKILL.md).');
    expect(await placesIn(world)).toEqual([]);
  });

  it('reports nothing for a skill about open tasks', async () => {
    const world = skillWith('Add it to the todo list, and collect the TODO comments.', 'Keep a todo list. Use when someone plans a day.');
    expect(await placesIn(world)).toEqual([]);
  });

  it('lists the findings of a file in the order of its lines', async () => {
    const world = skillWith(`See [the steps](steps.md).\n\nTODO: write them. [Gone](gone.md)\n\nThe key is ${TOKEN}.`);
    expect(await placesIn(world)).toEqual(['link-target 6:17', 'placeholder 8:1', 'link-target 8:26', 'secret-text 10:12']);
  });

  it('does not judge descriptions in other languages', async () => {
    expect(await placesIn(skillWith('Schritte.', 'Nutzen bei Rechnungen'))).toEqual([]);
    expect(await placesIn(skillWith('Schritte.', 'Formulare ausfüllen und prüfen'))).toEqual([]);
    expect(await placesIn(skillWith('步骤。', '填写表格'))).toEqual([]);
  });

  it('shows the line with a mark below the column, but no secret', async () => {
    const { stdout } = await run(skillWith(`Call it with ${TOKEN} as the key.`), 'lint', 'team');
    expect(stdout).toContain('team/forms/SKILL.md:6:14\n  warning  This looks like a secret');
    expect(stdout).toContain('  > 6 | Call it with [redacted] as the key.\n      |              ^\n');
    expect(stdout).not.toContain(TOKEN);
  });
});

describe('--fix', () => {
  it('adds quotes and names the skill after its folder, and changes nothing else', async () => {
    const world = createWorld();
    const rest = '---\r\n\r\nname: stays\r\n\r\nDone: yes: really\r\n';
    world.write('project/team/forms/SKILL.md', `---\r\nname: My Forms\r\ndescription: Forms: fill "them" in. ${USE}\r\n${rest}`);
    const { code, stdout } = await run(world, 'lint', 'team', '--fix');
    expect(stdout).toContain('1 skill, 0 errors, 0 warnings, 2 fixed');
    expect(code).toBe(0);
    expect(readFileSync(world.path('project/team/forms/SKILL.md'), 'utf8')).toBe(
      `---\r\nname: forms\r\ndescription: "Forms: fill \\"them\\" in. ${USE}"\r\n${rest}`,
    );
  });

  it('does not change what needs a decision', async () => {
    const world = skillWith('TODO');
    const before = readFileSync(world.path('project/team/forms/SKILL.md'), 'utf8');
    expect((await run(world, 'lint', 'team', '--fix')).stdout).toContain('1 warning');
    expect(readFileSync(world.path('project/team/forms/SKILL.md'), 'utf8')).toBe(before);
  });

  it('counts skipped findings', async () => {
    const world = skillWith('Steps.');
    world.write('project/team/none/SKILL.md', 'no frontmatter');
    expect((await run(world, 'lint', 'team')).stdout).toContain('1 skill, 1 error, 0 warnings, 1 skipped');
  });
});

describe('reports for other programs', () => {
  it('--format github prints a workflow command for each problem', async () => {
    const { stdout } = await run(skillWith('TODO: 100 %, really'), 'lint', 'team', '--format', 'github');
    expect(stdout).toBe(
      '::warning file=team/forms/SKILL.md,line=6,col=1,title=placeholder::"TODO" looks unfinished. Write what is missing, or remove it.\n',
    );
  });

  it('--format sarif is valid against the schema of SARIF 2.1.0', async () => {
    const world = skillWith('TODO and [nothing](gone.md).', 'A helper of the office');
    world.write('project/team/a b/SKILL.md', '---\ndescription: d\n---\n');
    const log = JSON.parse((await run(world, 'lint', 'team', '--format', 'sarif')).stdout);
    const schema = createRequire(import.meta.url)('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
    const { $schema: _draft, id: _id, ...rules } = schema;
    const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(rules);
    expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
    expect(log.runs[0].results.map((each: { ruleId: string }) => each.ruleId).sort()).toEqual([
      'description-when',
      'link-target',
      'name-missing',
      'placeholder',
    ]);
    expect(JSON.stringify(log)).toContain('team/a%20b/SKILL.md');
  });
});

describe('code frames and supporting files', () => {
  const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

  it('the mark is below its column in lines with wide characters', async () => {
    const { stdout } = await run(skillWith('填写表格 📄 TODO: 写完。'), 'lint', 'team');
    expect(stdout).toContain('  > 6 | 填写表格 📄 TODO: 写完。\n      |             ^\n');
  });

  it('a position far to the right is shown below an excerpt of its line', async () => {
    const { stdout } = await run(skillWith(`${'表'.repeat(200)} TODO: 写完。`), 'lint', 'team');
    const [code = '', mark = ''] = stdout.split('\n').slice(stdout.split('\n').findIndex((line) => line.includes('> 6 |')));
    expect(widthOf(code.slice(0, code.indexOf('TODO')))).toBe(mark.indexOf('^'));
  });

  describe('very many findings in a file', () => {
    const TOKEN = `ghp_${'a1B2'.repeat(9)}`;
    const TEMPLATE = '- Give an example of a request that this skill is for.';

    it.each([
      ['unfinished lines', 'TODO x\n', 20_000],
      ['broken links', '[a]({#}.md) [b]({#}/b.md)\n', 5000],
      ['broken links in a line', '[a]({#}.md) ', 1500],
      ['sentences of the template', `${TEMPLATE}\n`, 2000],
    ])('are 100 findings and their number: %s', async (_what, each, times) => {
      const world = skillWith(Array.from({ length: times }, (_, index) => each.replaceAll('{#}', String(index))).join(''));
      const { stdout } = await run(world, 'lint', 'team', '--json');
      const { problems } = JSON.parse(stdout);
      const found = problems.filter(({ rule }: { rule: string }) => ['placeholder', 'link-target'].includes(rule));
      expect(found).toHaveLength(100);
      const total = times * (each.split('](').length > 2 ? 2 : 1);
      expect(problems.find(({ rule }: { rule: string }) => rule === 'more-findings')).toMatchObject({
        message: `${(total - 100).toLocaleString('en')} more findings in this file are not shown.`,
        line: found.at(-1).line,
      });
      expect((await run(world, 'lint', 'team')).stdout).toContain('more findings in this file are not shown.');
    });

    it('are errors and secrets first', async () => {
      const world = skillWith(`${'TODO x\n'.repeat(200)}${TOKEN}\n${TEMPLATE}`);
      expect(await placesIn(world)).toEqual(expect.arrayContaining(['secret-text 206:1', 'placeholder 207:1', 'more-findings 207:1']));
    });
  });

  it.skipIf(process.platform === 'win32')('a pipe in place of SKILL.md is an error', async () => {
    const world = createWorld();
    mkdirSync(world.path('project/team/x'), { recursive: true });
    execFileSync('mkfifo', [world.path('project/team/x/SKILL.md')]);
    expect(await run(world, 'lint', 'team')).toMatchObject({ code: 1, stdout: expect.stringContaining('not-a-file') });
  });

  it('finds a secret in a text file beside SKILL.md, with line and column, and ignores other files', async () => {
    const world = skillWith('See [the notes](references/notes.md).');
    world.write('project/team/forms/references/notes.md', `# Notes\r\n\r\nThe key is ${TOKEN}.\r\n`);
    world.write('project/team/forms/assets/logo.bin', Buffer.from(`\0${TOKEN}`));
    const { problems } = JSON.parse((await run(world, 'lint', 'team', '--json')).stdout);
    expect(problems).toEqual([
      expect.objectContaining({ rule: 'secret-text', file: join('team', 'forms', 'references', 'notes.md'), line: 3, column: 12 }),
    ]);
    const { stdout } = await run(world, 'lint', 'team');
    expect(stdout).toContain('  > 3 | The key is [redacted].');
    expect(stdout).not.toContain(TOKEN);
  });
});
