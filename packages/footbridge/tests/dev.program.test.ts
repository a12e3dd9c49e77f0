/** `footbridge dev`: what authors of skills see. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as FirstSse } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as FirstStreamable } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { command, environment, type Json } from './support/client.js';
import { run } from './support/command.js';
import { createWorld, type World } from './support/folders.js';
import { post, postModern, until } from './support/http-server.js';

const COMMAND = command();

interface Dev {
  readonly endpoint: string;
  readonly output: () => string;
  readonly stdin: ChildProcess['stdin'];
  /** Tells it to stop; resolves with the exit code. */
  stop(): Promise<unknown>;
  /** Resolves when it has printed this. */
  printed(text: string | RegExp): Promise<void>;
}

async function start(world: World, command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Dev> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd: world.project, env: environment(world.home, env) });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.pipe(process.stderr);
  const ended = once(child, 'close').then(([code]) => code);
  const stop = () => {
    child.kill('SIGINT');
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  const printed = (text: string | RegExp) => until(() => (typeof text === 'string' ? output.includes(text) : text.test(output)));
  await printed(/Ctrl-C|"event":"serving"/);
  return { endpoint: /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(output)?.[0] ?? '', output: () => output, stdin: child.stdin, stop, printed };
}

const dev = (...args: string[]) => [process.execPath, COMMAND, 'dev', ...args];
const eventsIn = (output: string): Json[] =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** Listens on a port of this machine until the test ends; which, unless it is taken. */
async function hold(port: number): Promise<number | undefined> {
  const holder = createServer();
  const isHeld = await new Promise((resolve) => holder.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)));
  if (isHeld !== true) return undefined;
  onTestFinished(() => void holder.close());
  const address = holder.address();
  return typeof address === 'object' ? address?.port : undefined;
}

/** Everything that a terminal would obey, but line ends. */
const steering = (text: string) => text.match(/(?!\n)[\p{Cc}\p{Cf}]/gu) ?? [];

/** Has a skill and calls that would steer a terminal. */
async function beEvil(world: World, endpoint: string) {
  const evil = '\u001b]0;owned\u0007\u009b31m\u202eevil\r\n';
  const name = JSON.stringify(`bad ${evil}`).replaceAll('\u009b', '\\x9b').replaceAll('\u202e', '\\u202e');
  world.write('project/team/bad/SKILL.md', `---\nname: ${name}\ndescription: ${name}\n---\n[x](\u009bgone\u202e.md)\n`);
  const evilArguments = { name: evil, long: 'y'.repeat(5000) };
  await post(endpoint, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'skill', arguments: evilArguments } });
  await post(endpoint, { jsonrpc: '2.0', id: 1, method: `${evil}/list`, params: { evil } });
  return { evilArguments };
}

describe('calls', () => {
  it('reports what is wrong in several lines of a file once, with the lines', async () => {
    const world = createWorld();
    await run(world, 'init', 'hello');
    const { output } = await start(world, dev(), { COLUMNS: '200' });
    expect(output().match(/This sentence is from the template/g)).toHaveLength(1);
    expect(output()).toMatch(/SKILL\.md:3, 8, 12, 13, 17, 18, 19, 23 /);
  });

  it('are each shown once with client, arguments, outcome and figures, on every transport', async () => {
    const world = createWorld();
    world.skill('project/team/git', { description: 'Commits' });
    world.skill('project/.agents/skills/elsewhere');
    const { endpoint, output, printed, stop } = await start(world, dev('./team', '--http', '0', '--json'));
    const expected: object[] = [];
    const expectCall = (client: string | undefined, name: string, more: object = {}) =>
      expected.push({ ...(client === undefined ? {} : { client }), name, ok: true, ...more });

    const first = new FirstClient({ name: 'first', version: '1' });
    await first.connect(new FirstStreamable(new URL(endpoint)) as Parameters<typeof first.connect>[0]);
    expectCall('first', 'initialize');
    const loaded: Json = await first.callTool({ name: 'skill', arguments: { name: 'git' } });
    expectCall('first', 'skill', { arguments: { name: 'git' }, tokens: Math.ceil(loaded.content[0].text.length / 4) });
    expect(((await first.callTool({ name: 'list_skills', arguments: {} })) as Json).content[0].text).not.toContain('elsewhere');
    expectCall('first', 'list_skills', { arguments: {} });
    await first.listResources();
    expectCall('first', 'resources/list');

    const stream = new FirstClient({ name: 'streams', version: '1' });
    await stream.connect(new FirstSse(new URL('/sse', endpoint)) as Parameters<typeof stream.connect>[0]);
    expectCall('streams', 'initialize');
    await stream.readResource({ uri: 'skill://git/SKILL.md' });
    expectCall('streams', 'resources/read', { arguments: { uri: 'skill://git/SKILL.md' } });

    const second = new Client({ name: 'second', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await second.connect(new StreamableHTTPClientTransport(new URL(endpoint)));
    expectCall('second', 'server/discover');
    await second.listTools();
    expectCall('second', 'tools/list');
    await second.callTool({ name: 'get_skill', arguments: { uri: 'skill://nowhere/SKILL.md' } });
    const unknown = expect.stringContaining('skill://nowhere/SKILL.md');
    expectCall('second', 'get_skill', { arguments: { uri: 'skill://nowhere/SKILL.md' }, ok: false, error: unknown });

    // What is answered directly, and what goes through the SDK, as bytes on the wire.
    for (const [method, params] of [
      ['tools/call', { name: 'skill', arguments: { name: 'git' } }],
      ['resources/templates/list', {}],
    ] as const) {
      const { text, message } = await postModern(endpoint, method, params);
      const tool = method === 'tools/call';
      const bytes = Buffer.byteLength(text.startsWith('{') ? text : JSON.stringify(message));
      expectCall('test', tool ? 'skill' : method, { ...(tool ? { arguments: params.arguments } : {}), bytes });
    }
    const bare = await post(endpoint, { jsonrpc: '2.0', id: 7, method: 'resources/read', params: { uri: 'skill://gone/SKILL.md' } });
    expectCall(undefined, 'resources/read', {
      arguments: { uri: 'skill://gone/SKILL.md' },
      ok: false,
      error: bare.message.error.message.split('\n')[0],
      bytes: Buffer.byteLength(bare.text),
    });

    const { evilArguments } = await beEvil(world, endpoint);
    expectCall(undefined, 'skill', { arguments: evilArguments, ok: false });
    expectCall(undefined, expect.stringContaining('evil'), { ok: false });
    await printed('"added"');
    await Promise.all([first.close(), stream.close(), second.close()]);
    expect(await stop()).toBe(0);
    expect(steering(output())).toEqual([]);
    expect(output()).toContain('owned');
    const events = eventsIn(output());
    expect(events[0]).toMatchObject({
      event: 'serving',
      url: endpoint,
      folder: './team',
      skills: [{ name: 'git', problems: [] }],
      problems: [],
    });
    const calls = events.filter(({ event }) => event === 'call');
    const order = ({ client = '' }: Json) => ['first', 'streams', 'second', 'test', ''].indexOf(client);
    expect(calls.toSorted((one, other) => order(one) - order(other))).toEqual(expected.map((call) => expect.objectContaining(call)));
    for (const call of calls) {
      expect(call).toMatchObject({ milliseconds: expect.any(Number), time: expect.stringMatching(/^\d{4}-.*Z$/) });
      expect(call.bytes).toBeGreaterThan(30);
    }
    const sum = (key: string) => calls.reduce((total, call) => total + call[key], 0);
    expect(events.at(-1)).toMatchObject({ event: 'stopped', calls: calls.length, tokens: sum('tokens') });
    expect(events.at(-1).by).toContainEqual(expect.objectContaining({ name: 'skill', calls: 3 }));
  });
});

describe('changes', () => {
  it('of SKILL.md and supporting files are shown with costs and problems, without control characters', async () => {
    const world = createWorld();
    world.skill('project/team/git', { description: 'Use when git is used', body: 'See [more](more.md).\n' });
    // If the default port is in use, it is the next free one.
    const usual = await hold(3333);
    const { endpoint, output, printed, stop } = await start(world, dev('team'));
    expect(Number(new URL(endpoint).port)).toBeGreaterThan(usual === undefined ? 3332 : 3333);
    expect(output()).toContain(`claude mcp add --transport http footbridge-dev ${endpoint}\n`);
    expect(output()).toContain(`{ "mcpServers": { "footbridge-dev": { "type": "http", "url": "${endpoint}" } } }\n`);
    expect(output()).toMatch(
      /^git {2}≈\d+ tokens, and ≈\d+ in every conversation\n {2}warning {2}team\/git\/SKILL\.md:6 {2}File "more\.md" not found in the skill\./m,
    );

    world.write('project/team/git/more.md', 'More.');
    await printed(/reloaded git {2}≈\d+ tokens.*\n$/);
    world.write('project/team/git/deep/er.md', 'one');
    await printed(/(?:reloaded git.*){2}/s);
    world.write('project/team/git/deep/er.md', 'two');
    await printed(/(?:reloaded git.*){3}/s);

    world.write('project/team/git/SKILL.md', '---\nname: git\ndescription: [\n---\n');
    await printed(/gone git {2}no longer served\n.*error {2}team\/git\/SKILL\.md:\d+ .*\n.*\S\n/);
    world.skill('project/team/git', { description: 'Mended', body: 'x'.repeat(4000) });
    await printed(/added git {2}≈1,0\d\d tokens/);
    const { message } = await postModern(endpoint, 'tools/call', { name: 'skill', arguments: { name: 'git' } });
    expect(message.result.content[0].text).toContain('xxxx');

    world.skill('project/team/other');
    await printed('added other');
    world.remove('project/team/other');
    await printed('gone other');
    await printed(/test {2}skill \{"name":"git"\} {2}ok {2}\d+ ms {2}[\d,]+ bytes {2}≈1,\d\d\d tokens\n/);
    await beEvil(world, endpoint);
    await printed('added bad');
    expect(await stop()).toBe(0);
    expect(output()).toMatch(/\n3 calls, ≈1,\d{3} tokens\n {2}skill +2 calls {2}≈1,\d{3} tokens\n/);
    expect(steering(output())).toEqual([]);
    expect(output()).toContain('owned');
    for (const line of output().split('\n')) expect(line.length).toBeLessThan(700);
  });
});

describe('the command', () => {
  it.runIf(process.platform === 'linux')('has colours and fits the columns of a terminal, and ends cleanly with Ctrl-C', async () => {
    const world = createWorld();
    world.skill('project/git');
    const shell = ['script', '-qec', `stty cols 100; "${process.execPath}" "${COMMAND}" dev git --http 0`, '/dev/null'];
    const { endpoint, output, printed, stdin } = await start(world, shell, { TERM: 'xterm-256color' });
    await postModern(endpoint, 'tools/call', { name: 'list_skills', arguments: { query: 'word '.repeat(50) } });
    await printed('tokens\u001b[22m\r\n');
    const bare = output()
      .replaceAll('\u001b', '')
      .replace(/\[\d+m/g, '')
      .split('\r\n');
    const line = bare.find((each) => each.includes('list_skills {'));
    expect(line).toMatch(/^\d\d:\d\d:\d\d {2}test {2}list_skills \{"query":"word.*… {2}ok {2}\d+ ms/);
    expect(line?.length).toBeLessThanOrEqual(100);
    stdin?.write('\u0003');
    await printed('1 call, ≈');
  });

  it('rejects invalid input', async () => {
    const world = createWorld();
    world.write('project/file', '');
    expect((await run(world, 'dev', 'no\u001b[31mwhere')).stderr).toContain(
      'Folder no [31mwhere not found.\nCreate a skill with: footbridge init NAME',
    );
    expect((await run(world, 'dev')).stderr).toContain(
      'This project has no skill folder (./.agent/skills, ./.agents/skills, ./.claude/skills).',
    );
    expect((await run(world, 'dev', 'file')).stderr).toContain('file is not a folder.');
    expect((await run(world, 'dev', '.', '--http', '0.0.0.0:0')).stderr).toContain('on this machine only');
    const taken = await hold(0);
    const { code, stderr } = await run(world, 'dev', '.', '--http', String(taken));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`Port ${taken} is already in use.`) });
    expect((await run(world, 'dev', '.', '--skills', 'x')).stderr).toContain('dev serves only DIR: remove --skills');
  });
});
