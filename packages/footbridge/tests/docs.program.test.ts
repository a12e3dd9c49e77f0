/** Every code block in the documentation is run, and does what the page shows. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { ENTRY, environment, type RawClient } from './support/client.js';
import { run } from './support/command.js';
import { type Block, brokenLinks, type Exchange, PAGES, readPage, repository, textOfDocument } from './support/documents.js';
import { createWorld, type World } from './support/folders.js';
import { startHttp as startServing } from './support/http-server.js';
import {
  type Answer,
  compilePrograms,
  freePort,
  type Peer,
  programOf,
  runScript,
  startHttp,
  startStdio,
  workshop,
} from './support/programs.js';
import { serve, textOf } from './support/server.js';
import { useSources } from './support/start.js';

useSources();

/** Their calls are to the command itself, with the example skills. */
const OF_THE_COMMAND = ['README.md', 'docs/tools.md'];

const pages = PAGES.map((file) => readPage(file, OF_THE_COMMAND.includes(file) ? [ENTRY, '--skills', 'examples/skills'] : undefined));

let typeErrors = '';
beforeAll(() => {
  typeErrors = compilePrograms(pages);
}, 60_000);
afterAll(() => rmSync(workshop, { recursive: true, force: true, maxRetries: 3 }));

it('the programs in the documents type-check', () => expect(typeErrors).toBe(''));

describe.each(pages)('$file', ({ file, scenes, consoles, shells, configurations, settings, workflows }) => {
  it('begins with a heading', () => expect(textOfDocument(file)).toMatch(/^# \S/));

  it.each(scenes)('runs the program in line $line, and gets the documented answers', async (scene) => {
    const { home } = createWorld();
    const code = scene.code?.code ?? '';
    const program = isPack(code) ? [ENTRY, '--pack', ...programOf(file, scene)] : programOf(file, scene);
    if (scene.code !== undefined && !isPack(code) && !isStdioServer(code) && !isHttpServer(code)) {
      expect(scene.exchanges, 'a program that ends answers no calls').toEqual([]);
      expect(await runScript(program, home)).toBe(scene.output?.code ?? '');
      return;
    }
    expect(scene.output, 'a server prints nothing').toBeUndefined();
    const peer = isHttpServer(code) ? await startHttp(program, home) : await startStdio(program, home);
    expect((await peer.request('tools/list', {})).result.tools.length).toBeGreaterThan(0);
    for (const exchange of scene.exchanges) await expectAnswer(file, peer, exchange);
  });

  it.each(consoles)('prints the output shown in line $line', ({ code }) => {
    const [line = ''] = code.split('\n');
    const command = line.replace(/^\$ /, '').replaceAll('npx footbridge', `"${process.execPath}" "${ENTRY}"`);
    const output = execFileSync('bash', ['-c', command], { cwd: repository, env: environment(createWorld().home), encoding: 'utf8' });
    expect(output).toBe(code.slice(line.length + 1));
  });

  it.each(shells)('names existing commands in line $line', async ({ code }) => {
    execFileSync('bash', ['-n', '-c', code]);
    for (const line of code.trim().split('\n')) await expectCommand(line);
  });

  it.each(workflows)('shows a workflow with existing commands in line $line', async ({ code }) => {
    expect(parseYaml(code)).toBeTruthy();
    for (const [, command = ''] of code.matchAll(/run: (npx -y footbridge [^>\n]*)/g)) await expectCommand(command.trim());
  });

  it.each(configurations)('shows a valid configuration in line $line', (block) => {
    expect(JSON.stringify(parseConfiguration(block))).toMatch(
      /"npx".*"-y",(?:"--package=[^"]+",)*"footbridge"|"url":"https:\/\/mcp\.example\.org\/mcp"/,
    );
  });

  it.each(settings)('shows a footbridge.json that behaves as documented in line $line', async ({ file: { code }, refusal }) => {
    const world = createWorld();
    world.write('project/footbridge.json', code);
    mkdirSync(world.path('project/team-skills'));
    for (const pack of scenes.map((scene) => scene.code?.code ?? '').filter(isPack)) world.write(`project/${namedIn(pack)}`, pack);
    symlinkSync(join(repository, 'node_modules'), world.path('project/node_modules'), 'junction');
    const { stdout } = await run(world, 'trust', '--yes');
    if (stdout.includes('Trusted until')) expect(textOfDocument(file)).toContain('footbridge trust');
    if (code.includes('"locked": true')) expect(await run(world, 'lock')).toMatchObject({ code: 0 });
    expect(await run(world, 'list')).toMatchObject({
      code: refusal === undefined ? 0 : 1,
      stderr: refusal?.code ?? '',
    });
    if (refusal === undefined && code.includes('"http"')) await expectServed(world);
  });
});

/** The configuration of the working folder serves over HTTP. */
async function expectServed(world: World): Promise<void> {
  const { origin } = await startServing(world, { address: `127.0.0.1:${await freePort()}` });
  expect((await fetch(`${origin}/healthz`)).status).toBe(200);
}

/** The file that a program says it is in its first line. */
function namedIn(code: string): string {
  return /^\/\/ (\S+)\n/.exec(code)?.[1] ?? '';
}

function isStdioServer(code: string): boolean {
  return /\b(?:serveStdio|StdioServerTransport)\(/.test(code);
}

function isPack(code: string): boolean {
  return /\bdefinePack\(/.test(code);
}

function isHttpServer(code: string): boolean {
  return /\bport: \d/.test(code);
}

/** A text is held against the text of the answer, JSON against its structure, or all of it where it shows `content`. */
async function expectAnswer(file: string, peer: Peer, { line, method, params, answer }: Exchange): Promise<void> {
  const where = `${file}:${line}`;
  const { result, error } = await peer.request(method, params);
  const shown = answer.language === 'json' ? JSON.parse(answer.code) : undefined;
  if (shown === undefined) {
    const text = textOf(result).replaceAll(repository, '/home/you/footbridge').trimEnd();
    const beginning = answer.code.replace(/\n…\n$/, '\n');
    if (beginning === answer.code) expect(`${text}\n`, where).toBe(answer.code);
    else expect(text.slice(0, beginning.length), where).toBe(beginning);
  } else if (method !== 'tools/call') expect(result ?? { error }, where).toEqual(shown);
  else if ('content' in shown) expect(undated(result), where).toEqual(undated(shown));
  else expect(undated(result.structuredContent), where).toEqual(undated(shown));
  if (result?.structuredContent?.success === false) expect(result.isError, where).toBe(true);
}

/** Without the times, which are never the same. */
function undated(value: unknown): Answer {
  return JSON.parse(JSON.stringify(value).replace(/"timestamp":"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"timestamp":"…"'));
}

/** What npm has without us. */
const NPM_ITSELF = ['install', 'pack'];

/** A block may continue in a new folder. */
const NEW_FOLDER = 'cd "$(mktemp -d)"';

/** The program from npm, or from the tarball that `npm pack` makes. */
const OURS = `npx ./footbridge-${JSON.parse(textOfDocument('packages/footbridge/package.json')).version}.tgz`;

/** Commands are not run, since they install, or go on; but what they name has to be there. */
async function expectCommand(line: string): Promise<void> {
  const [program, ...words] = line
    .replace(OURS, 'footbridge')
    .replace(/^npx (?:-y )?footbridge/, 'footbridge')
    .split(' ');
  if (program === 'npm' && NPM_ITSELF.includes(words[0] ?? '')) return;
  if (line === NEW_FOLDER) return;
  if (program === 'git') expect(line).toMatch(/^git add \S+$/);
  else if (program === 'npm')
    expect(JSON.parse(textOfDocument('package.json')).scripts).toHaveProperty((words[0] === 'run' ? words[1] : words[0]) ?? '');
  else if (program === 'node') expect(existsSync(join(repository, words[0] ?? '')), line).toBe(true);
  else if (program === 'footbridge') {
    const { stdout: help } = await run(createWorld(), words[0] ?? '', '--help');
    expect(help, line).toContain(`Usage: footbridge ${words[0]}`);
    const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
    for (const option of own.filter((word) => word.startsWith('--'))) expect(help, line).toContain(option);
  } else
    expect(line).toMatch(
      /^claude mcp add (\S+ -- npx -y footbridge|--transport http \S+ https:\S+\/mcp --header "Authorization: Bearer \S+")$/,
    );
}

function parseConfiguration({ language, code }: Block): unknown {
  if (language === 'json') return JSON.parse(code);
  const lines = code.trim().split('\n');
  expect(lines.shift()).toMatch(/^\[[\w.]+\]$/);
  return Object.fromEntries(
    lines.map((line) => /^(\w+) = (.*)$/.exec(line)?.slice(1) ?? []).map(([key, value = '']) => [key, JSON.parse(value)]),
  );
}

const SERVERS = readdirSync(join(repository, 'examples', 'servers'));

describe.each(SERVERS)('examples/servers/%s', (name) => {
  const start = () => serve({ ...createWorld(), project: repository }, { script: join('examples', 'servers', name), args: ['--admin'] });

  it('returns the same from get_resource and resources/read for every resource and example', async () => {
    const client = await start();
    const { structuredContent } = await client.call('get_resource', {});
    const entries: Answer[] = Object.values(structuredContent.data).flat();
    const uris = entries.filter(({ is_template }) => !is_template).map(({ uri }) => uri);
    const { resources } = (await client.request('resources/list')).result;
    expect(uris.sort()).toEqual(resources.map(({ uri }: { uri: string }) => uri).sort());
    for (const uri of uris) await expectSame(client, uri, await client.call('get_resource', { uri }));
    for (const { uri, examples } of entries.filter((entry) => entry.examples !== undefined)) {
      const variables = Object.fromEntries(Object.entries<Answer>(examples).map(([variable, [first]]) => [variable, first]));
      const result = await client.call('get_resource', { uri, variables });
      await expectSame(client, result.structuredContent.uri, result);
    }
  });
});

async function expectSame(client: RawClient, uri: string, result: Answer): Promise<void> {
  expect(result.isError, uri).not.toBe(true);
  // What changes by itself may do so between the two.
  await vi.waitFor(async () => {
    const { content } = await client.call('get_resource', { uri });
    const { contents } = (await client.request('resources/read', { uri })).result;
    expect(content.map(bytesOf), uri).toEqual(contents.map(bytesOf));
  }, 20_000);
}

function bytesOf({ text, blob, data, resource }: Answer): string {
  return resource === undefined ? (text ?? blob ?? data) : bytesOf(resource);
}

it('examples/servers/defined.mjs notifies subscribers of an update, and drops the cached content', async () => {
  const client = await serve({ ...createWorld(), project: repository }, { script: join('examples', 'servers', 'defined.mjs') });
  const read = async () => (await client.call('get_resource', { uri: 'build://current' })).structuredContent.data.percent;
  const before = await read();
  await client.request('resources/subscribe', { uri: 'build://current' });
  await client.waitFor(() => client.count('notifications/resources/updated') > 0);
  expect(await read()).toBeGreaterThan(before);
});

describe('links between documents', () => {
  it.each([...PAGES, 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'deploy/README.md'])('in %s have existing targets', (file) => {
    expect(brokenLinks(file, (target) => existsSync(join(repository, target)))).toEqual([]);
  });
});

// The tests that pages show are run, beside the files that they name in their first lines.
for (const { file, scenes, proofs } of pages) {
  const folder = join(repository, 'coverage', `proofs-${process.pid}`, file.replace(/\W/g, '-'));
  const shown = [...proofs, ...scenes.flatMap(({ code }) => (code === undefined ? [] : [code]))].filter(({ code }) => namedIn(code) !== '');
  if (proofs.length === 0) continue;
  mkdirSync(folder, { recursive: true });
  afterAll(() => rmSync(dirname(folder), { recursive: true, force: true }));
  for (const { code } of shown) writeFileSync(join(folder, namedIn(code)), code);
  for (const { code } of proofs) await import(/* @vite-ignore */ pathToFileURL(join(folder, namedIn(code))).href);
}

it('a page shows how a source is tested', () => expect(pages.flatMap(({ proofs }) => proofs).length).toBeGreaterThan(0));
