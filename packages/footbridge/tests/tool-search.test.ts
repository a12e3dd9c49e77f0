/** Tool search: what is listed, found and called, and by which callers. */
import { Catalog, skillFolders } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { preloadToolSearch } from '../src/catalog/search/preload.js';
import { CallerViews } from '../src/serve/caller-views.js';
import { serverWith } from '../src/serve/server.js';
import { type HostOptions, HostViews } from '../src/surfaces/hosts/view.js';
import { listTools, type ToolChoice } from '../src/surfaces/tools/index.js';
import type { Json } from './support/client.js';
import { contributionOf, FakeUpstream, type ServerParts, sourceOf } from './support/fake-upstream.js';
import { createWorld } from './support/folders.js';
import { connect } from './support/memory.js';

const READS = { annotations: { readOnlyHint: true } };
const tool = (name: string, more: Json = READS): Json => ({ name, description: `Does ${name}`, inputSchema: { type: 'object' }, ...more });
const many = (count: number, more?: Json) => Array.from({ length: count }, (_, at) => tool(`tool_${at}`, more));
const SEARCH = ['find_tools', 'call_tool', 'call_destructive_tool'];

const ISSUE = tool('create_issue', {
  description: 'Open a new issue in a repository',
  annotations: { readOnlyHint: false, destructiveHint: false },
  inputSchema: {
    type: 'object',
    properties: { title: { type: 'string' }, labels: { type: 'array', items: { type: 'string' } }, state: { enum: ['open', 'closed'] } },
    required: ['title'],
    additionalProperties: false,
  },
});
const DELETE = tool('delete_repository', { description: 'Delete a repository for good', annotations: { destructiveHint: true } });
const SILENT = tool('rename_repository', { description: 'Rename a repository' });

async function open(parts: ServerParts, more: readonly FakeUpstream[] = []) {
  const server = new FakeUpstream('code', { prefix: 'code', ...parts });
  const { source, replace } = sourceOf(contributionOf([server, ...more]));
  const catalog = await Catalog.open([source]);
  onTestFinished(() => catalog.close());
  return { catalog, replace, server };
}

interface Showing extends HostOptions {
  readonly client?: string;
  readonly tools?: ToolChoice;
}

const listed = ({ snapshot }: Catalog, { client, tools, ...options }: Showing = {}) =>
  listTools(snapshot, new HostViews(options).of(client, false), tools).map(({ name }) => name);

async function serve(parts: ServerParts, { tools = {}, ...options }: Showing = { toolSearch: true }) {
  const { catalog, server, replace } = await open(parts);
  const client = await connect(serverWith({ catalog, tools, hosts: new HostViews(options) }));
  return { call: client.call, catalog, client, replace, server };
}

const textOf = ({ content }: Json): string => content[0].text;

describe('tools/list', () => {
  it('lists 40 tools, and replaces more by a search', async () => {
    const { catalog } = await open({ tools: many(40) });
    expect(listed(catalog)).toHaveLength(40);
    expect(listed((await open({ tools: many(41) })).catalog)).toEqual(SEARCH);
  });

  it('also replaces fewer tools if their definitions exceed 8,000 tokens', async () => {
    const long = many(5, { ...READS, description: 'word '.repeat(1500) });
    expect(listed((await open({ tools: long })).catalog)).toEqual(SEARCH);
    expect(listed((await open({ tools: long.slice(0, 4) })).catalog)).toHaveLength(4);
  });

  it('counts the bytes of definitions, whatever their script', async () => {
    const long = many(5, { ...READS, description: '工具说明'.repeat(600) });
    expect(listed((await open({ tools: long })).catalog)).toEqual(SEARCH);
  });

  it('counts only tools that a search would replace, and replaces none if that saves nothing', async () => {
    const two = new FakeUpstream('two', { prefix: 'two', tools: many(2) });
    const { catalog } = await open({ tools: many(45) }, [two]);
    expect(listed(catalog, { always: ['code__*'] })).toHaveLength(47);
    expect(listed(catalog)).toEqual(SEARCH);
    const terse = Array.from({ length: 41 }, (_, at) => ({ name: `t${at}`, inputSchema: { type: 'object' } }));
    expect(listed((await open({ tools: terse })).catalog)).toHaveLength(41);
  });

  it.each(['claude-code', 'qwen-cli-mcp-client-x'])('has every tool for %s, which searches itself', async (client) => {
    const { catalog } = await open({ tools: many(41) });
    expect(listed(catalog, { client })).toHaveLength(41);
    expect(listed(catalog, { client, toolSearch: true })).toEqual(SEARCH);
  });

  it('has every tool when the search is off', async () => {
    const { catalog } = await open({ tools: many(41) });
    expect(listed(catalog, { toolSearch: false })).toHaveLength(41);
  });

  it('keeps tools that are always listed, by either name', async () => {
    const { catalog } = await open({ tools: [...many(3), ISSUE] });
    const always = ['create_*', 'code__tool_1'];
    expect(listed(catalog, { toolSearch: true, always })).toEqual(['code__tool_1', 'code__create_issue', ...SEARCH]);
  });

  it('keeps a tool that only works as a task', async () => {
    const { catalog } = await open({ tools: [...many(2), tool('render', { execution: { taskSupport: 'required' } })] });
    expect(listed(catalog, { toolSearch: true })).toEqual(['code__render', ...SEARCH]);
  });

  it('lists a tool that no remaining tool could call', async () => {
    const { catalog } = await open({ tools: [ISSUE, DELETE] });
    const shown = (tools: ToolChoice) => listed(catalog, { toolSearch: true, tools });
    expect(shown({ call_destructive_tool: false })).toEqual(['code__delete_repository', 'find_tools', 'call_tool']);
    expect(shown({ find_tools: false })).toEqual(['code__create_issue', 'code__delete_repository']);
  });

  it('takes at most 8 KB with 1,000 tools of 20 servers, and names each server', async () => {
    const servers = Array.from(
      { length: 20 },
      (_, at) => new FakeUpstream(`server-${at}`, { prefix: `server-${at}`, tools: many(50, { ...READS, description: 'x'.repeat(900) }) }),
    );
    const catalog = await Catalog.open([sourceOf(contributionOf(servers)).source]);
    onTestFinished(() => catalog.close());
    const tools = listTools(catalog.snapshot, new HostViews().of('some host', false));
    expect(JSON.stringify(tools).length).toBeLessThan(8000);
    const description = tools.find(({ name }) => name === 'find_tools')?.description ?? '';
    expect(servers.filter(({ name }) => description.includes(`- ${name} (50 tools): tool_0`))).toHaveLength(20);
  });

  it.each([5, 300])('takes at most 8 KB, too, with resources, prompts and %i skills', async (count) => {
    const world = createWorld();
    for (let at = 0; at < count; at++)
      world.skill(`project/skills/skill-${at}`, { description: 'Fills in forms when somebody asks. '.repeat(9) });
    const servers = Array.from({ length: 20 }, (_, at) => {
      const records = Array.from({ length: 10 }, (_, each) => `data://server-${at}/records/${each}`);
      const prompts = records.map((_, each) => ({ name: `summarise-records-${each}`, arguments: [{ name: 'topic' }] }));
      return new FakeUpstream(`server-${at}`, { prefix: `server-${at}`, tools: many(50), resources: records, prompts });
    });
    const skills = skillFolders({ folders: [world.path('project/skills')] });
    const catalog = await Catalog.open([sourceOf(contributionOf(servers)).source, skills]);
    onTestFinished(() => catalog.close());
    await catalog.settled();
    const shown = (client: string, toolSearch: boolean) => listTools(catalog.snapshot, new HostViews({ toolSearch }).of(client, false));
    for (const client of ['some host', 'cursor-vscode', 'codex-mcp-client']) {
      const tools = shown(client, true);
      const descriptionOf = (name: string) => tools.find((each) => each.name === name)?.description ?? '';
      expect(JSON.stringify({ tools }).length, client).toBeLessThanOrEqual(8000);
      expect(servers.filter(({ name }) => descriptionOf('find_tools').includes(`- ${name} (50 tools): tool_0`))).toHaveLength(20);
      expect(JSON.stringify(tools.find(({ name }) => name === 'skill'))).toContain('skill-0');
      expect(descriptionOf('get_prompt')).toMatch(/server-0__summarise-records-0\(topic\?\).* 19\d more: call get_prompt\(\)/);
      expect(descriptionOf('get_resource')).toMatch(/data:\/\/server-0\/records\/0.*\n1\d\d more: call get_resource\(\)/s);
    }
    const listed = shown('some host', false).find(({ name }) => name === 'get_resource');
    expect(listed?.description).toContain('Examples with results');
  });

  it.each(['kilo', 'codex-mcp-client', 'some host'])('leaves the list of skills as it is for %s', async (client) => {
    const world = createWorld();
    for (let at = 0; at < 50; at++)
      world.skill(`project/skills/skill-${at}`, { description: `Does thing ${at}. ${'Use it for forms. '.repeat(8)}` });
    const skills = skillFolders({ folders: [world.path('project/skills')] });
    const tools = sourceOf(contributionOf([new FakeUpstream('code', { prefix: 'code', tools: many(60) })])).source;
    const catalog = await Catalog.open([tools, skills]);
    onTestFinished(() => catalog.close());
    const shown = listTools(catalog.snapshot, new HostViews().of(client, false));
    expect(shown.map(({ name }) => name)).toEqual(expect.arrayContaining(['skill', ...SEARCH]));
    const text = JSON.stringify(shown.find(({ name }) => name === 'skill'));
    for (let at = 0; at < 50; at++) expect(text).toContain(`Does thing ${at}. Use it`);
    expect(JSON.stringify(shown).length - text.length).toBeLessThan(8000);
  });

  it('names skills in the instructions where few are listed beside the search', async () => {
    const world = createWorld();
    for (let at = 0; at < 100; at++) world.skill(`project/skills/skill-${at}`);
    const servers = Array.from({ length: 20 }, (_, at) => {
      const prompts = many(10).map((_each, number) => ({ name: `summarise-records-${number}`, arguments: [{ name: 'topic' }] }));
      const resources = prompts.map((_each, number) => `data://server-${at}/records/of-the-year/${number}`);
      return new FakeUpstream(`server-${at}`, { prefix: `server-${at}`, tools: many(50), prompts, resources });
    });
    const catalog = await Catalog.open([
      sourceOf(contributionOf(servers)).source,
      skillFolders({ folders: [world.path('project/skills')] }),
    ]);
    onTestFinished(() => catalog.close());
    const client = await connect(serverWith({ catalog, hosts: new HostViews({ pinned: 'kilo' }) }));
    const clientInfo = { name: 'kilo', version: '1' };
    const { result } = await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    for (let at = 0; at < 100; at++) expect(result.instructions).toContain(`skill-${at}`);
  });

  it('says what each server is for, before anything else', async () => {
    const name = (at: number) => `server-with-a-name-of-38-characters-x-${at % 10}${at < 10 ? '' : 'b'}`;
    const servers = Array.from({ length: 20 }, (_, at) => {
      const resources = Array.from({ length: 100 }, (_, each) => `data://${name(at)}/records-of-a-year/${each}`);
      return new FakeUpstream(name(at), { prefix: name(at), tools: many(50), resources, purpose: `Keeps the records of department ${at}` });
    });
    const catalog = await Catalog.open([sourceOf(contributionOf(servers)).source]);
    onTestFinished(() => catalog.close());
    const tools = listTools(catalog.snapshot, new HostViews().of('some host', false));
    const { description = '' } = tools.find((each) => each.name === 'find_tools') ?? {};
    expect(servers.filter((server) => description.includes(`- ${server.name} (50 tools): Keeps the records`))).toHaveLength(20);
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(8000);
  });

  it('takes at most 8 KB in any script', async () => {
    const servers = Array.from({ length: 20 }, (_, at) => {
      const resources = Array.from({ length: 20 }, (_, each) => `data://服务器${at}/记录${each}`);
      const prompts = resources.map((_, each) => ({ name: `总结记录${each}` }));
      return new FakeUpstream(`服务器${at}`, {
        prefix: `s${at}`,
        tools: many(50),
        resources,
        prompts,
        purpose: '管理各部门的记录和文件'.repeat(9),
      });
    });
    const world = createWorld();
    for (let at = 0; at < 30; at++) world.skill(`project/skills/skill-${at}`, { description: '填写表格和文件'.repeat(20) });
    const skills = skillFolders({ folders: [world.path('project/skills')] });
    const catalog = await Catalog.open([sourceOf(contributionOf(servers)).source, skills]);
    onTestFinished(() => catalog.close());
    await catalog.settled();
    for (const client of ['some host', 'cursor-vscode', 'codex-mcp-client', 'gemini-cli-mcp-client']) {
      const tools = listTools(catalog.snapshot, new HostViews({ toolSearch: true }).of(client, false));
      expect(Buffer.byteLength(JSON.stringify({ tools })), client).toBeLessThanOrEqual(8000);
      expect(tools.find((each) => each.name === 'find_tools')?.description, client).toContain('服务器19');
    }
  });

  it('is announced only where it differs', async () => {
    const { client, replace } = await serve({ tools: many(5) });
    await client.request('tools/list');
    const changed = 'notifications/tools/list_changed';
    replace(contributionOf([new FakeUpstream('code', { prefix: 'code', tools: many(5, { ...READS, description: 'Something else' }) })]));
    replace(contributionOf([new FakeUpstream('code', { prefix: 'code', tools: many(6) })]));
    await client.waitFor(() => client.count(changed) > 0);
    await client.request('tools/list');
    expect(client.count(changed)).toBe(1);
  });
});

describe('find_tools', () => {
  it('returns definitions, each half complete', async () => {
    const { call } = await serve({ tools: [...many(30), ISSUE, DELETE] });
    const result = await call('find_tools', { query: 'report a bug as an issue' });
    const [first] = result.structuredContent.tools;
    const { name: _, ...definition } = ISSUE;
    expect(first).toEqual({ name: 'code__create_issue', server: 'code', call_with: 'call_tool', ...definition });
    expect(JSON.parse(textOf(result).split('\n')[1] ?? '')).toEqual(first);
  });

  it('finds the others, and these by name, when tools have invalid texts and schemas', async () => {
    const odd = [
      tool('one', { title: {}, description: 1 }),
      tool('two', { title: null, description: ['x'], inputSchema: { type: 'object', properties: null } }),
      tool('three', { description: null, inputSchema: { properties: [null], required: 1 } }),
    ];
    const { call, catalog } = await serve({ tools: [...odd, ISSUE, ...many(50)] });
    preloadToolSearch(catalog);
    expect(textOf(await call('find_tools', { query: 'open a new issue' }))).toContain('code__create_issue');
    for (const { name } of odd) expect(textOf(await call('find_tools', { query: name }))).toContain(`code__${name}`);
  });

  it('finds a tool by its name, with or without the prefix', async () => {
    const { call } = await serve({ tools: [...many(30), ISSUE] });
    for (const query of ['code__tool_7', 'tool_7'])
      expect((await call('find_tools', { query })).structuredContent.tools[0].name).toBe('code__tool_7');
  });

  it('names the tool that calls a match', async () => {
    const { call } = await serve({ tools: [ISSUE, DELETE, SILENT] });
    const { structuredContent } = await call('find_tools', { query: 'repository' });
    expect(Object.fromEntries(structuredContent.tools.map((each: Json) => [each.name, each.call_with]))).toEqual({
      code__create_issue: 'call_tool',
      code__delete_repository: 'call_destructive_tool',
      code__rename_repository: 'call_destructive_tool',
    });
  });

  it('returns the servers and similar names where nothing matches', async () => {
    const { call } = await serve({ tools: [tool('x9_y8_z7')] });
    expect(textOf(await call('find_tools', { query: 'x9y8z7' }))).toContain('Similar names: code__x9_y8_z7.');
    expect(textOf(await call('find_tools', { query: 'zzz' }))).toBe(
      "No tool matches 'zzz'.\nDescribe what you want to do in other words, or name a server.\nServers: code.",
    );
  });

  it('looks at the beginning of a query that is very long', async () => {
    const { call } = await serve({ tools: [ISSUE, ...many(30)] });
    const { isError, structuredContent } = await call('find_tools', { query: `open an issue ${'that says a lot '.repeat(1000)}` });
    expect([isError, structuredContent.tools[0].name]).toEqual([undefined, 'code__create_issue']);
  });

  it('says so where there are no tools', async () => {
    const { call } = await serve({});
    expect(textOf(await call('find_tools', { query: 'anything' }))).toBe("No tool matches 'anything'.\nThere are no tools of servers.");
  });

  it("stays within the host's limit, and shortens definitions that do not fit", async () => {
    const properties = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`field_${at}`, { description: 'long '.repeat(100) }]));
    const fat = many(8, { ...READS, inputSchema: { type: 'object', properties } });
    const { call } = await serve({ tools: fat }, { toolSearch: true, pinned: '@cline/core' });
    const result = await call('find_tools', { query: 'tool_3' });
    expect(JSON.stringify(textOf(result)).length).toBeLessThan(7600);
    expect(JSON.parse(textOf(result).split('\n')[1] ?? '')).toMatchObject({ name: 'code__tool_3', shortened: expect.any(String) });
  });
});

it.each(['codex-mcp-client', '@cline/core', 'copilot-cli', 'unmeasured'])(
  'find_tools returns five definitions to %s, each as whole as fits beside the others',
  async (pinned) => {
    const properties = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`field_${at}`, { type: 'string', description: 'words about it '.repeat(9) }]),
    );
    const usual = many(8, { ...READS, description: 'Reports of a kind. '.repeat(20), inputSchema: { type: 'object', properties } });
    const { call } = await serve({ tools: usual }, { toolSearch: true, pinned });
    const result = await call('find_tools', { query: 'reports' });
    const definitions: readonly Json[] = textOf(result)
      .split('\n')
      .slice(1, 6)
      .map((line) => JSON.parse(line));
    expect(definitions.map(({ name }) => name)).toEqual(Array.from({ length: 5 }, (_, at) => `code__tool_${at}`));
    const lengths = definitions.map((definition) => JSON.stringify(definition).length);
    expect(lengths).toEqual(lengths.toSorted((one, other) => other - one));
    expect(textOf(result)).toContain('Further matches');
  },
);

describe('call_tool', () => {
  it('forwards the call like a direct one', async () => {
    const { call, server } = await serve({ tools: [ISSUE] });
    const input = { title: 'Broken', labels: ['bug'] };
    const [direct, through] = [
      await call('code__create_issue', input),
      await call('call_tool', { name: 'code__create_issue', arguments: input }),
    ];
    expect(through).toEqual(direct);
    expect(server.asked.at(-1)).toEqual(server.asked.at(-2));
    expect(server.asked.at(-1)).toEqual(['tools/call', { name: 'create_issue', arguments: input }]);
  });

  it('reports each wrong field, and calls nothing', async () => {
    const { call, server } = await serve({ tools: [ISSUE] });
    const input = { labels: ['a', 5], state: 'shut', titel: 'Broken' };
    const result = await call('call_tool', { name: 'code__create_issue', arguments: input });
    expect(result.isError).toBe(true);
    expect(textOf(result).split('\n').slice(0, -1)).toEqual([
      "Invalid arguments for 'code__create_issue'. It was not called.",
      '- title: required, but missing.',
      '- labels[1]: must be string, not number.',
      '- state: must be one of "open", "closed".',
      "- titel: unknown field. Did you mean 'title'?",
    ]);
    expect(server.asked).toEqual([]);
  });

  it('rejects a destructive tool, which call_destructive_tool calls', async () => {
    const { call, server } = await serve({ tools: [DELETE, SILENT] });
    for (const name of ['code__delete_repository', 'code__rename_repository']) {
      const refused = await call('call_tool', { name });
      expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('Call it with call_destructive_tool')]);
      expect(await call('call_destructive_tool', { name })).toEqual({ from: 'code' });
    }
    expect(server.asked).toHaveLength(2);
  });

  it('names a destructive tool itself where call_destructive_tool is disabled', async () => {
    const { call } = await serve({ tools: [ISSUE, DELETE] }, { toolSearch: true, tools: { call_destructive_tool: false } });
    const { structuredContent } = await call('find_tools', { query: 'repository' });
    expect(structuredContent.tools).toEqual([
      expect.objectContaining({ name: 'code__delete_repository', call_with: 'code__delete_repository' }),
      expect.objectContaining({ name: 'code__create_issue', call_with: 'call_tool' }),
    ]);
    const refused = await call('call_tool', { name: 'code__delete_repository' });
    expect(textOf(refused)).toBe("'code__delete_repository' may be destructive. Call it directly, with the same arguments.");
    expect(await call('code__delete_repository', {})).toEqual({ from: 'code' });
  });

  it.each<[string, Json, string]>([
    ['an unknown name', { name: 'create_issue' }, "Unknown tool 'create_issue'. Did you mean 'code__create_issue'?"],
    ['fields outside arguments', { name: 'code__create_issue', title: 'x' }, 'Fields of the tool belong in "arguments".'],
    ['arguments of another type', { name: 'code__create_issue', arguments: [] }, 'arguments must be an object'],
    ['no name', {}, 'name must be a string'],
    ['itself', { name: 'call_tool', arguments: {} }, "'call_tool' is listed. Call it directly."],
    ['another of our tools', { name: 'get_resource', arguments: {} }, "'get_resource' is listed. Call it directly."],
    ['one of our tools that is not listed', { name: 'skill' }, "Unknown tool 'skill'."],
  ])('says what is wrong with %s', async (_, input, expected) => {
    const { call } = await serve({ tools: [ISSUE], resources: ['data://one'] });
    const result = await call('call_tool', input);
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining(expected)]);
  });

  it('takes arguments as JSON text, and none as an empty object', async () => {
    const { call, server } = await serve({ tools: [ISSUE, tool('list')] });
    await call('call_tool', { name: 'code__create_issue', arguments: '{"title":"x"}' });
    await call('call_tool', { name: 'code__list', arguments: null });
    expect(server.asked.map(([, params]) => params.arguments)).toEqual([{ title: 'x' }, {}]);
  });

  it('lets hosts take results as long as those of the tools that it calls', async () => {
    const { client } = await serve({ tools: [ISSUE] });
    const { tools } = (await client.request('tools/list')).result;
    for (const { _meta, name } of tools) expect(_meta, name).toMatchObject({ 'anthropic/maxResultSizeChars': 500_000 });
    expect(tools).toHaveLength(3);
  });

  it('calls an unlisted tool directly', async () => {
    const { call } = await serve({ tools: [ISSUE] });
    expect(await call('code__create_issue', { title: 'x' })).toEqual({ from: 'code' });
  });
});

it('shows a role only the tools that it may call, in every request', async () => {
  const server = new FakeUpstream('code', { prefix: 'code', tools: [ISSUE, DELETE] });
  const views = await CallerViews.open([sourceOf(contributionOf([server])).source], {
    roles: { reader: { tools: ['code__create_*'] } },
    hosts: new HostViews({ toolSearch: true }),
  });
  onTestFinished(() => views.close());
  const { catalog, hosts, tools } = await views.of({ id: 'x', name: 'x', roles: ['reader'], admin: false });
  const client = await connect(serverWith({ catalog, hosts, tools }));
  expect(await client.request('tools/list')).toMatchObject({ result: { tools: SEARCH.map((name) => ({ name })) } });
  const { structuredContent } = await client.call('find_tools', { query: 'repository' });
  expect(structuredContent.tools.map(({ name }: Json) => name)).toEqual(['code__create_issue']);
  expect(textOf(await client.call('call_destructive_tool', { name: 'code__delete_repository' }))).toContain('Unknown tool');
  expect(server.asked).toEqual([]);
});
