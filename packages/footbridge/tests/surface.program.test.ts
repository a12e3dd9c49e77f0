/** `footbridge surface` prints what a server offers, and what changed. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ENTRY, environment } from './support/client.js';
import { type Outcome, runWith } from './support/command.js';
import { createWorld, type World } from './support/folders.js';
import { runProgramWith } from './support/program.js';
import { soon } from './support/to-order.js';

function surface(world: World, ...args: string[]): Promise<Outcome> {
  return runWith(world, {}, 'surface', ...args);
}

/** As a process, whose working folder, variables and stderr are those of the server that it starts. */
function surfaceProcess(world: World, ...args: string[]): Promise<Outcome> {
  return runProgramWith(world, { MARK: 'inherited' }, 'surface', ...args);
}

const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name);
const V1 = fixture('server-v1.mjs');
const V2 = fixture('server-v2.mjs');
const wayward = (...args: string[]) => ['--', process.execPath, fixture('server-wayward.mjs'), ...args];

type Offer = Readonly<Record<'tools' | 'resources' | 'resourceTemplates' | 'prompts', readonly object[]>>;

const ADD = {
  name: 'add',
  title: 'Add',
  description: 'Adds two numbers',
  inputSchema: { type: 'object', properties: { b: { type: 'number' }, a: { type: 'number' } }, required: ['a'] },
  outputSchema: { type: 'object', properties: { sum: { type: 'number' } } },
  annotations: { readOnlyHint: true, unknownHint: 1 },
  icons: [{ src: 'https://example.org/add.png', mimeType: 'image/png', sizes: ['48x48'] }],
  _meta: { 'example.org/cost': { z: 1, a: [3, 1, 2] } },
  unknownField: { deep: { y: null, x: true } },
};
const OFFER: Offer = {
  tools: [
    ADD,
    ...['subtract', 'Zed', 'ärger', 'multiply'].map((name) => ({ name, description: `To ${name}`, inputSchema: { type: 'object' } })),
  ],
  resources: ['x://three', 'x://one', 'x://two'].map((uri) => ({ uri, name: uri.slice(4), size: 3, unknownField: [{ b: 1, a: 2 }] })),
  resourceTemplates: [{ uriTemplate: 'x://{name}', name: 'any', _meta: { k: 1 } }],
  prompts: [
    { name: 'greet', description: 'Greets', arguments: [{ name: 'who', required: true, unknownField: 1 }, { name: 'how' }] },
    { name: 'bye', icons: [{ src: 'data:,' }] },
    { name: 'again' },
  ],
};

/** A command that serves an offer. */
function serving(world: World, offer: Partial<Offer>, server = V2, ...more: string[]): string[] {
  const file = world.write(`outside/offer-${Math.random()}.json`, JSON.stringify(offer));
  return ['--', process.execPath, server, file, ...more];
}

/** Saves what a server offers; returns the options that compare with it. */
async function saved(world: World, offer: Partial<Offer>): Promise<string[]> {
  const { stdout } = await surface(world, '--json', ...serving(world, offer));
  return ['--against', world.write('project/saved.json', stdout)];
}

/** A web server for the length of a test; resolves with its URL. */
async function listening(answer: RequestListener): Promise<string> {
  const web = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void web.close().closeAllConnections());
  await once(web, 'listening');
  const address = web.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`;
}

describe('surface', () => {
  it.each([
    ['v2', V2, []],
    ['v2, modern only', V2, ['modern']],
    ['v1', V1, []],
  ])('prints each page and every field, sorted, of a server on %s', async (_name, server, more) => {
    const world = createWorld();
    const { code, stdout, stderr } = await surface(world, '--json', ...serving(world, OFFER, server, ...more));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const read = JSON.parse(stdout);
    expect(Object.keys(read)).toEqual(['tools', 'resources', 'resourceTemplates', 'prompts']);
    expect(read.tools.map((tool: { name: string }) => tool.name)).toEqual(['Zed', 'add', 'multiply', 'subtract', 'ärger']);
    expect(read.resources.map((resource: { uri: string }) => resource.uri)).toEqual(['x://one', 'x://three', 'x://two']);
    expect(read.tools[1]).toEqual(ADD);
    expect(JSON.stringify(read.tools[1]._meta)).toBe('{"example.org/cost":{"a":[3,1,2],"z":1}}');
    expect(Object.keys(read.tools[1])).toEqual(Object.keys(ADD).sort());
    for (const name of ['resources', 'resourceTemplates', 'prompts'] as const)
      expect(new Set(read[name]), name).toEqual(new Set(OFFER[name]));
  });

  it('prints the same text in each run, whatever the order of lists and fields', async () => {
    const world = createWorld();
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, inner]) => [key, turned(inner)]),
      );
    };
    const other = Object.fromEntries(Object.entries(OFFER).map(([name, list]) => [name, list.map(turned).reverse()]));
    const [first, second, third] = await Promise.all(
      [OFFER, OFFER, other].map(async (offer) => (await surface(world, '--json', ...serving(world, offer))).stdout),
    );
    expect(first).toContain('"unknownField"');
    expect(second).toBe(first);
    expect(third).toBe(first);
  });

  it('prints an empty list for what a server does not support', async () => {
    const world = createWorld();
    const { stdout, code } = await surface(world, '--json', ...serving(world, { resources: OFFER.resources }, V1));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ tools: [], resources: [{}, {}, {}], resourceTemplates: [], prompts: [] });
  });

  it('keeps all entries with the same key', async () => {
    const world = createWorld();
    const twice = { resources: [1, 2].map((size) => ({ uri: 'x://same', name: 'same', size })) };
    const { resources } = JSON.parse((await surface(world, '--json', ...serving(world, twice))).stdout);
    expect(resources.map((resource: { size: number }) => resource.size)).toEqual([1, 2]);
    const third = { resources: [{ uri: 'x://same', name: 'same', size: 3 }, ...twice.resources] };
    const { stdout, code } = await surface(world, ...(await saved(world, twice)), ...serving(world, third));
    expect({ stdout, code }).toEqual({ stdout: '+ resource x://same\n1 added, 0 removed, 0 changed\n', code: 0 });
  });

  it('prints arguments and counts as text, without control characters', async () => {
    const world = createWorld();
    const tricky = {
      ...OFFER,
      resources: [{ uri: 'x://\u001b[2J', name: 'n', title: `bell \u0007 \u202e turned 日本語 ${'🙂'.repeat(200)}` }],
    };
    const { stdout, code } = await surface(world, ...serving(world, tricky));
    expect(code).toBe(0);
    expect(stdout).toContain('5 tools\n  Zed()  To Zed\n  add(a, b?)  Add\n');
    expect(stdout).toContain('3 prompts\n  again\n  bye\n  greet(who, how?)  Greets\n');
    expect(stdout).toMatch(/\n {2}x:\/\/ \[2J {2}bell turned 日本語 🙂+…\n/u);
    expect(stdout.endsWith('5 tools, 1 resource, 1 resource template, 3 prompts\n')).toBe(true);
    expect([...stdout].filter((character) => /[\p{Cc}\p{Cf}]/u.test(character) && character !== '\n')).toEqual([]);
  });

  it('reads Footbridge itself without a command, with the same result over stdio and HTTP', async () => {
    const world = createWorld();
    world.skill('outside/team/one');
    const options = ['--prompts', '--skills', world.path('outside/team')];
    const own = await surface(world, '--json', ...options);
    expect(JSON.parse(own.stdout)).toMatchObject({ resources: [{ uri: 'skill://one/SKILL.md' }], prompts: [{ name: 'one' }] });
    expect((await surface(world, '--json', '--', process.execPath, ENTRY, ...options)).stdout).toBe(own.stdout);
    const server = spawn(process.execPath, [ENTRY, 'serve', '--http', '0', ...options], {
      cwd: world.project,
      env: environment(world.home),
    });
    onTestFinished(async () => {
      const exit = once(server, 'exit');
      server.kill();
      await exit;
    });
    let banner = '';
    server.stdout.on('data', (chunk: Buffer) => {
      banner += chunk.toString();
    });
    await vi.waitFor(() => expect(banner).toContain('Ctrl-C'), soon);
    const [url = ''] = /http:\S+/.exec(banner) ?? [];
    expect(await surface(world, '--json', url)).toEqual(own);
  });

  it('reads a URL that supports only the modern era', async () => {
    const handler = createMcpHandler(
      () => {
        const server = new McpServer({ name: 'modern', version: '1' });
        server.registerTool('one', { description: 'The only one' }, async () => ({ content: [] }));
        return server;
      },
      { legacy: 'reject' },
    );
    const url = await listening(async (request, response) => {
      const [method = 'POST', headers] = [
        request.method,
        new Headers(Object.entries(request.headers).map(([key, value]) => [key, String(value)])),
      ];
      const body = method === 'POST' ? { body: await text(request) } : {};
      const answer = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, { method, headers, ...body }));
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    });
    const { code, stdout } = await surface(createWorld(), url);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '1 tool\n  one()  The only one\n\n1 tool, 0 resources, 0 resource templates, 0 prompts\n',
    });
  });

  it.runIf(process.platform === 'linux')('uses colours at a terminal', async () => {
    const world = createWorld();
    const output = await new Promise<string>((resolve) => {
      execFile(
        'script',
        ['-qec', `"${process.execPath}" "${ENTRY}" surface`, '/dev/null'],
        { cwd: world.project, env: { ...environment(world.home), TERM: 'xterm-256color' } },
        (_error, stdout) => resolve(stdout),
      );
    });
    expect(output).toContain('\u001b[36mlist_skills\u001b[39m(cursor?, query?)');
  });

  it('passes the command its arguments and working folder unchanged, and only the variables that --env names', async () => {
    const world = createWorld();
    const script = `require('fs').writeFileSync('seen.json', JSON.stringify([process.argv.slice(1), process.env.MARK, process.env.GIVEN]))`;
    const seen = () => JSON.parse(readFileSync(world.path('project/seen.json'), 'utf8'));
    await surfaceProcess(world, '--json', '--', process.execPath, '-e', script, '--', '--json', '--skills', 'a b', '--', '"');
    expect(seen()).toEqual([['--json', '--skills', 'a b', '--', '"'], null, null]);
    await surfaceProcess(world, '--env', 'MARK', '--env', 'GIVEN=yes', '--', process.execPath, '-e', script);
    expect(seen()).toEqual([[], 'inherited', 'yes']);
    expect(await surfaceProcess(world, '--env', 'UNSET_HERE', '--', process.execPath, '-e', script)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('UNSET_HERE'),
    });
  });
});

describe('surface --against', () => {
  it('reports when nothing differs', async () => {
    const world = createWorld();
    const { stdout, code } = await surface(world, ...(await saved(world, OFFER)), '--exact', ...serving(world, OFFER, V1));
    expect({ stdout, code }).toEqual({
      stdout: 'No differences: 5 tools, 3 resources, 1 resource template, 3 prompts\n',
      code: 0,
    });
  });

  it('accepts additions, unless --exact is given', async () => {
    const world = createWorld();
    const more = { ...OFFER, tools: [...OFFER.tools, { name: 'get_resource', inputSchema: { type: 'object' } }] };
    const against = await saved(world, OFFER);
    const lenient = await surface(world, ...against, ...serving(world, more));
    expect(lenient).toEqual({ code: 0, stdout: '+ tool get_resource\n1 added, 0 removed, 0 changed\n', stderr: '' });
    expect(await surface(world, ...against, '--exact', ...serving(world, more))).toEqual({ ...lenient, code: 1 });
  });

  it('fails on removals', async () => {
    const world = createWorld();
    const less = { ...OFFER, resources: OFFER.resources.slice(1), resourceTemplates: [] };
    const { stdout, code } = await surface(world, ...(await saved(world, OFFER)), ...serving(world, less));
    expect(code).toBe(1);
    expect(stdout).toBe('- resource x://three\n- resource template x://{name}\n0 added, 2 removed, 0 changed\n');
  });

  const long = (word: string) => `${'The same beginning. '.repeat(20)}${word}${' The same end.'.repeat(20)}`;
  const BEFORE = { tools: [{ ...ADD, description: long('fast') }] };
  const AFTER = {
    tools: [
      {
        ...ADD,
        description: long('slow'),
        title: 'Add\u200b',
        inputSchema: { ...ADD.inputSchema, properties: { b: { type: 'number' }, a: { type: 'string' } }, required: ['a', 'b'] },
        _meta: {},
        unknownField: [],
      },
    ],
  };

  it('fails on changes and shows each place with both values', async () => {
    const world = createWorld();
    const { stdout, code } = await surface(world, ...(await saved(world, BEFORE)), ...serving(world, AFTER));
    expect(code).toBe(1);
    const lines = stdout.split('\n');
    expect(lines[0]).toBe('~ tool add');
    expect(lines).toContain('    inputSchema.properties.a.type: "number" → "string"');
    expect(lines).toContain('    inputSchema.required[1]: (none) → "b"');
    expect(lines).toContain('    _meta["example.org/cost"]: {"a":[3,1,2],"z":1} → (none)');
    expect(lines).toContain('    title: "Add" → "Add\\u{200b}"');
    expect(lines).toContain('    unknownField: {"deep":{"x":true,"y":null}} → []');
    expect(stdout).toMatch(/\n {4}description: ….{0,30}fast.{0,60}… → ….{0,30}slow.{0,60}…\n/);
    expect(lines.at(-2)).toBe('0 added, 0 removed, 1 changed');
  });

  it('is JSON for scripts, with whole values', async () => {
    const world = createWorld();
    const { stdout, code } = await surface(world, '--json', ...(await saved(world, { ...OFFER, ...BEFORE })), ...serving(world, AFTER));
    expect(code).toBe(1);
    const { added, removed, changed } = JSON.parse(stdout);
    expect(added).toEqual([]);
    expect(removed).toContainEqual({ kind: 'resource template', key: 'x://{name}' });
    expect(changed).toMatchObject([{ kind: 'tool', key: 'add' }]);
    expect(changed[0].differences).toContainEqual({ path: 'description', before: long('fast'), after: long('slow') });
    expect(changed[0].differences).toContainEqual({ path: 'inputSchema.required[1]', after: 'b' });
  });

  it('refuses a file that is missing or holds something else', async () => {
    const world = createWorld();
    world.write('project/text.json', 'hello');
    world.write('project/other.json', '{"tools":[],"resources":[{"name":"no uri"}]}');
    for (const [file, words] of [
      ['none.json', 'File not found: none.json'],
      ['.', 'Cannot read . (EISDIR).'],
      ['text.json', 'text.json is not a surface that footbridge surface --json printed: it is not JSON.'],
      ['other.json', 'its "resources" is missing or wrong.'],
    ] as const) {
      const { code, stdout, stderr } = await surface(world, '--against', file);
      expect({ code, stdout }, file).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(words);
      expect(stderr).toContain('footbridge surface --json -- COMMAND > FILE');
    }
    expect(await surface(world, '--exact')).toMatchObject({ code: 2, stderr: expect.stringContaining('--against FILE') });
  });
});

describe('surface of a server that cannot be read', () => {
  it.each([
    ['early', '30', 'wayward early\nThe process exited with code 7.'],
    ['silent', '3', 'Timed out after 3000 ms while starting.'],
    ['garbled', '3', 'wrote a line to stdout that is not a JSON-RPC message: Listening for requests'],
    ['nameless', '30', 'The answer to tools/list is not a list of tools with a name each.'],
    ['endless', '30', 'tools/list never reaches its last page.'],
    ['refusing', '30', 'The server refused tools/list: out of [31morder (-32603).'],
  ])('exits with 2 when it is %s', async (behaviour, seconds, words) => {
    const { code, stdout, stderr } = await surfaceProcess(createWorld(), '--json', '--timeout', seconds, ...wayward(behaviour));
    expect(code).toBe(2);
    expect(`${stderr}${JSON.parse(stdout).error.message}`).toContain(words);
    expect(stderr).toContain(`wayward: wayward ${behaviour}\n`);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each(['chatty', 'undeclared'])('still reads one that is only %s', async (behaviour) => {
    const { code, stdout } = await surface(createWorld(), '--timeout', '30', ...wayward(behaviour));
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '1 tool\n  one()\n\n1 tool, 0 resources, 0 resource templates, 0 prompts\n',
    });
  });

  it('exits with 2 for an unknown command or an unreachable URL', async () => {
    const world = createWorld();
    expect(await surface(world, '--', 'no-such-command-here', '--json')).toMatchObject({
      code: 2,
      stderr:
        'footbridge error: Command not found, or its working folder does not exist.\nCheck its name. The command and its arguments go after --.\n',
    });
    expect(await surface(world, 'http://127.0.0.1:9/mcp')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('refused the connection'),
    });
    expect((await surface(world, 'http://127.0.0.1:9/mcp', 'more')).code).toBe(2);
    expect(await surface(world, '--timeout', 'soon')).toMatchObject({ code: 2, stderr: expect.stringContaining('a number of seconds') });
  });

  it.each([
    [401, 'requires authentication (HTTP 401)'],
    [404, 'has no endpoint at this URL (HTTP 404)'],
    [200, 'answered with a web page instead of MCP'],
    [0, 'Timed out after 1000 ms while starting.'],
  ])('exits with 2 when a URL answers with status %d', async (status, words) => {
    const url = await listening((_request, response) => {
      if (status !== 0) response.writeHead(status, { 'content-type': 'text/html' }).end('<p>');
    });
    const { code, stderr } = await surface(createWorld(), '--timeout', status === 0 ? '1' : '30', url);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });
});

describe.runIf(process.platform !== 'win32')('a server that surface started', () => {
  const running = (pid: number) => {
    try {
      process.kill(pid, 0);
      // One that has ended and is not yet collected by its new parent runs no more.
      return process.platform !== 'linux' || !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
    } catch {
      return false;
    }
  };
  const pids = (file: string): number[] => JSON.parse(readFileSync(file, 'utf8'));

  it('is ended with its whole process tree when it does not answer', async () => {
    const world = createWorld();
    const file = world.path('outside/pids.json');
    const { code, stderr } = await surface(world, '--timeout', '3', ...wayward('stubborn', file));
    expect(code).toBe(2);
    expect(stderr).toContain('Timed out after 3000 ms while starting.');
    await vi.waitFor(() => expect(pids(file).filter(running)).toEqual([]), soon);
  });

  it.each([
    ['SIGINT', 130, 1],
    ['SIGTERM', 143, 1],
    ['SIGINT', 130, 2],
  ] as const)('is ended on %s, exit %d, sent %d times', async (signal, exitCode, times) => {
    const world = createWorld();
    const file = world.path('outside/pids.json');
    const child = spawn(process.execPath, [ENTRY, 'surface', ...wayward('stubborn', file)], {
      cwd: world.project,
      env: environment(world.home),
    });
    while (!existsSync(file) || readFileSync(file, 'utf8') === '') await new Promise((resolve) => setTimeout(resolve, 20));
    const exit = once(child, 'exit');
    child.kill(signal);
    if (times === 2) setTimeout(() => child.kill(signal), 200);
    expect(await exit).toEqual([exitCode, null]);
    await vi.waitFor(() => expect(pids(file).filter(running)).toEqual([]), soon);
  });
});
