/** The get-skill specification, requirement by requirement, in every revision of the protocol. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VERSIONS } from '../support/client.js';
import { createWorld } from '../support/folders.js';
import { serve, textOf } from '../support/server.js';

const repository = join(import.meta.dirname, '..', '..', '..', '..');
const ENGAGE = 'skill://engage-red-hat-support/SKILL.md';
const engageFolder = join(repository, 'packages', 'engage', 'skills');
const args = ['--skills', engageFolder, '--skills', join(repository, 'examples', 'skills')];

const SECRET_LIKE = /bearer\s+[\w.-]{12,}|AKIA[0-9A-Z]{16}|ghp_\w{20,}|-----BEGIN|password\s*=/i;

describe.each(VERSIONS)('get_skill over stdio, protocol %s', (version) => {
  it('FR-001, FR-002, FR-003, FR-014, SC-004: is listed as a read-only tool that requires a uri', async () => {
    const client = await serve(createWorld(), { version, args });
    const { tools } = (await client.request('tools/list')).result;
    const tool = tools.find((each: { name: string }) => each.name === 'get_skill');
    expect(tool).toMatchObject({
      title: expect.any(String),
      annotations: { readOnlyHint: true, openWorldHint: false, destructiveHint: false },
      inputSchema: { type: 'object', required: ['uri'], properties: { uri: { type: 'string' } } },
      outputSchema: { type: 'object', required: ['uri', 'mimeType'] },
    });
    expect(tools.map((each: { name: string }) => each.name)).toEqual([
      'skill',
      'list_skills',
      'get_skill',
      'get_resource',
      'get_resources',
    ]);
  });

  it('FR-005 to FR-008, SC-001: returns the markdown that resources/read returns, as text and as structure', async () => {
    const client = await serve(createWorld(), { version, args });
    const text = readFileSync(join(engageFolder, 'engage-red-hat-support', 'SKILL.md'), 'utf8');
    const result = await client.call('get_skill', { uri: ENGAGE });
    expect(result.isError ?? false).toBe(false);
    expect(result.content).toEqual([{ type: 'text', text: `URI: ${ENGAGE}\n\n${text}` }]);
    expect(result.structuredContent).toEqual({ uri: ENGAGE, mimeType: 'text/markdown', text });
    expect((await client.request('resources/read', { uri: ENGAGE })).result.contents).toEqual([
      { uri: ENGAGE, mimeType: 'text/markdown', text },
    ]);
    expect(text).toContain('# Engage Red Hat Support');
  });

  it('trims white space around the URI, and accepts the scheme in any case', async () => {
    const client = await serve(createWorld(), { version, args });
    for (const uri of [`  ${ENGAGE}\n`, ENGAGE.replace('skill', 'SKILL')])
      expect((await client.call('get_skill', { uri })).structuredContent.uri).toBe(ENGAGE);
  });

  it('FR-003, FR-004: rejects a missing, empty or foreign URI with the form to use', async () => {
    const client = await serve(createWorld(), { version, args });
    for (const input of [
      undefined,
      {},
      { uri: '' },
      { uri: '   ' },
      { uri: 'file:///etc/passwd' },
      { uri: 'https://example.org/x' },
      { uri: 'engage' },
      { uri: 5 },
    ]) {
      const result = await client.call('get_skill', input);
      expect(result.isError, JSON.stringify(input)).toBe(true);
      expect(textOf(result)).toContain('Provide a non-empty skill://');
      expect(result.structuredContent).toBeUndefined();
    }
  });

  it('the hint names an existing skill, or none', async () => {
    const world = createWorld();
    const client = await serve(world, { version });
    expect(textOf(await client.call('get_skill', { uri: '' }))).toBe(
      'The uri is empty. Provide a non-empty skill://<name>/SKILL.md URI; list_skills shows the URI of every skill.',
    );
    world.skill('project/.agents/skills/office/letters');
    const other = await serve(world, { version });
    for (const input of [{ uri: '' }, { uri: 'pdf' }, {}]) {
      const [, named = ''] = /such as (skill:\S+);/.exec(textOf(await other.call('get_skill', input))) ?? [];
      expect(named).toBe('skill://office/letters/SKILL.md');
      expect((await other.call('get_skill', { uri: named })).isError ?? false).toBe(false);
    }
  });

  it('FR-009, SC-002: rejects an unknown URI with near matches and how to list the known ones', async () => {
    const client = await serve(createWorld(), { version, args });
    for (const uri of [
      'skill://engage-redhat-support/SKILL.md',
      'skill://nothing-like-it/SKILL.md',
      'skill://engage-red-hat-support/SKILLS.md',
      'skill://',
    ]) {
      const result = await client.call('get_skill', { uri });
      expect(result.isError, uri).toBe(true);
      expect(textOf(result)).toContain('list_skills');
      const { error } = await client.request('resources/read', { uri });
      expect(error?.code, uri).toBe(-32602);
    }
    expect(textOf(await client.call('get_skill', { uri: 'skill://engage-redhat-support/SKILL.md' }))).toContain(`Did you mean '${ENGAGE}'`);
    expect(textOf(await client.call('get_skill', { uri: 'skill://engage-red-hat-support/SKILLS.md' }))).toContain(
      `Did you mean '${ENGAGE}'`,
    );
  });

  it('FR-010, SC-005: returns no secret, stack trace or path of this machine', async () => {
    const world = createWorld();
    const client = await serve(world, { version, args });
    const { skills } = (await client.call('list_skills', {})).structuredContent;
    for (const { uri } of skills) await client.call('get_skill', { uri });
    for (const uri of ['', 'skill://x', 'skill://%zz', 'nope://', `skill://${'x'.repeat(10_000)}`]) {
      await client.call('get_skill', { uri });
      await client.request('resources/read', { uri });
    }
    for (const line of client.lines) {
      expect(line).not.toMatch(SECRET_LIKE);
      expect(line).not.toContain(world.home);
      expect(line).not.toMatch(/\bat \S+ \(.*:\d+:\d+\)/);
    }
  });

  it('FR-011, FR-012: list_skills keeps the canonical URIs, complete in text and in structure', async () => {
    const client = await serve(createWorld(), { version, args });
    const result = await client.call('list_skills', {});
    const engage = result.structuredContent.skills.find((skill: { name: string }) => skill.name === 'engage-red-hat-support');
    expect(engage).toEqual({
      name: 'engage-red-hat-support',
      description: expect.stringMatching(/\w/),
      uri: ENGAGE,
      location: expect.any(String),
      origin: engageFolder,
    });
    for (const skill of result.structuredContent.skills) {
      for (const value of Object.values<string>(skill)) expect(textOf(result)).toContain(value);
    }
  });

  it('FR-006, FR-015: every file of every example is the same through the tool, the resource and the disk, byte for byte', async () => {
    const client = await serve(createWorld(), { version, args });
    const { skills } = (await client.call('list_skills', {})).structuredContent;
    let compared = 0;
    const kinds = new Set<string>();
    for (const skill of skills) {
      const shown = textOf(await client.call('skill', { name: skill.name }));
      const folder = /^Base directory: (.*)$/m.exec(shown)?.[1] ?? '';
      for (const file of filesIn(folder)) {
        const uri = skill.uri.replace(/SKILL\.md$/, relative(folder, file).split('/').map(encodeURIComponent).join('/'));
        const tool = await client.call('get_skill', { uri });
        const [resource] = (await client.request('resources/read', { uri })).result.contents;
        expect(tool.structuredContent, uri).toEqual(resource);
        const bytes = readFileSync(file);
        expect(toBytes(resource).equals(bytes), uri).toBe(true);
        if ('text' in resource) expect(tool.content).toEqual([{ type: 'text', text: `URI: ${uri}\n\n${resource.text}` }]);
        else expect(tool.content).toEqual([{ type: 'resource', resource }]);
        for (const kind of kindsOf(bytes)) kinds.add(kind);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(15);
    expect([...kinds].sort()).toEqual(['bom', 'crlf', 'empty', 'not-utf8', 'text']);
  });

  it('FR-013, SC-003: serving more skills changes no other tool, resource or template', async () => {
    const before = await serve(createWorld(), { version, args: ['--skills', join(repository, 'examples', 'skills')] });
    const after = await serve(createWorld(), { version, args });
    const surface = async (client: typeof before) => ({
      tools: (await client.request('tools/list')).result.tools.map((tool: { name: string; description: string }) =>
        tool.name === 'skill' ? { ...tool, description: tool.description.split('<available_skills>')[0] } : tool,
      ),
      templates: (await client.request('resources/templates/list')).result.resourceTemplates,
      resources: (await client.request('resources/list')).result.resources.filter((resource: { uri: string }) => resource.uri !== ENGAGE),
    });
    expect(await surface(after)).toEqual(await surface(before));
  });

  it('returns a long markdown file whole', async () => {
    const world = createWorld();
    const body = `${'A line of the instructions that must not be cut.\n'.repeat(40_000)}The end.\n`;
    world.skill('project/.agents/skills/long', { body });
    const client = await serve(world, { version });
    expect((await client.call('get_skill', { uri: 'skill://long/SKILL.md' })).structuredContent.text.endsWith('The end.\n')).toBe(true);
    expect(textOf(await client.call('skill', { name: 'long' })).endsWith('The end.\n')).toBe(true);
  });

  it('returns an error with a fix for a skill that was just removed', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/gone');
    const client = await serve(world, { version });
    world.remove('project/.agents/skills/gone/SKILL.md');
    const result = await client.call('get_skill', { uri: 'skill://gone/SKILL.md' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('list_skills');
  });
});

function filesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });
}

function toBytes(contents: { text?: string; blob?: string }): Buffer {
  return contents.text === undefined ? Buffer.from(contents.blob ?? '', 'base64') : Buffer.from(contents.text, 'utf8');
}

function kindsOf(bytes: Buffer): string[] {
  if (bytes.length === 0) return ['empty'];
  if (!Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes)) return ['not-utf8'];
  return ['text', ...(bytes.includes('\r\n') ? ['crlf'] : []), ...(bytes[0] === 0xef && bytes[1] === 0xbb ? ['bom'] : [])];
}
