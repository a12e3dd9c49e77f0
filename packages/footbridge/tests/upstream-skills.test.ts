/** Skills of upstream servers are found in every format, verified, and restricted to their own folder. */
import { Client } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { Catalog, createServer } from 'footbridge';
import { testSource } from 'footbridge/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Channel } from '../src/sources/server/channel.js';
import { skillUri } from '../src/sources/skill-uri.js';
import { findSkills } from '../src/sources/upstream/skills/index.js';
import { recallSkills, rememberSkills } from '../src/sources/upstream/skills/stored-skills.js';
import { atOnce } from '../src/turns.js';
import type { Json } from './support/client.js';
import { connect } from './support/memory.js';
import {
  context,
  digest,
  entryOf,
  extensionServer,
  type Files,
  fastMcpServer,
  find,
  findOne,
  handWritten,
  type ManagedUpstream,
  markdown,
  resourceServer,
  sourceOf,
} from './support/upstream.js';

const PDF = markdown('pdf');
const LOGO = new Uint8Array([0, 255, 1, 254]);
const FILES: Files = { 'SKILL.md': PDF, 'references/forms & fields.md': '# Forms', 'assets/logo.bin': LOGO };

const below = (folder: string, files: Files = FILES) =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));
const text = (content: { bytes: Uint8Array } | undefined) => Buffer.from(content?.bytes ?? []).toString('utf8');

testSource('upstream skills, by the extension', async () => ({ source: sourceOf(await extensionServer(below('pdf'))), skill: 'pdf' }));
testSource('upstream skills, from FastMCP', async () => ({
  source: sourceOf(await fastMcpServer('pdf', { 'SKILL.md': PDF, 'notes.md': 'Note' }, 'What it does and when.')),
  skill: 'pdf',
}));
testSource('upstream skills, from resources', async () => ({
  source: sourceOf(await resourceServer([{ uri: 'skill://pdf/SKILL.md', name: 'pdf' }], () => ({ 'skill://pdf/SKILL.md': PDF }))),
  skill: 'pdf',
}));

describe('a server with the Skills extension', () => {
  it('lists its skills without reading files, and reads files on demand', async () => {
    const upstream = await extensionServer({ ...below('office/pdf'), ...below('git', { 'SKILL.md': markdown('git') }) });
    const { skills, notices } = await find(upstream);
    expect(notices).toEqual([]);
    expect(skills.map((skill) => skillUri(skill))).toEqual(['skill://git/SKILL.md', 'skill://office/pdf/SKILL.md']);
    expect(upstream.reads).toEqual([]);
    const pdf = skills[1];
    expect(pdf).toMatchObject({ name: 'pdf', description: 'What it does and when.', group: ['office'], origin: 'docs', conforms: true });
    expect(pdf).toMatchObject({ size: Buffer.byteLength(PDF), version: digest(PDF), location: 'global' });
    expect(await pdf?.read('SKILL.md')).toMatchObject({ mimeType: 'text/markdown' });
    expect(text(await pdf?.read('references/forms & fields.md'))).toBe('# Forms');
    expect((await pdf?.read('assets/logo.bin'))?.bytes).toEqual(Buffer.from(LOGO));
    expect(upstream.reads).toHaveLength(3);
    expect((await pdf?.list(''))?.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'file SKILL.md',
      'directory assets',
      'directory references',
    ]);
    expect(await pdf?.read('references/other.md')).toBeUndefined();
    expect(upstream.reads, 'what is not listed is not asked for').toHaveLength(3);
  });

  it('is listed with all pages', async () => {
    const files = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`s${at}/SKILL.md`, markdown(`s${at}`)]));
    expect((await find(await extensionServer(files))).skills).toHaveLength(250);
  });

  it('is prefixed with its name among several servers, and receives its own URIs', async () => {
    const upstream = await extensionServer(below('office/pdf'), ['docs']);
    const skill = await findOne(upstream);
    expect(skillUri(skill)).toBe('skill://docs/office/pdf/SKILL.md');
    expect(text(await skill.read('SKILL.md'))).toBe(PDF);
    expect(upstream.reads).toEqual(['skill://office/pdf/SKILL.md']);
  });

  it('is distinguished from another server with the same skill', async () => {
    const one = await extensionServer(below('pdf'));
    const other = { ...one, options: { ...one.options, origin: 'other' } };
    expect((await findOne(one)).identity).not.toBe((await findOne(other)).identity);
    expect((await findOne(one)).identity).toBe((await findOne(one)).identity);
  });

  it('changes the version with SKILL.md', async () => {
    const before = await findOne(await extensionServer(below('pdf')));
    const after = await findOne(await extensionServer(below('pdf', { 'SKILL.md': markdown('pdf', undefined, '# Do more') })));
    expect(after.version).not.toBe(before.version);
  });

  it('reaches a host through the tool, through resources, and through the extension with its digests', async () => {
    const catalog = await Catalog.open([sourceOf(await extensionServer(below('pdf'), ['docs']))]);
    onTestFinished(() => catalog.close());
    const raw = await connect(createServer({ catalog }));
    const { content } = await raw.call('skill', { name: 'pdf' });
    expect(content[0].text).toContain('# Do it');
    const { result } = await raw.request('resources/read', { uri: 'skill://docs/pdf/references/forms%20%26%20fields.md' });
    expect(result.contents[0].text).toBe('# Forms');

    const client = new Client({ name: 'host', version: '1' });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await createServer({ catalog }).connect(theirs);
    await client.connect(ours);
    onTestFinished(() => client.close());
    const skills = new SkillsClient(client);
    const [entry] = (await skills.list()).skills;
    if (entry === undefined) throw new Error('the extension carries no skill');
    expect(entry.uri).toBe('skill://docs/pdf/SKILL.md');
    expect(entry.resources).toHaveLength(3);
    expect((await skills.read(entry)).verified).toBe(true);
    expect((await skills.read(entry, 'assets/logo.bin')).bytes).toEqual(LOGO);
  });

  it('is supported in every form that the standard allows', async () => {
    const rich = PDF.replace('name:', 'license: MIT\nmetadata:\n  author: me\nname:');
    expect(await findOne(await extensionServer(below('pdf', { 'SKILL.md': rich })))).toMatchObject({ conforms: true });
  });

  it('serves dynamic skills: every file is requested, and hosts see that they have no digests', async () => {
    const upstream = handWritten({
      'skills/list': { skills: [entryOf('now', {}, { resources: 'dynamic' })] },
      'resources/read': ({ uri }: Json) => ({ contents: [{ uri, text: uri.endsWith('SKILL.md') ? markdown('now') : `at ${uri}` }] }),
    });
    const skill = await findOne(upstream);
    expect(text(await skill.read('a b/c.txt'))).toBe('at skill://now/a%20b/c.txt');
    expect(text(await skill.read('SKILL.md'))).toBe(markdown('now'));
    expect(await skill.manifest()).toEqual({ frontmatter: { name: 'now', description: 'What it does and when.' }, files: 'dynamic' });
    const other = entryOf('now', {}, { resources: 'dynamic', _meta: { revision: 2 } });
    expect((await findOne(handWritten({ 'skills/list': { skills: [other] } }))).version).not.toBe(skill.version);
    const asked = upstream.reads.length;
    for (const path of ['', '.', '..', '../other/SKILL.md', 'a/../../b', '/etc/passwd', 'a\\b', 'a\0', 'x'.repeat(9000)]) {
      expect(await skill.read(path), JSON.stringify(path)).toBeUndefined();
    }
    expect(upstream.reads).toHaveLength(asked);

    const catalog = await Catalog.open([sourceOf(upstream)]);
    onTestFinished(() => catalog.close());
    const { result } = await (await connect(createServer({ catalog }))).request('skills/list');
    expect(result.skills).toMatchObject([{ uri: 'skill://now/SKILL.md', resources: 'dynamic' }]);
    expect((await (await connect(createServer({ catalog }))).request('resources/list')).result.resources[0]).not.toHaveProperty('size');
  });

  it('also serves skills that the extension cannot represent', async () => {
    const upstream = handWritten(
      {
        'skills/list': { skills: [entryOf('pdf', { 'SKILL.md': PDF })] },
        'resources/read': ({ uri }: Json) => ({ contents: [{ uri, text: markdown('Loud') }] }),
      },
      {
        resources: [
          { uri: 'skill://pdf/SKILL.md', name: 'pdf' },
          { uri: 'skill://Loud/SKILL.md', name: 'Loud' },
        ],
      },
    );
    const { skills, rules } = await find(upstream);
    expect(skills.map(({ name, conforms }) => ({ name, conforms }))).toEqual([
      { name: 'pdf', conforms: true },
      { name: 'Loud', conforms: false },
    ]);
    expect(rules).toEqual(['name-format']);
    expect(upstream.reads).toEqual(['skill://Loud/SKILL.md']);
  });

  it('may declare the extension without supporting it, as with drafts', async () => {
    const index = {
      skills: [
        { name: 'pdf', type: 'skill-md', description: 'Old', url: 'skill://pdf/SKILL.md' },
        { type: 'mcp-resource-template', description: 'Any', url: 'skill://{product}/SKILL.md' },
      ],
    };
    const upstream = handWritten(
      {
        'resources/read': ({ uri }: Json) => ({ contents: [{ uri, text: uri.endsWith('.json') ? JSON.stringify(index) : PDF }] }),
      },
      { resources: [{ uri: 'skill://index.json', name: 'index' }] },
    );
    expect(await findOne(upstream)).toMatchObject({ name: 'pdf', description: 'What it does and when.' });
  });
});

describe('a server with skills among its resources', () => {
  const FORMS = 'skill://team/pdf/references/forms.md';
  const listed = [
    { uri: 'skill://team/pdf/SKILL.md', name: 'PDF' },
    { uri: FORMS, name: 'forms' },
    { uri: 'docs://readme', name: 'readme' },
  ];
  const content: Files = { 'skill://team/pdf/SKILL.md': PDF, [FORMS]: '# Forms', 'skill://team/pdf/hidden.md': 'hidden' };

  it('reads SKILL.md once for name, description, size and version', async () => {
    const upstream = await resourceServer(listed, () => content);
    const skill = await findOne(upstream);
    expect(upstream.reads).toEqual(['skill://team/pdf/SKILL.md']);
    expect(skill).toMatchObject({ name: 'pdf', description: 'What it does and when.', group: ['team'], conforms: true });
    expect(skill).toMatchObject({ size: Buffer.byteLength(PDF), version: digest(PDF) });
    expect(text(await skill.read('references/forms.md'))).toBe('# Forms');
    expect(text(await skill.read('hidden.md')), 'the server has more than it lists').toBe('hidden');
    expect(await skill.read('nothing.md')).toBeUndefined();
    expect((await skill.list('references'))?.map(({ path }) => path)).toEqual(['references/forms.md']);
    expect(await skill.manifest()).toEqual({ frontmatter: { name: 'pdf', description: 'What it does and when.' }, files: 'dynamic' });
  });

  it('does not read SKILL.md where the list is sufficient, until a host wants the frontmatter', async () => {
    const entry = { uri: 'skill://pdf/SKILL.md', name: 'pdf', description: 'By the list.', annotations: { lastModified: '2026-01-01' } };
    const upstream = await resourceServer([entry], () => ({ 'skill://pdf/SKILL.md': PDF }));
    const skill = await findOne(upstream);
    expect(upstream.reads).toEqual([]);
    expect(skill).toMatchObject({ name: 'pdf', description: 'By the list.' });
    const later = await resourceServer([{ ...entry, annotations: { lastModified: '2026-01-02' } }], () => ({}));
    expect((await findOne(later)).version).not.toBe(skill.version);
    expect((await skill.manifest())?.frontmatter).toEqual({ name: 'pdf', description: 'What it does and when.' });
    await skill.manifest();
    expect(upstream.reads).toHaveLength(1);
  });

  it('assigns a file to its innermost skill', async () => {
    const uris = ['skill://a/SKILL.md', 'skill://a/x.md', 'skill://a/b/SKILL.md', 'skill://a/b/y.md'];
    const upstream = await resourceServer(
      uris.map((uri) => ({ uri, name: uri })),
      () => ({ 'skill://a/SKILL.md': markdown('a'), 'skill://a/b/SKILL.md': markdown('b') }),
    );
    const { skills } = await find(upstream);
    const names = await Promise.all(skills.map(async (skill) => (await skill.list(''))?.map(({ path }) => path)));
    expect(names).toEqual([
      ['SKILL.md', 'x.md'],
      ['SKILL.md', 'y.md'],
    ]);
  });

  it('loses only skills that cannot be read or parsed', async () => {
    const uris = ['good', 'gone', 'bare', 'broken', 'mute', 'stuck'].map((name) => `skill://${name}/SKILL.md`);
    const upstream = await resourceServer(
      [...uris, 'skill://../SKILL.md'].map((uri) => ({ uri, name: 'x' })),
      () => ({
        'skill://good/SKILL.md': markdown('good'),
        get 'skill://stuck/SKILL.md'(): string {
          throw new Error('the disk is on fire');
        },
        'skill://bare/SKILL.md': '# No frontmatter',
        'skill://broken/SKILL.md': '---\nname: [\n---\n',
        'skill://mute/SKILL.md': '---\nname: mute\n---\n',
      }),
    );
    const { skills, notices } = await find(upstream);
    expect(skills.map(({ name }) => name)).toEqual(['good']);
    expect(Object.fromEntries(notices.map(({ file, rule }) => [file, rule]))).toEqual({
      'skill://../SKILL.md': 'uri',
      'skill://gone/SKILL.md': 'unreadable',
      'skill://bare/SKILL.md': 'frontmatter-missing',
      'skill://broken/SKILL.md': 'yaml',
      'skill://mute/SKILL.md': 'description-missing',
      'skill://stuck/SKILL.md': 'unreadable',
    });
    for (const notice of notices) expect(notice).toMatchObject({ severity: 'error', skipped: true, action: expect.stringMatching(/\w/) });
  });

  it('loses a skill without content', async () => {
    const upstream = handWritten({ 'resources/read': {} }, { resources: [{ uri: 'skill://pdf/SKILL.md', name: 'pdf' }] });
    expect(await find(upstream)).toMatchObject({ skills: [], rules: ['unreadable'] });
  });

  it('cannot publish a skill of 600 files', async () => {
    const uris = Array.from({ length: 600 }, (_, at) => `skill://pdf/${at === 0 ? 'SKILL.md' : at}`);
    const upstream = await resourceServer(
      uris.map((uri) => ({ uri, name: uri })),
      () => ({}),
    );
    expect(await find(upstream)).toMatchObject({ skills: [], rules: ['skill-files'] });
  });

  it('receives no request for undeclared or unlisted features', async () => {
    const upstream = handWritten(
      { 'skills/list': { skills: [entryOf('pdf', FILES)] } },
      { capabilities: { extensions: { 'io.modelcontextprotocol/ui': {} } }, resources: [{ uri: 'docs://readme', name: 'readme' }] },
    );
    expect(await find(upstream)).toMatchObject({ skills: [], notices: [] });
    expect(upstream.reads).toEqual([]);
  });
});

describe('a FastMCP server', () => {
  const files: Files = { 'SKILL.md': PDF, 'scripts/run.py': 'print(1)\r\nprint(2)\r\n', 'logo.bin': LOGO };

  it('takes files, sizes and digests from its _manifest without reading SKILL.md', async () => {
    const upstream = await fastMcpServer('pdf', files, 'What it does and when.');
    const skill = await findOne(upstream);
    expect(upstream.reads).toEqual(['skill://pdf/_manifest']);
    expect(skill).toMatchObject({ name: 'pdf', version: digest(PDF), size: Buffer.byteLength(PDF) });
    const manifest = await skill.manifest();
    expect(manifest?.frontmatter).toEqual({ name: 'pdf', description: 'What it does and when.' });
    expect(manifest?.files).toEqual(
      Object.entries(files).map(([path, content]) => ({ path, size: Buffer.byteLength(content), digest: digest(content) })),
    );
    expect((await skill.read('logo.bin'))?.bytes).toEqual(Buffer.from(LOGO));
    expect(await skill.read('other.md')).toBeUndefined();
  });

  it('restores normalised line ends', async () => {
    const skill = await findOne(await fastMcpServer('pdf', files, 'What it does and when.'));
    expect(text(await skill.read('scripts/run.py'))).toBe('print(1)\r\nprint(2)\r\n');
  });

  it('reads SKILL.md where the listed description is an incomplete YAML block', async () => {
    const folded = '---\nname: pdf\ndescription: >-\n  What it does\n  and when.\n---\n';
    const skill = await findOne(await fastMcpServer('pdf', { 'SKILL.md': folded }, '>-'));
    expect(skill.description).toBe('What it does and when.');
    expect(skill.version).toBe(digest(folded));
  });

  it('is left out of the extension where SKILL.md has a different name from its folder', async () => {
    const skill = await findOne(await fastMcpServer('pdf', { 'SKILL.md': markdown('gif') }, 'What it does and when.'));
    expect(text(await skill.read('SKILL.md'))).toBe(markdown('gif'));
    expect(await skill.manifest()).toBeUndefined();
  });

  it('cannot serve a file that does not match its _manifest', async () => {
    const upstream = await resourceServer(
      ['skill://pdf/SKILL.md', 'skill://pdf/_manifest'].map((uri) => ({ uri, name: 'pdf', description: 'What it does.' })),
      () => ({
        'skill://pdf/SKILL.md': `${PDF}!`,
        'skill://pdf/_manifest': JSON.stringify({ files: [{ path: 'SKILL.md', size: PDF.length, hash: digest(PDF) }] }),
      }),
    );
    const skill = await findOne(upstream);
    await expect(skill.read('SKILL.md')).rejects.toThrow('does not match what the server published');
    expect(await skill.manifest()).toBeUndefined();
  });

  it.each([
    ['a path that leads out', { path: '../../secret', size: 1, hash: digest('x') }, 'file-outside'],
    ['a path with an empty part', { path: 'a//b', size: 1, hash: digest('x') }, 'file-outside'],
    ['a digest that is none', { path: 'a', size: 1, hash: 'md5:0' }, 'entry'],
    ['a path that is none', { path: 7, size: 1, hash: digest('x') }, 'entry'],
  ])('is rejected with %s', async (_, file, rule) => {
    const upstream = await resourceServer(
      ['skill://pdf/SKILL.md', 'skill://pdf/_manifest'].map((uri) => ({ uri, name: 'pdf' })),
      () => ({ 'skill://pdf/_manifest': JSON.stringify({ files: [{ path: 'SKILL.md', size: 1, hash: digest('x') }, file] }) }),
    );
    expect(await find(upstream)).toMatchObject({ skills: [], rules: [rule] });
  });
});

describe('a server whose content does not match', () => {
  const sends = (content: Json, entry: Json = entryOf('pdf', FILES)) =>
    handWritten({ 'skills/list': { skills: [entry] }, 'resources/read': ({ uri }: Json) => ({ contents: [{ uri, ...content }] }) });
  const sized = (size: number) => {
    const entry = entryOf('pdf', FILES);
    entry.resources[0].size = size;
    return entry;
  };
  const named = (frontmatter: Json) => entryOf('pdf', FILES, { frontmatter });

  it.each<[string, ManagedUpstream, string]>([
    ['another text of the same length', sends({ text: PDF.replace('Do', 'Be') }), `Its digest is ${digest(PDF.replace('Do', 'Be'))}`],
    ['a longer text', sends({ text: `${PDF}x` }), `It has ${PDF.length + 1} bytes, not ${PDF.length}`],
    ['what has the digest, but not the size', sends({ text: PDF }, sized(5)), `It has ${PDF.length} bytes, not 5`],
    ['another name', sends({ text: PDF }, named({ name: 'gif', description: 'What it does and when.' })), 'a different name'],
    ['another description', sends({ text: PDF }, named({ name: 'pdf', description: 'Harmless.' })), 'a different description'],
  ])('is rejected: %s', async (_, upstream, details) => {
    const [skill] = (await find(upstream)).skills;
    const error = await skill?.read('SKILL.md').catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'ResourceExecutionError', retryable: true, details: expect.stringContaining(details) });
    expect(error).toMatchObject({ message: expect.stringContaining("'skill://pdf/SKILL.md' does not match what the server published") });
  });

  it('has its frontmatter checked even without a digest', async () => {
    const upstream = sends({ text: '# Nothing in front' }, entryOf('pdf', {}, { resources: 'dynamic' }));
    await expect((await findOne(upstream)).read('SKILL.md')).rejects.toMatchObject({ details: expect.stringContaining('"---"') });
  });

  it('does not reach a host on any route', async () => {
    const catalog = await Catalog.open([sourceOf(sends({ text: PDF.replace('Do it', 'EVIL!') }))]);
    onTestFinished(() => catalog.close());
    const client = await connect(createServer({ catalog }));
    expect(await client.call('skill', { name: 'pdf' })).toMatchObject({ isError: true });
    expect(await client.call('get_skill', { uri: 'skill://pdf/SKILL.md' })).toMatchObject({ isError: true });
    expect(await client.request('resources/read', { uri: 'skill://pdf/SKILL.md' })).toHaveProperty('error');
    expect(JSON.stringify(client.received)).not.toContain('EVIL');
    expect(JSON.stringify(client.received)).toContain('does not match what the server published');
  });

  it.each([
    ['no contents', {}],
    ['contents that are none', { contents: [7] }],
    ['text that is none', { contents: [{ uri: 'skill://pdf/SKILL.md', text: 7 }] }],
    ['a blob that is none', { contents: [{ uri: 'skill://pdf/SKILL.md', blob: '<html>' }] }],
    ['several, and none of them asked for', { contents: [1, 2].map((at) => ({ uri: `skill://pdf/${at}`, text: PDF })) }],
    ['a question', { resultType: 'input_required', inputRequests: {} }],
  ])('is reported as unavailable: %s', async (_, answer) => {
    const skill = await findOne(handWritten({ 'skills/list': { skills: [entryOf('pdf', FILES)] }, 'resources/read': answer }));
    await expect(skill.read('SKILL.md')).rejects.toThrow("returned no content for 'skill://pdf/SKILL.md'");
  });

  it('cannot serve a file over the limit in any form', async () => {
    const huge = 'x'.repeat(16 * 1024 * 1024 + 1);
    for (const content of [{ text: huge }, { blob: Buffer.from(huge).toString('base64') }]) {
      const skill = await findOne(sends(content, entryOf('pdf', {}, { resources: 'dynamic' })));
      await expect(skill.read('large.bin')).rejects.toThrow('too large');
    }
  });

  it('does not leak its secrets in the error', async () => {
    const upstream = handWritten({
      'skills/list': { skills: [entryOf('pdf', FILES)] },
      'resources/read': () => {
        throw new Error('connect failed with password=hunter22secret');
      },
    });
    const catalog = await Catalog.open([sourceOf(upstream)]);
    onTestFinished(() => catalog.close());
    const client = await connect(createServer({ catalog }));
    const result = await client.call('skill', { name: 'pdf' });
    expect(result).toMatchObject({ isError: true });
    expect(result.content[0].text).toContain("Failed to retrieve resource 'skill://pdf/SKILL.md'");
    expect(JSON.stringify(client.received)).not.toContain('hunter22');
  });
});

describe('a hostile list', () => {
  const lists = (...entries: Json[]) => handWritten({ 'skills/list': { skills: entries } });
  const withFile = (uri: unknown) => {
    const entry = entryOf('pdf', { 'SKILL.md': PDF });
    return { ...entry, resources: [...entry.resources, { uri, digest: digest('x'), size: 1 }] };
  };
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [at === 0 ? 'SKILL.md' : `f${at}`, PDF]));
  const pdf = { 'SKILL.md': PDF };

  it.each<[string, Json, string]>([
    ["another skill's file", withFile('skill://git/SKILL.md'), 'file-outside'],
    ['a folder that only begins like its own', withFile('skill://pdf-other/x'), 'file-outside'],
    ["another server's scheme", withFile('docs://pdf/x'), 'file-outside'],
    ['a file of this machine', withFile('file:///etc/passwd'), 'file-outside'],
    ['a way up', withFile('skill://pdf/../git/x'), 'file-outside'],
    ['an encoded way up', withFile('skill://pdf/%2e%2e/git/x'), 'file-outside'],
    ['an encoded slash', withFile('skill://pdf/..%2fgit'), 'file-outside'],
    ['an encoded backslash', withFile('skill://pdf/a%5cb'), 'file-outside'],
    ['a NUL', withFile('skill://pdf/a%00'), 'file-outside'],
    ['a query', withFile('skill://pdf/a?b'), 'file-outside'],
    ['an endless URI', withFile(`skill://pdf/${'x'.repeat(10_000)}`), 'file-outside'],
    ['a URI that is none', withFile(7), 'entry'],
    ['a file twice', withFile('skill://pdf/SKILL%2Emd'), 'file-twice'],
    ['no SKILL.md', entryOf('pdf', { 'a.md': 'x' }), 'file-missing'],
    ['600 files', entryOf('pdf', many), 'skill-files'],
    ['17 MiB', entryOf('pdf', pdf, { resources: [{ uri: 'skill://pdf/SKILL.md', digest: digest('x'), size: 17 << 20 }] }), 'skill-size'],
    ['a size below nothing', entryOf('pdf', pdf, { resources: [{ uri: 'skill://pdf/SKILL.md', digest: digest('x'), size: -1 }] }), 'entry'],
    ['a digest of another kind', entryOf('pdf', pdf, { resources: [{ uri: 'skill://pdf/SKILL.md', digest: 'x', size: 1 }] }), 'entry'],
    ['resources that are none', entryOf('pdf', pdf, { resources: 'all' }), 'entry'],
    ['frontmatter that is none', entryOf('pdf', pdf, { frontmatter: ['pdf'] }), 'entry'],
    ['a name with a slash', entryOf('pdf', pdf, { frontmatter: { name: 'a/b', description: 'x' } }), 'name-separator'],
    ['a name that is a number', entryOf('pdf', pdf, { frontmatter: { name: 7, description: 'x' } }), 'name-missing'],
    ['a description that is an object', entryOf('pdf', pdf, { frontmatter: { name: 'pdf', description: {} } }), 'description-missing'],
    ['a huge description', entryOf('pdf', pdf, { frontmatter: { name: 'pdf', description: 'x'.repeat(1 << 20) } }), 'frontmatter-size'],
    ['a URI that is a number', entryOf('pdf', pdf, { uri: 7 }), 'uri'],
    ['a URI without a folder', entryOf('pdf', pdf, { uri: 'skill://SKILL.md' }), 'uri'],
    ['a URI of something else', entryOf('pdf', pdf, { uri: 'skill://pdf/README.md' }), 'uri'],
    ['a URI of this machine', entryOf('pdf', pdf, { uri: 'file:///root/SKILL.md' }), 'uri'],
  ])('loses the skill with %s, says why, and keeps the others', async (_, entry, rule) => {
    const upstream = lists(entry, entryOf('good', { 'SKILL.md': markdown('good') }), 'no entry');
    const { skills, notices } = await find(upstream);
    expect(skills.map(({ name }) => name)).toEqual(['good']);
    expect(notices).toEqual([
      {
        severity: 'error',
        rule,
        file: typeof entry.uri === 'string' ? entry.uri : '',
        message: expect.stringMatching(/\w/),
        action: expect.stringMatching(/\w/),
        skipped: true,
      },
    ]);
    expect(notices[0]?.message.length).toBeLessThan(400);
    expect(upstream.reads).toEqual([]);
  });

  it('accepts a field named like an inherited property', async () => {
    const entry = JSON.stringify(entryOf('pdf', pdf)).replace('"name"', '"__proto__":{"x":1},"name"');
    const upstream = handWritten({ 'skills/list': () => `{"skills":[${entry}]}` });
    expect(await find(upstream)).toMatchObject({ skills: [], rules: ['entry'] });
  });

  it('survives extreme nesting', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const entry = JSON.stringify(entryOf('pdf', pdf)).replace('"name"', `"deep":${deep},"name"`);
    const upstream = handWritten({ 'skills/list': () => `{"skills":[${entry}]}` });
    expect(await find(upstream)).toMatchObject({ skills: [], rules: ['entry'] });
  });

  it('is not served as a resource after it was refused as an entry', async () => {
    const upstream = handWritten(
      {
        'skills/list': { skills: [withFile('file:///etc/passwd')] },
        'resources/read': ({ uri }: Json) => ({ contents: [{ uri, text: PDF }] }),
      },
      { resources: [{ uri: 'skill://pdf/SKILL.md', name: 'pdf' }] },
    );
    expect(await find(upstream)).toMatchObject({ skills: [], rules: ['file-outside'] });
    expect(upstream.reads).toEqual([]);
  });

  it('serves the first of two equivalent URIs', async () => {
    const again = entryOf('pdf', pdf, { uri: 'skill://%70df/SKILL.md', frontmatter: { name: 'pdf', description: 'Mine now.' } });
    const { skills, rules } = await find(lists(entryOf('pdf', pdf), again, again));
    expect(skills.map(({ description }) => description)).toEqual(['What it does and when.']);
    expect(rules).toEqual(['listed-twice']);
  });

  it('ends although its pagination does not', async () => {
    let page = 0;
    const upstream = handWritten({
      'skills/list': () => {
        const at = page++;
        const skills = Array.from({ length: 20 }, (_, index) => entryOf(`s${at * 20 + index}`, pdf));
        return { skills, nextCursor: `page ${page}` };
      },
    });
    const { skills, notices } = await find(upstream);
    expect(skills).toHaveLength(10_000);
    expect(page).toBe(1000);
    expect(notices).toMatchObject([{ rule: 'skills-many', file: 'hostile' }]);
  });

  it('shows a non-conforming skill with a notice and without control characters', async () => {
    const entry = entryOf('pdf', pdf, { frontmatter: { name: 'PDF \u001b[31m', description: 'Red\u0007 alert', metadata: { a: 1 } } });
    const { skills, notices } = await find(lists(entry));
    expect(skills).toMatchObject([{ name: 'PDF [31m', description: 'Red  alert', conforms: false }]);
    expect(notices.map(({ rule, skipped }) => ({ rule, skipped }))).toEqual([
      { rule: 'name-format', skipped: undefined },
      { rule: 'metadata-type', skipped: undefined },
    ]);
  });

  it('names the server of a skill where there are several', async () => {
    const { options } = lists(withFile('file:///etc/passwd'));
    const { notices } = await findSkills({ ...options, group: ['docs'] }, context);
    expect(notices.map(({ file }) => file)).toEqual(['skill://docs/pdf/SKILL.md']);
  });

  it('rejects when it cannot be read at all', async () => {
    const broken = handWritten({
      'skills/list': () => {
        throw new Error('the connection was closed');
      },
    });
    await expect(find(broken)).rejects.toThrow('the connection was closed');
    const half = handWritten(
      {
        'resources/read': () => {
          throw new Error('the connection was closed');
        },
      },
      { resources: [{ uri: 'skill://pdf/SKILL.md', name: 'pdf' }] },
    );
    await expect(find(half), 'a server that is gone has not lost its skills').rejects.toThrow('the connection was closed');
  });

  it('ignores invalid media types', async () => {
    const upstream = handWritten({
      'skills/list': { skills: [entryOf('pdf', {}, { resources: 'dynamic' })] },
      'resources/read': ({ uri }: Json) => ({ contents: [{ uri, text: 'x', mimeType: uri.endsWith('a') ? 'text/x-own' : 'a\nb: c' }] }),
    });
    const skill = await findOne(upstream);
    expect((await skill.read('a'))?.mimeType).toBe('text/x-own');
    expect((await skill.read('b'))?.mimeType).toBe('text/plain');
  });
});

describe('a read', () => {
  it('is cancelled with its request', async () => {
    const aborted = new AbortController();
    let signal: AbortSignal | undefined;
    const { options } = handWritten({ 'skills/list': { skills: [entryOf('pdf', FILES)] } });
    const channel: Channel = {
      request(method, params, asked) {
        if (method !== 'resources/read') return options.channel.request(method, params, asked);
        signal = asked.signal;
        return new Promise((_, reject) => asked.signal.addEventListener('abort', () => reject(asked.signal.reason)));
      },
    };
    const [skill] = (await findSkills({ ...options, channel }, context)).skills;
    const reading = skill?.read('SKILL.md', { ...context, signal: aborted.signal });
    aborted.abort(new Error('nobody waits'));
    await expect(reading).rejects.toThrow('nobody waits');
    expect(signal?.aborted).toBe(true);
  });

  it('times out when the server does not answer', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { options } = handWritten({ 'skills/list': { skills: [entryOf('pdf', FILES)] } });
    const channel: Channel = {
      request: (method, params, asked) =>
        method === 'skills/list'
          ? options.channel.request(method, params, asked)
          : new Promise((_, reject) => asked.signal.addEventListener('abort', () => reject(asked.signal.reason))),
    };
    const [skill] = (await findSkills({ ...options, channel }, context)).skills;
    const reading = expect(skill?.read('SKILL.md')).rejects.toThrow('Timed out after 30000 ms.');
    await vi.advanceTimersByTimeAsync(30_000);
    await reading;
  });

  it('does not depend on the request that found the skill', async () => {
    const finding = new AbortController();
    const { options } = await extensionServer(below('pdf'));
    const channel: Channel = {
      async request(method, params, asked) {
        asked.signal.throwIfAborted();
        return options.channel.request(method, params, asked);
      },
    };
    const [skill] = (await findSkills({ ...options, channel }, { ...context, signal: finding.signal })).skills;
    finding.abort();
    expect(text(await skill?.read('SKILL.md'))).toBe(PDF);
  });
});

describe('a cached skill', () => {
  it.each<[string, () => Promise<ManagedUpstream>]>([
    ['the extension', () => extensionServer(below('office/pdf'), ['docs'])],
    ['FastMCP', () => fastMcpServer('pdf', FILES, 'What it does and when.')],
    ['resources', () => resourceServer([{ uri: 'skill://pdf/SKILL.md', name: 'x' }], () => ({ 'skill://pdf/SKILL.md': PDF }))],
  ])('is restored before the server responds: %s', async (_, make) => {
    const upstream = await make();
    const before = await findOne(upstream);
    const stored = JSON.parse(JSON.stringify(rememberSkills([before])));
    upstream.reads.length = 0;
    const [after] = atOnce(recallSkills(stored, upstream.options, context));
    expect(upstream.reads).toEqual([]);
    for (const field of ['name', 'description', 'group', 'origin', 'identity', 'version', 'size', 'conforms'] as const)
      expect(after?.[field], field).toEqual(before[field]);
    expect(await after?.manifest()).toEqual(await before.manifest());
    expect(await after?.list('')).toEqual(await before.list(''));
    expect(text(await after?.read('SKILL.md'))).toBe(PDF);
    expect(upstream.reads.length).toBeGreaterThan(0);
  });

  it('is still verified', async () => {
    const found = await findOne(await extensionServer(below('pdf')));
    const changed = await extensionServer(below('pdf', { ...FILES, 'SKILL.md': `${PDF}more` }));
    const [skill] = atOnce(recallSkills(JSON.parse(JSON.stringify(rememberSkills([found]))), changed.options, context));
    await expect(skill?.read('SKILL.md')).rejects.toThrow('does not match what the server published');
  });

  it('cannot read other files, even if the cache was modified', async () => {
    const upstream = handWritten({ 'resources/read': ({ uri }: Json) => ({ contents: [{ uri, text: 'secret' }] }) });
    const [good] = rememberSkills([await findOne(await extensionServer(below('pdf')))]);
    const forged = { ...good, complete: false, declared: false, files: [{ path: 'SKILL.md', uri: 'skill://git/SKILL.md' }] };
    const [skill] = atOnce(recallSkills([forged], upstream.options, context));
    expect(await skill?.read('SKILL.md')).toBeUndefined();
    expect(upstream.reads).toEqual([]);
    const wrong = [7, null, {}, { ...good, uri: 'skill://../SKILL.md' }, { ...good, files: [{ path: 7 }] }, { ...good, description: 5 }];
    expect(atOnce(recallSkills(wrong, upstream.options, context))).toEqual([]);
    expect(atOnce(recallSkills('rubbish', upstream.options, context))).toEqual([]);
  });
});
