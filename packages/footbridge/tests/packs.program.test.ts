/** The content of packs, on every route. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as the file has them
import { pathToFileURL } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import type { Json } from './support/client.js';
import { run } from './support/command.js';
import { createWorld } from './support/folders.js';
import { startHttp } from './support/http-server.js';
import { GARDEN, GREETER, notesIn, ROUTES, THIEF, useRoute } from './support/packs.js';
import { runProgram } from './support/program.js';
import { exchange } from './support/raw-http.js';
import { serve, textOf } from './support/server.js';
import { useSources } from './support/start.js';
import { soon } from './support/to-order.js';

useSources();

const PLANT = {
  name: 'plant',
  title: 'Plant',
  description: 'Plants something.',
  inputSchema: {
    type: 'object',
    properties: {
      what: { type: 'string', description: 'A plant' },
      rows: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    },
    required: ['what'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, idempotentHint: false },
  _meta: { ui: { resourceUri: 'garden://beds' } },
};

async function toolsOf(host: { request(method: string): Promise<Json> }): Promise<Map<string, Json>> {
  const { result } = await host.request('tools/list');
  return new Map(result.tools.map((tool: Json) => [tool.name, tool]));
}

describe.each(ROUTES)('$transport, $era era, wrapped: $wrapped, configured: $configured', (route) => {
  const garden = useRoute(route);

  it('lists a tool as defined, and calls it', async () => {
    const host = await garden.connect();
    const tools = await toolsOf(host);
    expect(tools.get('plant')).toEqual(PLANT);
    expect(tools.has('tool-1')).toBe(route.wrapped === true);
    expect(await host.ask('plant', { what: 'beans', rows: 3 })).toMatchObject({ what: 'beans', rows: 3, canElicitUrl: true });
  });

  it('sends progress before the result if the host asks for it', async () => {
    const host = await garden.connect();
    const { id, result } = await host.request('tools/call', { name: 'water', arguments: { rows: 3 }, _meta: { progressToken: 'p' } });
    expect(textOf(result)).toBe('wet');
    const reported = host.received.slice(
      0,
      host.received.findIndex((message) => message.id === id && message.result),
    );
    expect(reported.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params)).toEqual(
      [1, 2, 3].map((row) => expect.objectContaining({ progressToken: 'p', progress: row, total: 3, message: `row ${row}` })),
    );
    expect(await host.call('water', { rows: 2 })).toBe('wet');
    expect(host.heard('notifications/progress')).toHaveLength(3);
  });

  it('rejects invalid arguments, and reports a failure without its message', async () => {
    const host = await garden.connect();
    const call = async (name: string, args?: Json) => (await host.request('tools/call', { name, arguments: args })).result;
    const wrong = await call('plant', { what: 7, whom: 'x' });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong)).toMatch(/^Invalid input: what: .*expected string.*whom.*\.$/);
    expect(await call('plant')).toMatchObject({ isError: true });
    const dry = await call('water', { rows: 'all' });
    expect(dry).toMatchObject({ isError: true, structuredContent: { dry: true } });
    expect(textOf(dry)).toMatch(/^No water: rows: /);
    const failed = await call('dig', {});
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toBe("The tool 'dig' failed. Try once more; if it fails again, report it to the server's operator.");
    expect(JSON.stringify(failed)).not.toMatch(/hunter2|secret|garden\.mjs/);
    expect(textOf(await call('forget', {}))).toMatch(/^The tool 'forget' failed\. /);
  });

  it('aborts the signal of a cancelled call', async () => {
    const host = await garden.connect();
    const count = (words: string) => garden.notes().filter((note) => note === words).length;
    const before = count('called off');
    const grown = count('growing');
    const id = host.send('tools/call', { name: 'grow', arguments: {} });
    await vi.waitFor(() => expect(count('growing')).toBe(grown + 1), soon);
    host.cancel(id);
    await vi.waitFor(() => expect(count('called off')).toBe(before + 1), soon);
    expect(await host.call('tend')).toBe('done');
  });

  it('elicits a URL, and receives the outcome', async () => {
    let action = 'accept';
    const host = await garden.connect({ answers: { 'elicitation/create': () => ({ action }) } });
    const answer = await host.ask('invite');
    const [[method, params]] = host.questions as [[string, Json]];
    expect(method).toBe('elicitation/create');
    const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/garden\/welcome\/[\w-]+$/);
    expect(params).toMatchObject({ mode: 'url', message: 'Come by', url });
    const state = `state-${params.url.split('/').at(-1)}`;
    expect(answer).toEqual(route.era === 'modern' ? { back: { outcome: 'accept', state } } : { outcome: 'accept' });
    expect(host.heard('notifications/elicitation/complete')).toEqual([]);
    expect(await (await fetch(params.url)).text()).toBe('<p>Welcome, whoever you are</p>');
    if (route.era === 'legacy') {
      await host.seen((message) => message.method === 'notifications/elicitation/complete');
      expect(host.heard('notifications/elicitation/complete')).toEqual([{ elicitationId: params.elicitationId }]);
    }
    action = 'decline';
    const declined = await host.ask('invite');
    expect(route.era === 'modern' ? declined.back.outcome : declined.outcome).toBe('decline');
  });

  it('reports that a host does not support URL elicitation', async () => {
    const host = await garden.connect({ capabilities: { elicitation: { form: {} } } });
    expect(await host.call('invite')).toBe('nobody can come');
    expect(host.questions).toEqual([]);
  });

  it('serves resources and a template, and notifies subscribers of a change', async () => {
    const host = await garden.connect();
    const read = async (uri: string) => (await host.request('resources/read', { uri })).result.contents[0].text;
    const uris = (await host.request('resources/list')).result.resources.map(({ uri }: Json) => uri);
    expect(uris).toContain('garden://beds');
    expect((await host.request('resources/templates/list')).result.resourceTemplates.map((each: Json) => each.uriTemplate)).toContain(
      'garden://bed/{place}',
    );
    const before = JSON.parse(await read('garden://beds')).beds;
    expect(await read('garden://bed/north')).toBe(`the north bed, ${before}`);
    await host.listen(['garden://beds', 'garden://bed/north']);
    await host.call('tend');
    await host.until(() => host.heard('notifications/resources/updated').length === 2);
    expect(host.heard('notifications/resources/updated').map(({ uri }) => uri)).toEqual(['garden://beds', 'garden://bed/north']);
    expect(await host.ask('get_resource', { uri: 'garden://beds' })).toEqual({ beds: before + 1 });
    expect(await read('garden://bed/north')).toBe(`the north bed, ${before + 1}`);
  });

  it("adds the pack's _meta to our tools, and serves its skills", async () => {
    const host = await garden.connect();
    const tools = await toolsOf(host);
    expect(tools.get('list_skills')._meta).toMatchObject({ 'garden/card': 'skills' });
    expect(tools.get('get_skill')._meta).toMatchObject({ 'garden/card': 'skill' });
    expect(tools.get('get_resource')._meta?.['garden/card']).toBeUndefined();
    expect(await host.call('skill', { name: 'tending' })).toContain('As the pack says.');
  });
});

describe('precedence of names', () => {
  it("puts a pack before the project's folders", async () => {
    const world = createWorld();
    world.skill('project/.agent/skills/tending', { body: 'As the project says.' });
    world.skill('project/.agent/skills/mowing');
    const host = await serve(world, { args: ['--pack', GARDEN] });
    expect(textOf(await host.call('skill', { name: 'tending' }))).toContain('As the pack says.');
    const { skills } = (await host.call('list_skills', {})).structuredContent;
    expect(skills.map(({ name, origin }: Json) => `${name} ${origin}`).sort()).toEqual(['mowing ./.agent/skills', 'tending garden']);
    expect(JSON.stringify(skills)).not.toContain('fixtures');
  });

  it('puts a pack before our own tools, and the first of two packs first', async () => {
    const world = createWorld();
    world.skill('project/.agent/skills/mowing');
    const host = await serve(world, { args: ['--pack', GARDEN, '--pack', THIEF] });
    const tools = await toolsOf(host);
    expect(tools.get('plant')).toEqual(PLANT);
    expect(tools.get('skill').description).toBe("The thief's skill.");
    expect(textOf(await host.call('skill', {}))).toBe("the thief's skill");
    // The error of another copy of Footbridge is ours as well.
    const refused = await host.call('climb', {});
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('The gate is locked.')]);
    expect((await host.call('get_resource', { uri: 'thief://loot' })).structuredContent).toMatchObject({
      error: 'Unauthorized',
      message: 'The gate is locked.',
    });
    expect(tools.get('get_skill')._meta).toEqual({ 'anthropic/maxResultSizeChars': 500_000, 'garden/card': 'skill' });
    expect(tools.get('get_resource')._meta).toEqual({ 'anthropic/maxResultSizeChars': 500_000, 'thief/card': 'resource' });
    expect((await host.request('resources/read', { uri: 'garden://beds' })).result.contents[0].text).toBe('{"beds":0}');
  });

  it('leaves our tools unchanged without a pack', async () => {
    const world = createWorld();
    world.skill('project/.agent/skills/mowing');
    for (const tool of (await toolsOf(await serve(world))).values())
      expect(Object.keys(tool._meta).every((key) => key.startsWith('anthropic/'))).toBe(true);
  });
});

describe('over stdio', () => {
  it('logs an unexpected error of a tool', async () => {
    const host = await serve(createWorld(), { args: ['--pack', GARDEN] });
    await host.call('dig', {});
    await host.waitFor(() => host.stderr.includes('tool dig: password hunter2'));
    expect(host.lines.join()).not.toContain('hunter2');
  });

  it('serves the open routes on loopback until they are released', async () => {
    const host = await serve(createWorld(), { args: ['--pack', GARDEN] });
    const hold = async (name: string) => textOf(await host.call(name, {}));
    const first = await hold('hold');
    const status = (url: string, headers = '') =>
      exchange(url, { pieces: [`GET ${new URL(url).pathname} HTTP/1.1\r\n${headers || `Host: ${new URL(url).host}\r\n`}\r\n`] }).then(
        (answer) => answer.status,
      );
    expect(await status(`${first}/garden/welcome/key`)).toBe(200);
    // A connection that stayed would outlive who holds it.
    expect((await fetch(`${first}/garden/welcome/key`)).headers.get('connection')).toBe('close');
    expect(await status(`${first}/garden/me`)).toBe(404);
    // It is of no use without MCP beside it.
    expect(await status(`${first}/garden/place`)).toBe(404);
    expect(await status(`${first}/mcp`)).toBe(404);
    expect(await status(`${first}/garden/fault`)).toBe(500);
    expect(await status(`${first}/garden/welcome/key`, 'Host: example.org\r\n')).toBe(403);
    const { host: own } = new URL(first);
    expect(await status(`${first}/garden/welcome/key`, `Host: ${own}\r\nOrigin: https://example.org\r\n`)).toBe(403);
    const dots = await exchange(first, { pieces: [`GET /garden/welcome/.. HTTP/1.1\r\nHost: ${own}\r\n\r\n`] });
    expect(dots.status).toBe(404);
    const long = await fetch(`${first}/garden/letters`, { ...letter, body: JSON.stringify('x'.repeat(70_000)) });
    expect(long.status).toBe(413);
    expect(await (await fetch(`${first}/garden/letters`, { ...letter, body: '{"dear":"bee"}' })).json()).toEqual({ got: { dear: 'bee' } });

    // Who comes while it closes gets one that stays.
    const second = await hold('reopen');
    expect(await status(`${second}/garden/welcome/key`)).toBe(200);
    await hold('release');
    await vi.waitFor(() => expect(status(`${second}/garden/welcome/key`)).resolves.toBe(0), soon);
    expect(await status(`${first}/garden/welcome/key`)).toBe(0);
    expect(host.lines.join()).not.toContain('hunter2');
  });
});

const letter = { method: 'POST', headers: { 'content-type': 'application/json' } };

describe('shutdown', () => {
  it('waits for packs when stdin ends', async () => {
    const world = createWorld();
    const host = await serve(world, { args: ['--pack', GARDEN] });
    expect(await host.close()).toBe(0);
    expect(notesIn(world.project)).toEqual(['opened', 'closing', 'closed']);
  });

  it('waits for packs on SIGTERM', async () => {
    const world = createWorld();
    const host = await serve(world, { args: ['--pack', GARDEN] });
    host.program.stop('SIGTERM');
    expect(await host.program.exited).toBe(0);
    const { stop } = await startHttp(world, { args: ['--pack', GARDEN] });
    expect(await stop()).toBe(0);
    expect(notesIn(world.project)).toEqual(['opened', 'closing', 'closed', 'opened', 'closing', 'closed']);
  });

  it('closes the other packs if one fails', async () => {
    const world = createWorld();
    world.write('project/sulking.mjs', "export default { name: 'sulking', open: () => ({ async close() { throw new Error('no'); } }) };");
    const { code, stderr } = await runProgram(world, 'list', '--pack', './sulking.mjs', '--pack', GARDEN);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "footbridge error: The pack 'sulking' failed to close: no\n" });
    expect(notesIn(world.project)).toEqual(['opened', 'closing', 'closed']);
  });
});

describe('every command', () => {
  it.each([
    [['list'], 'tending'],
    [['show', 'tending'], 'garden'],
    [['read', 'skill://tending/SKILL.md'], 'As the pack says.'],
    [['read', 'garden://bed/north'], 'the north bed, 0'],
    [['search', 'garden'], 'tending'],
    [['lint'], '1 skill'],
    [['surface'], 'plant'],
  ])('%j supports packs', async (args, text) => {
    const world = createWorld();
    const { code, stderr, stdout } = await runProgram(world, ...args, '--pack', GARDEN);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(text);
    expect(notesIn(world.project)).toEqual(['opened', 'closing', 'closed']);
  });

  it('includes packs in the surface', async () => {
    const { stdout } = await run(createWorld(), 'surface', '--json', '--pack', GARDEN);
    const { tools, resources, resourceTemplates } = JSON.parse(stdout);
    expect(tools.find(({ name }: Json) => name === 'plant')).toEqual(PLANT);
    expect(JSON.stringify([resources, resourceTemplates])).toMatch(/garden:\/\/beds.*garden:\/\/bed\/\{place\}/);
  });

  it.each([[[]], [['serve']], [['wrap']], [['list']], [['surface']]])('shows the option in the help of %j', async (args) => {
    expect((await run(createWorld(), ...args, '--help')).stdout).toContain('--pack <name>');
  });
});

describe('packs in footbridge.json', () => {
  it('have options, and are resolved relative to the file', async () => {
    const world = createWorld();
    world.write('outside/packs/near.mjs', `export { default } from ${JSON.stringify(pathToFileURL(GREETER).href)};`);
    world.write('outside/packs/other.json', JSON.stringify({ packs: [['./near.mjs', { greeting: { word: '${WORD:-hello}' } }]] }));
    const read = (...args: string[]) => runProgram(world, 'read', 'greeter://words', '--config', '../outside/packs/other.json', ...args);
    expect(await read()).toEqual({ code: 0, stdout: 'hello hello', stderr: '' });
    // Who is named again is the same, with the options of the file.
    expect(await read('--pack', '../outside/packs/near.mjs')).toEqual({ code: 0, stdout: 'hello hello', stderr: '' });
  });

  it('are found where packages are installed', async () => {
    const world = createWorld();
    const pack = "export default { name: 'installed', open: () => ({}) };";
    const manifest = (exports: Json) => JSON.stringify({ name: 'installed', version: '1.0.0', type: 'module', exports });
    world.write('project/node_modules/@some/installed/index.js', pack);
    world.write('project/node_modules/@some/installed/package.json', manifest({ '.': { default: './index.js' } }));
    expect(await runProgram(world, 'list', '--pack', '@some/installed')).toMatchObject({ code: 0 });
    world.write('project/node_modules/@some/installed/package.json', manifest({ '.': { import: './index.js' } }));
    expect(await runProgram(world, 'list', '--pack', '@some/installed')).toMatchObject({
      code: 1,
      stderr:
        'footbridge error: \'@some/installed\' is installed, but cannot be loaded: the exports of its package.json need a "default".\n',
    });
  });
});

describe('a pack with a mistake is reported, and nothing is served', () => {
  const near = 'project/pack.mjs';
  it.each<[string, { pack?: string; packs?: Json; module?: string; says: string | RegExp }]>([
    ['not installed', { pack: '@no/such', says: "Pack '@no/such' is not installed. Install it next to footbridge: npm install @no/such" }],
    ['a module of Node', { pack: 'fs', says: "Invalid pack name 'fs'." }],
    ['no name of a package', { pack: 'a$(b) c', says: "Invalid pack name 'a$(b) c'." }],
    ['nothing at home', { pack: '~/nowhere.mjs', says: /Pack '~\/nowhere\.mjs' cannot be loaded: Cannot find module/ }],
    ['no such file', { pack: './nowhere.mjs', says: /Pack '\.\/nowhere\.mjs' cannot be loaded: Cannot find module/ }],
    ['no pack', { module: 'export default {};', says: "'./pack.mjs' is not a pack: its default export must come from definePack()." }],
    ['nothing', { module: 'export const pack = 1;', says: "'./pack.mjs' is not a pack" }],
    [
      'throws while loading',
      { module: "throw new Error('out of order');", says: "Pack './pack.mjs' cannot be loaded: pack.mjs:1: out of order" },
    ],
    ['syntax', { module: 'const a = 1;\nexport default { b: 2 c };', says: "Pack './pack.mjs' cannot be loaded: pack.mjs:2: Unexpected" }],
    [
      'cannot start',
      {
        module: "export default { name: 'late', open() { throw new Error('no key'); } };",
        says: "The pack 'late' failed to start: no key",
      },
    ],
    [
      'a wrong resource',
      {
        module: "export default { name: 'odd', open: () => ({ resources: [{ uri: 'x', name: 'x', read() {} }] }) };",
        says: "The pack 'odd' failed to start: ",
      },
    ],
    ['options missing', { pack: GREETER, says: /Invalid options of pack '.*greeter\.mjs': greeting: .*expected object/ }],
    [
      'a wrong option',
      { packs: [[GREETER, { greeting: { word: 7 } }]], says: /Invalid options of pack .*: greeting\.word: .*expected string/ },
    ],
    ['an unknown option', { packs: [[GREETER, { greeting: { word: 'a' }, tone: 'low' }]], says: /Invalid options of pack .*tone/ }],
    ['options for none', { packs: [[THIEF, { tone: 'low' }]], says: /Pack '.*thief\.mjs' takes no options\. Remove 'tone'\./ }],
    ['named twice', { packs: [THIEF, [THIEF, {}]], says: 'packs: Duplicate pack.' }],
    ['an empty name', { pack: '', says: 'The name is empty; is a variable unset?' }],
    ['an empty name in the file', { packs: [''], says: 'packs[0]: This is empty; is a variable unset?' }],
    ['no list', { packs: 'x', says: 'packs: Expected a list' }],
    ['no options', { packs: [['x']], says: 'packs[0]: Expected a name, or [name, { options }].' }],
  ])('%s', async (_name, { module, pack = module === undefined ? undefined : './pack.mjs', packs, says }) => {
    const world = createWorld();
    if (module !== undefined) world.write(near, module);
    if (packs !== undefined) world.write('project/footbridge.json', JSON.stringify({ packs }));
    const { code, stderr, stdout } = await runProgram(world, ...(pack === undefined ? [] : ['--pack', pack]));
    expect(stderr).toMatch(says instanceof RegExp ? says : new RegExp(says.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
    expect(stderr).not.toMatch(/^ +at /m);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it('closes the packs that were open', async () => {
    const world = createWorld();
    world.write(near, "export default { name: 'late', open() { throw new Error('no key'); } };");
    expect((await runProgram(world, 'serve', '--pack', GARDEN, '--pack', './pack.mjs')).code).toBe(1);
    expect(notesIn(world.project)).toEqual(['opened', 'closing', 'closed']);
  });
});
