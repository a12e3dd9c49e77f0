/** Long texts arrive whole in every host, in parts if it truncates results. */
import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { type AnyDefinition, Catalog, defineResource, defineResources, FootbridgeError, skillFolders, upstreams } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serverWith } from '../src/serve/server.js';
import { HOST_PROFILES, type HostProfile } from '../src/surfaces/hosts/profile.js';
import { HostViews } from '../src/surfaces/hosts/view.js';
import type { Json } from './support/client.js';
import { createWorld, type World } from './support/folders.js';
import { connect, type MemoryClient } from './support/memory.js';

const PART = /^\[Part: characters (\d+)-(\d+) of (\d+)\. (?:Next: (\w+)\((\{.*\})\)|This is the last part\.)\]\n/;

/** A server in this process, as a host of this profile sees it. */
async function open(catalog: Catalog, profile = 'unmeasured'): Promise<MemoryClient> {
  return connect(serverWith({ catalog, hosts: new HostViews({ pinned: profile, showNative: true }) }));
}

async function catalogOf(definitions: readonly AnyDefinition[], limits = {}): Promise<Catalog> {
  const catalog = await Catalog.open([defineResources(definitions)], { limits });
  onTestFinished(() => catalog.close());
  return catalog;
}

async function catalogIn(world: World): Promise<Catalog> {
  const catalog = await Catalog.open([skillFolders({ folders: [world.path('project/team')], standardFolders: false, watch: false })]);
  onTestFinished(() => catalog.close());
  return catalog;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** What the model of a host is given of a result must be within the host's limit. */
function expectWithin(profile: HostProfile, { content, structuredContent }: Json): void {
  const [{ text }] = content;
  expect(text.split('\n').length).toBeLessThanOrEqual(profile.resultLines);
  if (profile.half === 'both') expect(structuredContent).toBeUndefined();
  if (profile.half === 'structure' && structuredContent !== undefined)
    expect(sizeOf(structuredContent)).toBeLessThanOrEqual(profile.result);
  else expect(sizeOf(text) - 2).toBeLessThanOrEqual(profile.result);
}

interface Followed {
  /** Without the lines. */
  readonly texts: readonly string[];
  readonly structures: readonly Json[];
  readonly isWhole: boolean;
}

/** Makes a call, and then each call that a part names as the next. */
async function follow(client: MemoryClient, tool: string, args: Json, profile?: HostProfile): Promise<Followed> {
  const texts: string[] = [];
  const structures: Json[] = [];
  let next: Json = args;
  let at = 0;
  while (next !== undefined) {
    const result = await client.call(tool, next);
    expect(result.isError ?? false, result.content[0].text).toBe(false);
    if (profile !== undefined) expectWithin(profile, result);
    const [{ text }] = result.content;
    if (result.structuredContent !== undefined) structures.push(result.structuredContent);
    const line = PART.exec(text);
    if (line === null) return { texts: [text], structures, isWhole: true };
    const [whole, from, to, total, called, given] = line;
    expect(Number(from)).toBe(at);
    at = Number(to);
    texts.push(text.slice(whole.length));
    if (given === undefined) expect(to).toBe(total);
    else {
      expect(called).toBe(tool);
      expect(JSON.parse(given)).toMatchObject({ ...args, offset: at });
    }
    next = given === undefined ? undefined : JSON.parse(given);
  }
  return { texts, structures, isWhole: false };
}

const PIECES = [
  'a',
  'word ',
  'line\n',
  'line\r\n',
  '\r',
  '\n',
  '😀',
  '\ud83d',
  '\ude00',
  '漢字',
  '\u0000',
  '\u001b[1m',
  '"\\',
  '\t',
  'é',
  '# H\n\n',
];
const runs = fc.record({ piece: fc.constantFrom(...PIECES), times: fc.integer({ min: 1, max: 4000 }) });
const texts = fc.array(runs, { maxLength: 12 }).map((all) => all.map(({ piece, times }) => piece.repeat(times)).join(''));
/** No part may end inside a character or inside a line end of two, and where it can it ends with a line. */
function expectGoodCuts(parts: readonly string[]): void {
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1) continue;
    const following = parts[index + 1] ?? '';
    expect(/[\ud800-\udbff]$/.test(part) && /^[\udc00-\udfff]/.test(following)).toBe(false);
    expect(part.endsWith('\r') && following.startsWith('\n')).toBe(false);
    if (part.includes('\n')) expect(part.endsWith('\n')).toBe(true);
    expect(part).not.toBe('');
  }
}

describe.each(Object.entries(HOST_PROFILES))('in the host %s', (name, profile) => {
  it('any resource arrives whole, in parts that fit, in text and in structure', async () => {
    let text = '';
    const catalog = await catalogOf([{ uri: 'test://text', name: 'text', mimeType: 'text/plain', read: () => text }]);
    const client = await open(catalog, name);
    await fc.assert(
      fc.asyncProperty(texts, async (given) => {
        text = given;
        const { texts: parts, structures, isWhole } = await follow(client, 'get_resource', { uri: 'test://text' }, profile);
        expect(parts.join('') === text).toBe(true);
        if (isWhole) return;
        expectGoodCuts(parts);
        if (profile.half === 'both') return;
        expect(structures.map(({ data }) => data.text).join('') === text).toBe(true);
        for (const [index, { offset, next_offset, total, next }] of structures.entries()) {
          expect(offset).toBe(structures[index - 1]?.next_offset ?? 0);
          expect(total).toBe(text.length);
          expect(next_offset === undefined).toBe(index === structures.length - 1);
          expect(next === undefined).toBe(next_offset === undefined);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('any skill arrives as in a host without limits, by name and by URI', async () => {
    const world = createWorld();
    const catalog = await catalogIn(world);
    const [client, unlimited] = [await open(catalog, name), await open(catalog)];
    await fc.assert(
      fc.asyncProperty(texts, async (body) => {
        world.write('project/team/big/SKILL.md', `---\nname: big\ndescription: Big\n---\n${body}`);
        await catalog.refresh();
        const file = readFileSync(world.path('project/team/big/SKILL.md'), 'utf8');
        const calls: readonly [string, Json][] = [
          ['skill', { name: 'big' }],
          // A file with NUL is not a text.
          ...(file.includes('\0') ? [] : ([['get_skill', { uri: 'skill://big/SKILL.md' }]] satisfies [string, Json][])),
        ];
        for (const [tool, args] of calls) {
          const { texts: parts, structures, isWhole } = await follow(client, tool, args, profile);
          expect(parts.join('') === (await unlimited.call(tool, args)).content[0].text).toBe(true);
          if (!isWhole) expectGoodCuts(parts);
          if (tool === 'get_skill' && profile.half !== 'both') expect(structures.map((each) => each.text).join('') === file).toBe(true);
        }
      }),
      { numRuns: 8 },
    );
  });

  it('lists, searches and errors fit the limit, and pages are complete', async () => {
    const world = createWorld();
    for (let index = 0; index < 60; index++)
      world.skill(`project/team/skill-${index}`, {
        description: `Does "thing" ${index}. ${'Très bien: 漢字 & more. '.repeat(index % 40)}`,
      });
    const catalog = await catalogIn(world);
    const client = await open(catalog, name);
    for (const tool of ['list_skills', 'get_resource']) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const result = await client.call(tool, cursor === undefined ? {} : { cursor });
        expectWithin(profile, result);
        const [{ text }] = result.content;
        seen.push(...(text.match(/skill:\/\/skill-\d+\/SKILL\.md/g) ?? []));
        cursor = /cursor "([^"]+)"/.exec(text)?.[1];
        if (result.structuredContent !== undefined) expect(result.structuredContent.next_cursor).toBe(cursor);
      } while (cursor !== undefined);
      expect(new Set(seen).size).toBe(60);
      expect(seen).toHaveLength(60);
    }
    for (const [tool, args] of [
      ['skill', { name: 'skil' }],
      ['list_skills', { query: 'thing' }],
      ['get_resource', { uri: 'skil://nothing' }],
      ['get_resources', { uris: ['skil://nothing', 'skill://skill-39/SKILL.md', 'skill://none/SKILL.md'] }],
    ] as const)
      expectWithin(profile, await client.call(tool, args));
  });

  it('many errors at once fit the limit, one line each and a count of the rest where they are too long', async () => {
    const catalog = await catalogOf([{ uri: 'test://there', name: 'there', read: () => 'Here it is.' }]);
    const client = await open(catalog, name);
    for (const scheme of ['skill', 'x'])
      for (const tail of ['', '/with/a/longer/path'.repeat(8)]) {
        const uris = ['test://there', ...Array.from({ length: 49 }, (_, index) => `${scheme}://unknown-${index}${tail}`)];
        const result = await client.call('get_resources', { uris });
        const texts = result.content.map((each: Json) => each.text ?? each.resource.text);
        if (profile.half === 'structure') expect(sizeOf(result.structuredContent)).toBeLessThanOrEqual(profile.result);
        expect(sizeOf(texts)).toBeLessThanOrEqual(profile.result);
        expect(texts[0]).toBe('Here it is.');
        const named = uris.slice(1).filter((uri) => texts.some((text: string) => text.includes(uri.slice(0, 190)))).length;
        const omitted = Number(/(\d+) more errors? (?:is|are) left out/.exec(texts.at(-1))?.[1] ?? 0);
        expect(named + omitted).toBe(49);
        expect(named).toBeGreaterThan(10);
        if (profile.half !== 'both') expect(result.structuredContent.results).toHaveLength(1 + named);
      }
  });

  it('several resources at once fit the limit, and larger ones are to be read alone', async () => {
    const catalog = await catalogOf(
      Array.from({ length: 20 }, (_, index) => ({ uri: `test://${index}`, name: `Number ${index}`, read: () => `${index} `.repeat(2000) })),
    );
    const client = await open(catalog, name);
    const uris = Array.from({ length: 20 }, (_, index) => `test://${index}`);
    const result = await client.call('get_resources', { uris });
    const bytes =
      profile.half === 'structure'
        ? sizeOf(result.structuredContent)
        : sizeOf(result.content.map((each: Json) => each.text ?? each.resource.text));
    expect(bytes).toBeLessThanOrEqual(profile.result);
    for (const [index, uri] of uris.entries()) {
      const text = JSON.stringify(result.content);
      const alone = `get_resource(${JSON.stringify({ uri })})`;
      const isThere = text.includes(`${index} `.repeat(2000));
      expect(text.includes(JSON.stringify(alone).slice(1, -1))).toBe(!isThere);
    }
  });
});

describe('an unknown host', () => {
  const text = Array.from({ length: 5000 }, (_, index) => `Line ${index} with 😀\r\n`).join('');

  it('gets the whole text from get_resource, as from resources/read', async () => {
    const client = await open(await catalogOf([{ uri: 'test://text', name: 'text', read: () => text }]));
    const { content, structuredContent } = await client.call('get_resource', {
      uri: 'test://text',
      offset: null,
      limit: null,
      version: null,
    });
    expect(content).toEqual([{ type: 'text', text }]);
    expect(structuredContent).toMatchObject({ data: { text } });
    expect(structuredContent).not.toHaveProperty('total');
    const { result } = await client.request('resources/read', { uri: 'test://text' });
    expect(result.contents[0].text).toBe(text);
  });

  it.each([{ limit: 1000 }, { limit: '1000' }, { limit: 7 }])('gets parts on request: %j', async (input) => {
    const some = text.slice(0, 5000);
    const client = await open(await catalogOf([{ uri: 'test://text', name: 'text', read: () => some }]));
    const { texts: parts } = await follow(client, 'get_resource', { uri: 'test://text', limit: Number(input.limit) });
    expect(parts.join('')).toBe(some);
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(Number(input.limit));
    const first = await client.call('get_resource', { uri: 'test://text', ...input });
    expect(first.structuredContent).toMatchObject({
      data: { text: parts[0] },
      offset: 0,
      next_offset: parts[0]?.length,
      total: some.length,
    });
  });

  it('gets at least one whole character', async () => {
    const odd = 'a😀\r\n\nb\ud83dé';
    const client = await open(await catalogOf([{ uri: 'test://text', name: 'text', read: () => odd }]));
    const { texts: parts } = await follow(client, 'get_resource', { uri: 'test://text', limit: 1 });
    expect(parts).toEqual(['a', '😀', '\r\n', '\n', 'b', '\ud83d', 'é']);
    const inside = await client.call('get_resource', { uri: 'test://text', offset: 2 });
    expect(inside.structuredContent).toMatchObject({ data: { text: odd.slice(1) }, offset: 1, total: odd.length });
  });

  it('gets the rest from an offset, empty at the end, and an error beyond it', async () => {
    const client = await open(await catalogOf([{ uri: 'test://text', name: 'text', read: () => 'one\ntwo' }]));
    const call = (args: Json) => client.call('get_resource', { uri: 'test://text', ...args });
    expect((await call({ offset: 4 })).content[0].text).toBe('[Part: characters 4-7 of 7. This is the last part.]\ntwo');
    expect((await call({ offset: 7 })).content[0].text).toBe('[Part: characters 7-7 of 7. This is the last part.]\n');
    const beyond = await call({ offset: 8 });
    expect(beyond.isError).toBe(true);
    expect(beyond.content[0].text).toContain('The offset 8 is beyond the end of the text, which has 7 characters.');
    for (const wrong of [{ offset: -1 }, { offset: 1.5 }, { limit: 'many' }, { offset: [] }])
      expect((await call(wrong)).isError, JSON.stringify(wrong)).toBe(true);
    expect((await call({ offset: 0, limit: 0 })).content[0].text).toBe('one\ntwo');
  });

  it('gets the valid range for an invalid offset or limit, with every tool', async () => {
    const world = createWorld();
    world.skill('project/team/pdf');
    const client = await open(await catalogIn(world));
    for (const [tool, args] of [
      ['skill', { name: 'pdf' }],
      ['get_skill', { uri: 'skill://pdf/SKILL.md' }],
      ['get_resource', { uri: 'skill://pdf/SKILL.md' }],
    ] as const)
      for (const wrong of [{ offset: -1 }, { limit: 1e300 }, { limit: 'many' }]) {
        const { content, isError } = await client.call(tool, { ...args, ...wrong });
        expect(isError).toBe(true);
        expect(content[0].text).toMatch(
          /(?:offset|limit): Expected an integer from 0 to 9007199254740991\..*\n?.*Leave out offset and limit/s,
        );
        expect(content[0].text).not.toContain('Provide a non-empty');
      }
  });

  it('gets ranges of the file from get_skill, and the file by joining the structured halves', async () => {
    const world = createWorld();
    const file = readFileSync(world.skill('project/team/pdf', { body: 'One line.\nAnother line.\n' }), 'utf8');
    const client = await open(await catalogIn(world));
    const { structures, texts: parts } = await follow(client, 'get_skill', { uri: 'skill://pdf/SKILL.md', limit: 20 });
    expect(structures.map(({ text }) => text).join('')).toBe(file);
    expect(structures[0]).toMatchObject({ offset: 0, total: file.length });
    expect(parts.join('')).toBe(`URI: skill://pdf/SKILL.md\n\n${file}`);
  });

  it('names the expanded URI of a template as the next call', async () => {
    const page = defineResource({
      uri: 'docs://pages/{name}',
      name: 'page',
      variables: { name: {} },
      read: ({ name }) => `${name}\n`.repeat(50),
    });
    const client = await open(await catalogOf([page]));
    const first = await client.call('get_resource', { uri: 'docs://pages/{name}', variables: { name: 'one' }, limit: 10 });
    expect(first.content[0].text).toMatch(
      /^\[Part: characters 0-8 of 200\. Next: get_resource\(\{"uri":"docs:\/\/pages\/one","offset":8,"limit":10,"version":"[0-9a-f]{8}"\}\)\]\none\none\n$/,
    );
  });

  it('returns an error for a part of a binary file', async () => {
    const world = createWorld();
    world.skill('project/team/pdf');
    world.write('project/team/pdf/data.bin', Buffer.from([0, 255, 1]));
    const client = await open(await catalogIn(world));
    for (const tool of ['get_skill', 'get_resource']) {
      const result = await client.call(tool, { uri: 'skill://pdf/data.bin', offset: 1 });
      expect(result.isError).toBe(true);
      expect(result.content[0].text).toContain('Only a text can be read in parts');
    }
  });
});

describe('a part of JSON', () => {
  it('is text in the structure', async () => {
    const value = { list: Array.from({ length: 3000 }, (_, index) => index) };
    const client = await open(await catalogOf([{ uri: 'test://json', name: 'json', read: () => value }]), 'codex-mcp-client');
    const { structures } = await follow(client, 'get_resource', { uri: 'test://json' });
    expect(structures.length).toBeGreaterThan(1);
    expect(JSON.parse(structures.map(({ data }) => data.text).join(''))).toEqual(value);
  });
});

describe('a text that changes between two parts', () => {
  const long = (word: string) => `${word} and more of it\n`.repeat(2000);

  it.each(['skill', 'get_skill', 'get_resource'])(
    'is reported by %s, with the version and without, until it is read from the start',
    async (tool) => {
      const world = createWorld();
      const write = (word: string) => world.write('project/team/big/SKILL.md', `---\nname: big\ndescription: Big\n---\n${long(word)}`);
      write('one');
      const catalog = await catalogIn(world);
      const client = await open(catalog, '@cline/core');
      const args = tool === 'skill' ? { name: 'big' } : { uri: 'skill://big/SKILL.md' };
      const first = PART.exec((await client.call(tool, args)).content[0].text);
      write('two');
      const next = JSON.parse(first?.[5] ?? '');
      for (const call of [next, { ...args, offset: next.offset }, next]) {
        const result = await client.call(tool, call);
        expect(result.isError).toBe(true);
        expect(result.content[0].text).toContain('The text has changed since the previous part.');
        expect(result.content[0].text).toContain(`start again at offset 0: ${tool}(${JSON.stringify({ ...args, offset: 0 })})`);
      }
      expect((await follow(client, tool, args)).texts.join('')).toContain(long('two'));
      // Another process, which has given out nothing.
      const other = await open(await catalogIn(world), '@cline/core');
      expect((await other.call(tool, next)).isError).toBe(true);
      expect((await other.call(tool, { ...args, offset: 0 })).isError).not.toBe(true);
    },
  );

  it('is read once for all parts, and again when its source says that it changed', async () => {
    let reads = 0;
    let word = 'one';
    const definition: AnyDefinition = {
      uri: 'test://text',
      name: 'text',
      read() {
        reads++;
        return long(word);
      },
    };
    const source = defineResources([definition]);
    const catalog = await Catalog.open([source]);
    onTestFinished(() => catalog.close());
    const client = await open(catalog, '@cline/core');
    expect((await follow(client, 'get_resource', { uri: 'test://text' })).texts.join('')).toBe(long('one'));
    expect(reads).toBe(1);
    const first = PART.exec((await client.call('get_resource', { uri: 'test://text' })).content[0].text);
    expect(reads).toBe(2);
    word = 'two';
    // Not a mixture: what was read before.
    const next = JSON.parse(first?.[5] ?? '');
    expect((await client.call('get_resource', next)).content[0].text).toContain('one and more');
    source.updated('test://text');
    expect((await client.call('get_resource', next)).isError).toBe(true);
    expect(reads).toBe(3);
  });

  it('is not returned to a caller that lost access', async () => {
    let allowed = true;
    const source = defineResources([{ uri: 'test://text', name: 'text', read: () => long('one') }]);
    const guarded = {
      ...source,
      async open(changed: never, updated: never) {
        const { resources = [], ...rest } = await source.open(changed, updated);
        const authorize = () => {
          if (!allowed) throw new FootbridgeError('Unauthorized', 'Not any more.');
        };
        return { ...rest, resources: resources.map((each) => ({ ...each, authorize })) };
      },
    };
    const catalog = await Catalog.open([guarded]);
    onTestFinished(() => catalog.close());
    const client = await open(catalog, 'codex-mcp-client');
    const first = PART.exec((await client.call('get_resource', { uri: 'test://text' })).content[0].text);
    allowed = false;
    const result = await client.call('get_resource', JSON.parse(first?.[5] ?? ''));
    expect(result.structuredContent).toMatchObject({ success: false, error: 'Unauthorized' });
  });
});

describe('a host whose model gets text and structured content', () => {
  it('gets one of them, and no output schema', async () => {
    const world = createWorld();
    world.skill('project/team/pdf');
    const catalog = await catalogIn(world);
    const [copilot, other] = [await open(catalog, 'copilot-cli'), await open(catalog)];
    const listed = async (client: MemoryClient) =>
      Object.fromEntries((await client.request('tools/list')).result.tools.map((tool: Json) => [tool.name, tool]));
    const [shown, usual] = [await listed(copilot), await listed(other)];
    for (const name of ['list_skills', 'get_skill']) {
      expect(shown[name]).not.toHaveProperty('outputSchema');
      expect(usual[name].outputSchema).toMatchObject({ type: 'object' });
    }
    for (const [name, args] of [
      ['list_skills', {}],
      ['get_skill', { uri: 'skill://pdf/SKILL.md' }],
      ['get_resource', {}],
      ['get_resource', { uri: 'skill://pdf/SKILL.md' }],
      ['get_resource', { uri: 'skill://none/SKILL.md' }],
      ['get_resources', { uris: ['skill://pdf/SKILL.md'] }],
    ] as const) {
      const [one, both] = [await copilot.call(name, args), await other.call(name, args)];
      expect(one, name).not.toHaveProperty('structuredContent');
      expect(both, name).toHaveProperty('structuredContent');
      expect(one.content, name).toEqual(both.content);
    }
  });
});

describe('null', () => {
  it('means that an argument is absent', async () => {
    const world = createWorld();
    world.skill('project/team/pdf');
    const client = await open(await catalogIn(world));
    for (const [name, args, more] of [
      ['skill', { name: 'pdf' }, { offset: null, limit: null, version: null }],
      ['get_skill', { uri: 'skill://pdf/SKILL.md' }, { offset: null, limit: null }],
      ['list_skills', {}, { query: null, cursor: null }],
      ['get_resource', {}, { uri: null, variables: null, cursor: null }],
    ] as const)
      expect((await client.call(name, { ...args, ...more })).content, name).toEqual((await client.call(name, args)).content);
    expect((await client.call('skill', { name: null })).isError).toBe(true);
  });
});

describe('a skill of one of several servers', () => {
  const server = (skill: string) => {
    const mcp = new McpServer({ name: skill, version: '1' });
    const uri = `skill://${skill}/SKILL.md`;
    const text = `---\nname: ${skill}\ndescription: About ${skill}\n---\nCall search.\n`;
    mcp.registerResource(skill, uri, { mimeType: 'text/markdown' }, () => ({ contents: [{ uri, mimeType: 'text/markdown', text }] }));
    mcp.registerTool('search', { description: 'Searches' }, () => ({ content: [] }));
    return mcp;
  };

  async function load(servers: Parameters<typeof upstreams>[0]['servers'], name: string): Promise<string> {
    const source = upstreams({ servers });
    const catalog = await Catalog.open([source]);
    onTestFinished(async () => {
      catalog.close();
      await source.end();
    });
    await source.complete();
    return (await (await open(catalog)).call('skill', { name })).content[0].text;
  }

  it('explains how the tools of its server are named', async () => {
    const text = await load({ docs: { server: server('pdf') }, team: { server: server('git'), prefix: 'our_' } }, 'docs:pdf');
    expect(text).toMatch(
      /^Loading: pdf\nBase directory: skill:\/\/docs\/pdf\/\nTools of the server 'docs' are named docs__<tool> here\.\n\n---\nname: pdf\n/,
    );
  });

  it('does not mention unchanged names', async () => {
    expect(await load({ docs: { server: server('pdf') } }, 'pdf')).toMatch(
      /^Loading: pdf\nBase directory: skill:\/\/pdf\/\n\n---\nname: pdf\n/,
    );
  });
});

describe('two callers of one catalog', () => {
  it('each get their own content, in every part', async () => {
    const catalog = await catalogOf([
      { uri: 'test://own', name: 'own', read: (_values, { caller }) => `Only for ${caller.id}\n`.repeat(2000) },
    ]);
    const clientOf = (id: string) =>
      connect(
        serverWith({
          catalog,
          caller: { id, name: id, roles: [], admin: false },
          hosts: new HostViews({ pinned: '@cline/core', showNative: true }),
        }),
      );
    const [one, other] = [await clientOf('one'), await clientOf('other')];
    const first = PART.exec((await one.call('get_resource', { uri: 'test://own' })).content[0].text);
    const { version, ...next } = JSON.parse(first?.[5] ?? '');
    expect((await one.call('get_resource', next)).content[0].text).toContain('Only for one');
    expect((await other.call('get_resource', next)).content[0].text).not.toContain('for one');
    expect((await other.call('get_resource', { ...next, version })).isError).toBe(true);
  });
});
