/** The skill-tool contract, scenario by scenario, in every revision of the protocol. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { VERSIONS } from '../support/client.js';
import { createWorld } from '../support/folders.js';
import { serve, textOf } from '../support/server.js';

describe.each(VERSIONS)('the skill tool over stdio, protocol %s', (version) => {
  it('1. loads an existing skill with its folder and its whole text', async () => {
    const world = createWorld();
    const file = world.skill('project/.claude/skills/git', { description: 'Git deployment workflow skill' });
    const client = await serve(world, { version });
    const result = await client.call('skill', { name: 'git' });
    expect(result.isError ?? false).toBe(false);
    expect(result.structuredContent).toBeUndefined();
    expect(result.content).toEqual([
      { type: 'text', text: `Loading: git\nBase directory: ${world.path('project/.claude/skills/git')}\n\n${readFileSync(file, 'utf8')}` },
    ]);
  });

  it('2. ignores the case of a skill name', async () => {
    const world = createWorld();
    world.skill('project/.claude/skills/mcp-builder');
    const client = await serve(world, { version });
    for (const name of ['MCP-Builder', 'mcp-builder', ' MCP-BUILDER '])
      expect(textOf(await client.call('skill', { name }))).toMatch(/^Loading: mcp-builder\n/);
  });

  it('3. returns an error for an unknown skill that lists the known ones, near matches first', async () => {
    const world = createWorld();
    for (const name of ['alpha', 'git', 'postgres']) world.skill(`project/.agents/skills/${name}`, { description: `About ${name}` });
    const client = await serve(world, { version });
    const result = await client.call('skill', { name: 'postgre' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe(
      "Skill 'postgre' not found.\n\nAvailable skills:\n- postgres: About postgres\n- alpha: About alpha\n- git: About git\n\nUse the exact skill name (case-insensitive) to load a skill.",
    );
  });

  it('4. rejects an empty name, a missing name, an unknown field and the parameter "command"', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/git');
    const client = await serve(world, { version });
    for (const input of [{ name: '' }, {}, undefined, { name: 'git', more: 1 }, { name: 7 }]) {
      const result = await client.call('skill', input);
      expect(result.isError, JSON.stringify(input)).toBe(true);
      expect(textOf(result)).toContain('"name"');
    }
    expect(textOf(await client.call('skill', { name: '' }))).toContain('Skill name cannot be empty');
    expect(textOf(await client.call('skill', { command: 'git' }))).toContain('called "name", not "command"');
  });

  it('5. prefers the first folder: project before global, .agent before .agents before .claude, --skills last', async () => {
    const world = createWorld();
    const order = ['project/.agent', 'project/.agents', 'home/.agent', 'home/.agents', 'project/.claude', 'home/.claude'].map(
      (base) => `${base}/skills`,
    );
    for (const folder of [...order, 'outside/more']) world.skill(`${folder}/git`, { description: `from ${folder}` });
    const client = await serve(world, { version, args: ['--skills', world.path('outside/more')] });
    for (const [index, folder] of [...order, 'outside/more'].entries()) {
      await client.waitFor(async () => textOf(await client.call('skill', { name: 'git' })).includes(`description: from ${folder}\n`));
      if (index === 0) expect((await client.call('list_skills', {})).structuredContent.skills).toHaveLength(1);
      world.remove(`${folder}/git`);
    }
  });

  it('6. shows a new skill without a restart', async () => {
    const world = createWorld();
    world.skill('project/.claude/skills/old');
    const client = await serve(world, { version });
    expect((await client.call('skill', { name: 'new' })).isError).toBe(true);
    world.skill('project/.claude/skills/new');
    await client.waitFor(async () => (await client.call('skill', { name: 'new' })).isError !== true);
  });

  it('7. does not warn about missing standard folders', async () => {
    const world = createWorld();
    const client = await serve(world, { version });
    expect((await client.request('tools/list')).result.tools).toHaveLength(5);
    const result = await client.call('skill', { name: 'git' });
    expect(textOf(result)).toContain('(none)');
    expect(client.stderr).toBe('');
  });

  it('8. and 9. skips malformed frontmatter and missing fields, each with one warning that names file and reason', async () => {
    const world = createWorld();
    world.skill('project/.claude/skills/good');
    world.write('project/.claude/skills/broken/SKILL.md', '---\nname: broken\ndescription: "no end\n---\n');
    world.write('project/.claude/skills/no-name/SKILL.md', '---\ndescription: something\n---\n');
    world.write('project/.claude/skills/no-description/SKILL.md', '---\nname: no-description\n---\n');
    world.write('project/.claude/skills/no-frontmatter/SKILL.md', '# Just text\n');
    const client = await serve(world, { version });
    expect((await client.call('list_skills', {})).structuredContent.skills.map((skill: { name: string }) => skill.name)).toEqual(['good']);
    const warnings = client.stderr.trim().split('\n');
    expect(warnings).toHaveLength(4);
    for (const [folder, reason] of [
      ['broken', 'not valid YAML'],
      ['no-name', 'has no name'],
      ['no-description', 'has no description'],
      ['no-frontmatter', 'does not begin with'],
    ] as const) {
      expect(
        warnings.filter((line) => line.includes(`${folder}/SKILL.md`) && line.includes(reason) && line.includes('Skipped')),
      ).toHaveLength(1);
    }
  });

  it('is listed with its title, annotations, strict schema and a catalogue of escaped entries', async () => {
    const world = createWorld();
    world.skill('project/.claude/skills/git', { description: '"Git <deploy> & more\'s"' });
    world.skill('home/.agents/skills/pdf');
    const client = await serve(world, { version });
    const [tool] = (await client.request('tools/list')).result.tools;
    expect(tool).toMatchObject({
      name: 'skill',
      title: 'Load Skill',
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      inputSchema: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: { name: { type: 'string', minLength: 1, description: 'Name of the skill to load (case-insensitive)' } },
      },
    });
    expect(tool.outputSchema).toBeUndefined();
    expect(tool.description).toMatch(/^Execute a skill within the main conversation\n\n<skills_instructions>\n/);
    expect(tool.description).toContain('- `name: "pdf"` - invoke the pdf skill');
    expect(tool.description).toContain('<command-message>The "{name}" skill is loading</command-message>');
    expect(
      tool.description.endsWith(
        '<available_skills>\n<skill>\n<name>pdf</name>\n<description>What pdf is for</description>\n<location>global</location>\n</skill>\n<skill>\n<name>git</name>\n<description>Git &lt;deploy&gt; &amp; more&apos;s</description>\n<location>project</location>\n</skill>\n</available_skills>',
      ),
    ).toBe(true);
  });

  it('accepts qualified names, and resolves a shared name to the first skill', async () => {
    const world = createWorld();
    world.skill('outside/all/office/pdf', { description: 'office' });
    world.skill('outside/all/print/pdf', { description: 'print' });
    const client = await serve(world, { version, args: ['--skills', world.path('outside/all')] });
    for (const [name, folder] of [
      ['pdf', 'office'],
      ['office:pdf', 'office'],
      ['Print:PDF', 'print'],
    ] as const) {
      expect(textOf(await client.call('skill', { name }))).toContain(`Base directory: ${world.path(`outside/all/${folder}/pdf`)}\n`);
    }
    const { skills } = (await client.call('list_skills', {})).structuredContent;
    expect(skills.map((skill: { name: string; uri: string }) => [skill.name, skill.uri])).toEqual([
      ['pdf', 'skill://office/pdf/SKILL.md'],
      ['print:pdf', 'skill://print/pdf/SKILL.md'],
    ]);
  });

  it('accepts names with any characters but path separators', async () => {
    const world = createWorld();
    const names = ['Größe & Maß', '日本語', 'a.b', '100%', "it's", '"quoted"', 'emoji 🎉', 'name#1', 'que?ry', ':colon', 'plus+and=eq'];
    for (const [index, name] of names.entries()) {
      world.write(
        `project/.agents/skills/s${index}/SKILL.md`,
        `---\nname: ${JSON.stringify(name)}\ndescription: d${index}\n---\nbody ${index}\n`,
      );
    }
    const client = await serve(world, { version });
    for (const [index, name] of names.entries()) {
      expect(textOf(await client.call('skill', { name })), name).toContain(`body ${index}\n`);
      const [entry] = (await client.call('list_skills', { query: `d${index}` })).structuredContent.skills.filter(
        (skill: { name: string }) => skill.name === name,
      );
      expect((await client.call('get_skill', { uri: entry.uri })).structuredContent.text, entry.uri).toContain(`body ${index}\n`);
      expect((await client.request('resources/read', { uri: entry.uri })).result.contents[0].text).toContain(`body ${index}\n`);
    }
    for (const name of ['a/b', '..\\x', '../../../etc/passwd', '.ssh/id_rsa'])
      expect(textOf(await client.call('skill', { name }))).toContain('no path separator');
  });
});
