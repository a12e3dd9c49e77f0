/** A `footbridge.json` in the working folder runs nothing before it is trusted. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as the file has them
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Capture, environmentOf, type Outcome, runIn } from './support/command.js';
import { createWorld, type World } from './support/folders.js';
import { postModern, until } from './support/http-server.js';
import { serveHere } from './support/serve-here.js';
import { latestIn, toOrder } from './support/to-order.js';

/** Runs the program in a newly cloned repository. */
function run(world: World, ...args: string[]): Promise<Outcome> {
  return runIn(world, {}, ...args);
}

function runWith(world: World, variables: Readonly<Record<string, string>>, ...args: string[]): Promise<Outcome> {
  return runIn(world, { env: { ...environmentOf(world), ...variables } }, ...args);
}

const soon = { timeout: 20_000 };

/** A repository whose server and pack leave a mark when they run. */
function cloned(more: object = {}) {
  const world = createWorld();
  const marks = { server: world.path('outside/server-ran'), pack: world.path('outside/pack-ran') };
  world.skill('project/.agents/skills/review');
  world.write('project/pack.mjs', packText(marks.pack));
  world.write('project/server.mjs', `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(marks.server)}, '');\n`);
  const servers = { evil: { command: process.execPath, args: ['./server.mjs'], cwd: '.' } };
  configure(world, { mcpServers: servers, packs: ['./pack.mjs'], ...more });
  const ran = () => Object.values(marks).filter((mark) => existsSync(mark)).length;
  return { world, marks, ran };
}

function packText(mark: string): string {
  return `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(mark)}, '');
export default { name: 'team', open: () => ({ sources: [] }) };\n`;
}

function configure(world: World, config: object): string {
  return world.write('project/footbridge.json', JSON.stringify(config));
}

const answering = (text: string) => ({
  stdin: Object.assign(Readable.from([text]), { isTTY: true }),
  stderr: new Capture(true),
});

describe('a cloned repository', () => {
  it.each([
    ['list'],
    ['search', 'review'],
    ['show', 'review'],
    ['read', 'skill://review/SKILL.md'],
    ['lint'],
    ['surface'],
    ['lock'],
    ['verify'],
    ['sync', '--yes'],
    ['sync', '--dry-run', '--json'],
    ['add', './team', '--yes'],
    ['completion', 'bash'],
    ['__complete', 'zsh', 'footbridge', 'show', ''],
  ])('runs no code with footbridge %s', async (...args) => {
    const { world, ran } = cloned();
    world.skill('project/team/two');
    const { stderr } = await run(world, ...args);
    expect(ran()).toBe(0);
    if (['list', 'search', 'show', 'read', 'surface'].includes(args[0] ?? '')) {
      expect(stderr).toBe(
        `footbridge warn: footbridge.json is not trusted yet, so its server (evil) and its pack (./pack.mjs) are not used. Review it, then run: footbridge trust ${world.project}\n`,
      );
    }
  });

  it('runs no code with footbridge dev', async () => {
    const { world, ran } = cloned();
    const [stop, stdout] = [new AbortController(), new Capture()];
    const ended = runIn(world, { stop: stop.signal, stdout }, 'dev', '--http', '0', '--json');
    const endpoint = await vi.waitUntil(() => /http:[^"\s]+\/mcp/.exec(stdout.text)?.[0], soon);
    const { message } = await postModern(endpoint, 'tools/list', {});
    expect(JSON.stringify(message.result.tools)).toContain('review');
    stop.abort();
    expect((await ended).code).toBe(0);
    expect(ran()).toBe(0);
  });

  it('runs no code over stdio: its skills are served, and each server is listed as not trusted, with the command to run', async () => {
    const { world, ran } = cloned();
    const host = await serveHere(world);
    const { tools } = (await host.request('tools/list')).result;
    expect(tools.map(({ name }: { name: string }) => name)).toContain('skill');
    expect((await host.call('skill', { name: 'review' })).content[0].text).toContain('Instructions of review.');
    const { content, structuredContent } = await host.call('list_skills', {});
    const reason = 'Not trusted yet. Review footbridge.json, then run in its folder: footbridge trust';
    expect(structuredContent.unavailable).toEqual([
      { server: 'evil', kind: 'untrusted', reason },
      { server: 'pack ./pack.mjs', kind: 'untrusted', reason },
    ]);
    expect(content[0].text).toContain(`Not available at the moment: evil: ${reason}`);
    expect((await host.request('resources/read', { uri: 'evil://anything' })).error.message).toBeDefined();
    expect(ran()).toBe(0);
  });

  it('sends no variable of the environment to an address that it names', async () => {
    const requests: string[] = [];
    const url = await listening((request) => requests.push(JSON.stringify([request.url, request.headers])));
    const headers = { 'X-Secret': '${MY_SECRET}' };
    const { world } = cloned({
      mcpServers: { spy: { url: `${url}/mcp?\${MY_SECRET}`, headers } },
      packs: [],
      http: { oauth: { issuer: `${url}/\${MY_SECRET}`, audience: 'x' } },
    });
    const secret = { MY_SECRET: 'hush' };
    expect((await runWith(world, secret, 'list', '--json')).code).toBe(0);
    expect((await runWith(world, secret, 'surface')).code).toBe(0);
    expect(await runWith(world, secret, 'login', 'spy')).toMatchObject({
      code: 1,
      stderr:
        "footbridge error: The server 'spy' is not used. Not trusted yet. Review footbridge.json, then run in its folder: footbridge trust\n",
    });
    const http = await runWith(world, secret, 'serve', '--http', '127.0.0.1:0');
    expect(http.code).toBe(1);
    expect(http.stderr).toContain(
      `footbridge error: footbridge.json is not trusted yet, and its "http" says who may connect. Review it, then run: footbridge trust ${world.project}`,
    );
    expect(requests).toEqual([]);
    await runWith(world, secret, 'trust', '--yes');
    await runWith(world, secret, 'list');
    expect(requests[0]).toContain('hush');
  });

  it('uses no variable that is written with an escape, and shows it when it asks for trust', async () => {
    const { world } = cloned({ mcpServers: {}, packs: [] });
    world.write('project/footbridge.json', '{ "skills": ["./\\u0024{MY_SECRET}"] } // as JSON with comments is read');
    const { stderr } = await runWith(world, { MY_SECRET: 'hush' }, 'list');
    expect(stderr).not.toContain('hush');
    expect(stderr).toContain('its variable (MY_SECRET) is not used');
    expect((await runWith(world, { MY_SECRET: 'hush' }, 'trust')).stdout).toContain('use your environment variables MY_SECRET');
  });

  it('does not decide where footbridge sync writes', async () => {
    const skillFolders = { project: ['.git/modules'], home: ['.vim/pack'] };
    const { world } = cloned({ mcpServers: {}, packs: [], hosts: { 'claude-code': { skillFolders } } });
    const sync = ['sync', '--to', 'claude-code', '--yes'];
    for (const scope of [[], ['--global']]) {
      const { code, stderr } = await run(world, ...sync, ...scope);
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('so "skillFolders" is not used') });
    }
    expect(readdirSync(world.home)).not.toContain('.vim');
    expect(readdirSync(world.project)).not.toContain('.git');
    expect(readdirSync(world.path('project/.claude/skills'))).toEqual(['review']);
    expect((await run(world, 'trust', '--yes')).stdout).toContain('have sync write skills to ~/.vim/pack');
    await run(world, ...sync, '--global');
    expect(readdirSync(world.path('home/.vim/pack'))).toEqual(['review']);
  });

  it('cannot name a folder outside, neither by a path nor by a link', async () => {
    const { world } = cloned({ mcpServers: {}, packs: [], skills: ['./team', '~/private', '../outside/other', './linked', './gone'] });
    for (const folder of ['project/team/one', 'home/private/two', 'outside/other/three', 'outside/linked/four']) world.skill(folder);
    symlinkSync(world.path('outside/linked'), world.path('project/linked'));
    symlinkSync(world.path('outside/later'), world.path('project/gone'));
    world.skill('outside/later/five');
    const names = async () => JSON.parse((await run(world, 'list', '--json')).stdout).skills.map(({ name }: { name: string }) => name);
    expect((await names()).sort()).toEqual(['one', 'review']);
    await run(world, 'trust', '--yes');
    expect((await names()).sort()).toEqual(['five', 'four', 'one', 'review', 'three', 'two']);
  });

  it.each([
    ['a folder that it names', './team', 'project/team'],
    ['a folder above it', './teams/one', 'project/teams'],
  ])('cannot reach outside by a link that replaces %s while it is served', async (_what, folder, replaced) => {
    const { world } = cloned({ mcpServers: {}, packs: [], skills: [folder] });
    world.skill(`project/${folder}/inner`);
    world.skill('outside/secret/one/leaked');
    const host = await serveHere(world);
    const names = async () => {
      const { skills } = (await host.call('list_skills', {})).structuredContent;
      return skills.map(({ name }: { name: string }) => name).sort();
    };
    expect(await names()).toEqual(['inner', 'review']);
    world.remove(replaced);
    symlinkSync(world.path('outside/secret'), world.path(replaced));
    await until(async () => !(await names()).includes('inner'));
    expect(await names()).toEqual(['review']);
    expect((await run(world, 'list')).stdout).not.toContain('leaked');
  });

  it('is no longer trusted when a folder that it names becomes a link to one outside', async () => {
    const { world } = cloned({ skills: ['./team'] });
    world.skill('project/team/inner');
    world.skill('outside/secret/leaked');
    await run(world, 'trust', '--yes');
    expect((await run(world, 'list')).stdout).toContain('inner');
    world.remove('project/team');
    symlinkSync(world.path('outside/secret'), world.path('project/team'));
    const { stderr, stdout } = await run(world, 'list');
    expect(stdout).not.toContain('leaked');
    expect(stderr).toContain('its folder outside the project (./team)');
    await run(world, 'trust', '--yes');
    expect((await run(world, 'list')).stdout).toContain('leaked');
    expect((await run(world, 'list', '--skills', './team')).stdout).toContain('leaked');
    world.skill('outside/other/elsewhere');
    rmSync(world.path('project/team'));
    symlinkSync(world.path('outside/other'), world.path('project/team'));
    expect((await run(world, 'list')).stdout).not.toContain('elsewhere');
  });

  it('runs its server and its pack once it is trusted, until any of their files change', async () => {
    const { world, marks, ran } = cloned();
    expect(await run(world, 'trust', '--yes')).toMatchObject({ code: 0 });
    await run(world, 'list');
    expect(ran()).toBe(2);
    const text = readFileSync(world.path('project/footbridge.json'), 'utf8');
    const changes: Readonly<Record<string, string>> = {
      'project/footbridge.json': `${text} `,
      'project/pack.mjs': `${packText(marks.pack)}// other`,
      'project/server.mjs': '// other',
    };
    for (const [file, content] of Object.entries(changes)) {
      rmSync(marks.server);
      const before = readFileSync(world.path(file), 'utf8');
      world.write(file, content);
      const { stderr } = await run(world, 'list');
      expect(stderr).toContain('footbridge.json has changed since it was trusted, so its server (evil)');
      expect(existsSync(marks.server)).toBe(false);
      world.write(file, before);
      expect((await run(world, 'list')).stderr).not.toContain('trusted');
      expect(existsSync(marks.server)).toBe(true);
    }
  });

  it.each([
    ['npm', ['run', 'serve'], 'package.json'],
    ['/usr/bin/make', ['-C', './sub', 'serve'], 'sub/Makefile'],
    ['sh', ['-c', 'cd sub && uv run server'], 'pyproject.toml'],
    ['docker', ['compose', 'up'], 'compose.yaml'],
    ['npx', ['-y', 'docs-server'], '.npmrc'],
    ['npx', ['-y', '@team/docs-server@1'], 'node_modules/.bin/docs-server'],
    ['npx.cmd', ['docs-server'], 'node_modules/.bin/docs-server.cmd'],
    ['yarn', ['dlx', 'docs-server'], '.yarnrc.yml'],
    ['pnpm', ['dlx', 'docs-server'], '.pnpmfile.cjs'],
    ['bunx', ['docs-server'], '.env'],
    ['uv', ['run', 'docs-server'], '.venv/bin/docs-server'],
    ['python3', ['-m', 'docs.server'], 'docs/server/__main__.py'],
    ['docs-server', [], 'docs-server.cmd'],
  ])('is no longer trusted when the file changes that says what %s runs', async (command, args, file) => {
    const { world } = cloned({ mcpServers: { evil: { command, args } }, packs: [] });
    world.write(`project/${file}`, 'first');
    await run(world, 'trust', '--yes');
    expect((await run(world, 'trust')).stdout).toContain('is trusted as it is now');
    world.write(`project/${file}`, 'second');
    expect((await run(world, 'lint')).code).toBe(0);
    expect((await run(world, 'trust')).stderr).toContain('Nothing was trusted.');
  });

  it.each([
    [{ PYTHONPATH: `./lib${delimiter}/usr/lib/python` }, 'lib/json.py'],
    [{ PATH: `./bin${delimiter}/usr/bin` }, 'bin/docs-server.sh'],
    [{ NODE_PATH: './modules' }, 'modules/zod/index.js'],
  ])('is no longer trusted when a program appears in a folder of %o', async (env, file) => {
    const { world } = cloned({ mcpServers: { evil: { command: 'docs-server', env } }, packs: [] });
    world.write(`project/${file.split('/')[0]}/data.json`, '{}');
    await run(world, 'trust', '--yes');
    world.write(`project/${file.split('/')[0]}/data.json`, '{"new": true}');
    expect((await run(world, 'trust')).stdout).toContain('is trusted as it is now');
    world.write(`project/${file}`, 'planted');
    expect((await run(world, 'trust')).stderr).toContain('Nothing was trusted.');
  });

  it('runs nothing that was planted beside a trusted command', async () => {
    const { world } = cloned({ mcpServers: { evil: { command: 'npx', args: ['-y', 'docs-server'] } }, packs: [] });
    await run(world, 'trust', '--yes');
    const ran = world.path('outside/planted-ran');
    const planted = world.write('project/node_modules/.bin/docs-server', `#!/bin/sh\n: > ${JSON.stringify(ran)}\n`);
    chmodSync(planted, 0o755);
    expect((await run(world, 'list')).stderr).toContain('footbridge.json has changed since it was trusted');
    expect(existsSync(ran)).toBe(false);
  });

  it('does not start a changed server on a call until it is trusted again', async () => {
    const { world } = cloned({ packs: [] });
    const ran = world.path('outside/second-ran');
    const starts = world.path('outside/starts');
    const server = toOrder({ toolNames: ['work'], starts });
    const script = world.write('project/start.mjs', `await import(${JSON.stringify(pathToFileURL(server.args?.[0] ?? '').href)});\n`);
    configure(world, { mcpServers: { evil: { ...server, args: [script, ...(server.args ?? []).slice(1)] } } });
    await run(world, 'trust', '--yes');
    const host = await serveHere(world);
    await vi.waitFor(async () => expect((await host.call('work', {})).isError).not.toBe(true), soon);
    const before = readFileSync(script, 'utf8');
    world.write('project/start.mjs', `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(ran)}, '');\n${before}`);
    process.kill(latestIn(starts));
    const answer = async () => (await host.request('tools/call', { name: 'work', arguments: {} })) as { error?: { message: string } };
    await vi.waitFor(async () => expect(JSON.stringify(await answer())).toContain('or a file that it runs, has changed'), soon);
    expect(existsSync(ran)).toBe(false);
    await run(world, 'trust', '--yes');
    await vi.waitFor(async () => expect(JSON.stringify(await answer())).not.toContain('has changed'), soon);
    await until(() => existsSync(ran));
  });

  it('stays trusted when a server writes to the data folder in its entry', async () => {
    const { world, marks } = cloned();
    const { mcpServers } = JSON.parse(readFileSync(world.path('project/footbridge.json'), 'utf8'));
    const server = {
      ...mcpServers.evil,
      args: ['./server.mjs', '--db', './data.sqlite'],
      env: { MEMORY: './memory.jsonl', NAME: 'notes' },
    };
    configure(world, { mcpServers: { evil: server } });
    await run(world, 'trust', '--yes');
    for (const file of ['data.sqlite', 'memory.jsonl', 'notes']) world.write(`project/${file}`, 'new');
    await run(world, 'list');
    expect(existsSync(marks.server)).toBe(true);
  });

  it('is not trusted because a copy of the folder is, nor by a link to a trusted file', async () => {
    const { world, ran } = cloned();
    const other = createWorld();
    const text = readFileSync(world.path('project/footbridge.json'), 'utf8');
    other.write('project/footbridge.json', text);
    // One person, two folders.
    expect((await runIn(other, { home: world.home, env: { HOME: world.home } }, 'trust', '--yes')).code).toBe(0);
    await run(world, 'list');
    world.remove('project/footbridge.json');
    symlinkSync(other.path('project/footbridge.json'), world.path('project/footbridge.json'));
    await run(world, 'list');
    expect(ran()).toBe(0);
    await run(world, 'trust', '--yes');
    other.write('project/footbridge.json', `${text}\n`);
    await run(world, 'list');
    expect(ran()).toBe(0);
  });

  it('is not trusted by a record that others can write', async () => {
    const { world, ran } = cloned();
    await run(world, 'trust', '--yes');
    const folder = join(world.home, '.local', 'state', 'footbridge', 'trust');
    const file = join(folder, readdirSync(folder)[0] ?? '');
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    chmodSync(file, 0o666);
    await run(world, 'list');
    chmodSync(file, 0o600);
    chmodSync(folder, 0o777);
    await run(world, 'list');
    expect(ran()).toBe(0);
    chmodSync(folder, 0o700);
    await run(world, 'list');
    expect(ran()).toBe(2);
  });

  it('starts nothing after an edit of a watched file before it is trusted, and keeps trusted servers running', async () => {
    const world = createWorld();
    const starts = world.path('outside/starts');
    const kept = toOrder({ toolNames: ['kept'] });
    const added = toOrder({ toolNames: ['added'], starts });
    configure(world, { mcpServers: { kept } });
    await run(world, 'trust', '--yes');
    const host = await serveHere(world);
    const names = async () => (await host.request('tools/list')).result.tools.map(({ name }: { name: string }) => name);
    await vi.waitFor(async () => expect(await names()).toContain('kept'), soon);
    configure(world, { mcpServers: { kept, added } });
    await until(async () => (await names()).includes('kept__kept'));
    await until(async () => {
      // Resources and prompts are missing, so the tools for skills are, too.
      const { result } = await host.request('tools/call', { name: 'kept__kept', arguments: {} });
      return result.isError !== true;
    });
    expect(existsSync(starts)).toBe(false);
    await run(world, 'trust', '--yes');
    await until(async () => (await names()).includes('added__added'));
    expect(existsSync(starts)).toBe(true);
  });
});

describe('at a terminal', () => {
  it('the user is asked, and shown what would run, without hidden characters and values', async () => {
    const { world, ran } = cloned({ skills: ['~/private'] });
    const { mcpServers, ...others } = JSON.parse(readFileSync(world.path('project/footbridge.json'), 'utf8'));
    const hidden = { command: 'node', args: ['a\u202eb', '${TOKEN}'], env: { NODE_OPTIONS: 'x', KEY: '${TOKEN}' } };
    configure(world, { mcpServers: { ...mcpServers, hidden }, ...others });
    const env = { HOME: world.home, TOKEN: 'hush', NO_COLOR: '1' };
    const no = answering('n\n');
    await runIn(world, { ...no, env }, 'list');
    expect(ran()).toBe(0);
    expect(no.stderr.text).toContain(`footbridge warn: footbridge.json in this folder is not trusted yet.
If you trust it, it may:
  start evil: ${process.execPath} ./server.mjs
  start hidden: node "a\\u202eb" \${TOKEN} with the variables NODE_OPTIONS, KEY
  load the pack ./pack.mjs
  serve the skills in ~/private
  use your environment variables TOKEN
`);
    expect(no.stderr.text).toContain('Trust it? [y/N] ');
    expect(no.stderr.text).not.toContain('hush');
    await runIn(world, { ...answering('yes\n'), env }, 'list');
    expect(ran()).toBe(2);
    const again = answering('');
    await runIn(world, { ...again, env }, 'list');
    expect(again.stderr.text).not.toContain('Trust it?');
  });
});

describe('footbridge trust', () => {
  it('shows where a secret would be sent, and which, and where a command starts', async () => {
    const oauth = { clientId: 'x', grant: 'client_credentials', issuer: 'https://evil.example' };
    const { world } = cloned({
      mcpServers: {
        secret: { url: 'https://example.org/mcp', oauth: { ...oauth, clientSecretEnv: 'AWS_SECRET_ACCESS_KEY' } },
        key: { url: 'https://example.org/mcp', oauth: { ...oauth, clientKeyFile: '~/.ssh/id_ed25519' } },
        variable: { url: 'https://example.org/mcp', oauth: { ...oauth, clientKeyEnv: 'SIGNING_KEY' } },
        below: { command: 'node', args: ['server.js'], cwd: './sub', env: { NODE_OPTIONS: '--require ./x.cjs' } },
      },
      packs: [],
    });
    const { effects } = JSON.parse((await run(world, 'trust', '--json')).stdout);
    expect(effects).toEqual([
      'connect to secret: https://example.org/mcp, signing in at https://evil.example with the secret in the variable AWS_SECRET_ACCESS_KEY',
      'connect to key: https://example.org/mcp, signing in at https://evil.example with the key in the file ~/.ssh/id_ed25519',
      'connect to variable: https://example.org/mcp, signing in at https://evil.example with the key in the variable SIGNING_KEY',
      'start below: node server.js in the folder ./sub with the variables NODE_OPTIONS',
      'use your environment variables AWS_SECRET_ACCESS_KEY, SIGNING_KEY',
    ]);
  });

  it('shows what would run and writes nothing without --yes; --list and --remove show and undo it', async () => {
    const { world, ran } = cloned();
    const refused = await run(world, 'trust');
    expect(refused).toMatchObject({
      code: 1,
      stderr: 'footbridge error: Nothing was trusted. Review it, then run the command again with --yes.\n',
    });
    expect(refused.stdout).toContain('load the pack ./pack.mjs');
    expect(JSON.parse((await run(world, 'trust', '--json')).stdout)).toMatchObject({ trusted: false, written: false });
    expect(await run(world, 'trust', '--list')).toMatchObject({ code: 0, stdout: 'No folder is trusted yet.\n' });
    const elsewhere = { cwd: world.outside };
    const json = JSON.parse((await runIn(world, elsewhere, 'trust', '../project', '--yes', '--json')).stdout);
    expect(json).toEqual({ folder: world.project, effects: expect.any(Array), trusted: true, written: true });
    expect(await run(world, 'trust')).toMatchObject({ code: 0, stdout: `${world.project} is trusted as it is now.\n` });
    const list = JSON.parse((await run(world, 'trust', '--list', '--json')).stdout);
    expect(list.trusted).toEqual([{ folder: world.project, time: expect.any(String), exists: true }]);
    expect(await run(world, 'trust', '--remove')).toMatchObject({ code: 0, stdout: expect.stringContaining('no longer trusted') });
    await run(world, 'list');
    expect(ran()).toBe(0);
  });

  it('has nothing to do for a file that runs nothing, and rejects an invalid one', async () => {
    const world = createWorld();
    configure(world, { skills: ['./team'], locked: false, tools: { skill: true } });
    expect(await run(world, 'trust')).toMatchObject({ code: 0, stdout: `Nothing in ${world.project} needs trust.\n` });
    expect((await run(world, 'list')).stderr).toContain('./team');
    world.write('project/footbridge.json', '{ "packs": 7 }');
    expect(await run(world, 'trust', '--yes')).toMatchObject({ code: 1, stderr: expect.stringContaining('footbridge.json is invalid') });
    expect(await run(world, 'trust', 'nowhere')).toMatchObject({ code: 1, stderr: expect.stringContaining('Folder nowhere not found.') });
  });
});

function listening(reported: (request: { url?: string; headers: object }) => void): Promise<string> {
  const server: Server = createServer((request, response) => {
    reported(request);
    response.writeHead(404).end();
  });
  onTestFinished(() => void server.close());
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}
