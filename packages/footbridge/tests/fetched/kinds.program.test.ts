/** Each kind of source, from the command line through the lock and the store to real MCP clients, byte for byte. */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it, onTestFinished } from 'vitest';
import { ENTRY, environment } from '../support/client.js';
import { type Outcome, run } from '../support/command.js';
import { createWorld, type World } from '../support/folders.js';
import { describeWith } from '../support/requirements.js';
import { tar, zip } from './archive-writers.js';
import { archiveLayer, digestOf, startRegistry } from './oci-registry.js';
import { type Files, git, newRepository, serveGit, serveOver, skillText, temporaryFolder, writeFiles } from './support.js';
import { startNpmRegistry } from './verdaccio.js';

/** The files of a skill: text, a script, and bytes that are no text. */
function skill(name: string): Files {
  return {
    [`${name}/SKILL.md`]: skillText(name, `By ${name}: ä, 字, 🐈.`),
    [`${name}/scripts/run.sh`]: '#!/bin/sh\r\necho done\r\n',
    [`${name}/logo.bin`]: Buffer.from([0, 0xff, 0x89, ...Buffer.from(name)]),
  };
}

const entriesOf = (files: Files, cut = '') => Object.entries(files).map(([name, content]) => ({ name: name.slice(cut.length), content }));

/** Servers of each kind, with one skill each. Returns the source of each skill, and the lines of the settings that lead to them. */
async function publish(program: string) {
  const [npm, oci] = [await startNpmRegistry(), await startRegistry(program)];
  await npm.publish('skills', '1.0.0', { ...skill('by-npm') });
  await oci.push('team/skills', '1.0.0', { layers: [archiveLayer(skill('by-oci'))] });
  const [plain, github, market] = [
    newRepository(skill('by-git')),
    newRepository(skill('by-github')),
    newRepository({
      '.claude-plugin/marketplace.json': JSON.stringify({ name: 'team', plugins: [{ name: 'office', source: './office' }] }),
      ...Object.fromEntries(Object.entries(skill('by-plugin')).map(([path, content]) => [`office/skills/${path}`, content])),
    }),
  ];
  const hub = temporaryFolder();
  git(hub, 'clone', '--quiet', '--bare', github, 'owner/skills.git');
  const archive = tar(...entriesOf(skill('by-site'), 'by-site/'));
  const index = {
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: [{ name: 'by-site', type: 'archive', description: 'About.', url: 'by-site.tar', digest: digestOf(archive) }],
  };
  const end = new AbortController();
  const { signal } = end;
  const site = await serveOver((request, response) => {
    if (request.url === '/.well-known/agent-skills/index.json') response.end(JSON.stringify(index));
    else if (request.url === '/.well-known/agent-skills/by-site.tar') response.end(archive);
    else if (request.url === '/by-archive.skill') response.end(zip(entriesOf(skill('by-archive'))));
    else response.writeHead(404).end();
  }, signal);
  return {
    /** Ends all of them. */
    async stop() {
      end.abort();
      await Promise.all([npm.stop(), oci.stop()]);
    },
    npmrc: npm.anonymous,
    gitconfig: `[url "${await serveGit(hub, { signal })}/"]\n\tinsteadOf = https://github.com/\n`,
    sources: {
      'by-github': 'github:owner/skills',
      'by-git': `git+${await serveGit(dirname(plain), { signal })}/${basename(plain)}/.git`,
      'by-plugin': `git+${await serveGit(dirname(market), { signal })}/${basename(market)}/.git`,
      'by-npm': 'npm:skills@^1',
      'by-oci': `oci://${oci.name}/team/skills:1.0.0`,
      'by-archive': `${site}/by-archive.skill`,
      'by-site': site,
      'by-folder': './team',
      'by-mcp': 'mcp:docs',
    },
  };
}

type Published = Awaited<ReturnType<typeof publish>>;

/** A machine with an empty store, that knows where everything is. */
function machine({ gitconfig, npmrc }: Published): World {
  const world = createWorld();
  world.write('home/.gitconfig', gitconfig);
  world.write('home/.npmrc', npmrc);
  writeFiles(world.path('project/team'), skill('by-folder'));
  writeFiles(world.path('outside/docs'), skill('by-mcp'));
  const docs = { command: process.execPath, args: [ENTRY, '--skills', world.path('outside/docs')] };
  world.write('project/footbridge.json', JSON.stringify({ mcpServers: { docs } }));
  return world;
}

const command = (world: World, ...args: string[]): Promise<Outcome> => run(world, ...args, '--config', 'footbridge.json');

/** Without the server, whose skill would be served by it. */
function configWithoutServers(world: World): string {
  const { mcpServers: _servers, ...rest } = JSON.parse(readFileSync(world.path('project/footbridge.json'), 'utf8'));
  return JSON.stringify(rest);
}

type Read = (uri: string) => Promise<{ readonly contents: readonly object[] }>;

const CLIENTS: readonly ((world: World) => Promise<Read>)[] = [
  async (world) => {
    const client = new Client({ name: 'second', version: '1' });
    await client.connect(new StdioClientTransport(started(world)));
    onTestFinished(() => client.close());
    return (uri) => client.readResource({ uri });
  },
  async (world) => {
    const client = new FirstClient({ name: 'first', version: '1' });
    await client.connect(new FirstStdioTransport(started(world)));
    onTestFinished(() => client.close());
    return (uri) => client.readResource({ uri });
  },
];

function started({ home, project }: World) {
  const env = Object.fromEntries(
    Object.entries(environment(home)).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  return { command: process.execPath, args: [ENTRY, '--config', 'footbridge.json'], cwd: project, env, stderr: 'ignore' as const };
}

function bytesOf(content: object | undefined): Buffer {
  if (content !== undefined && 'blob' in content) return Buffer.from(String(content.blob), 'base64');
  return Buffer.from(content !== undefined && 'text' in content ? String(content.text) : '');
}

/** Reads every file of every skill by every client. */
async function expectOriginals(world: World, names: readonly string[]): Promise<void> {
  for (const connect of CLIENTS) {
    const read = await connect(world);
    for (const name of names)
      for (const [path, content] of Object.entries(skill(name))) {
        const { contents } = await read(`skill://${path}`);
        expect(digestOf(bytesOf(contents[0])), path).toBe(digestOf(Buffer.from(content)));
      }
  }
}

describeWith('docker-registry', 'sources of every kind', (program) => {
  it('are added, fetched on another machine, and served to clients with all their servers stopped, with the original bytes', async () => {
    const published = await publish(program);
    const world = machine(published);
    for (const [name, source] of Object.entries(published.sources)) {
      const { code, stderr, stdout } = await command(world, 'add', source, '--yes');
      expect({ code, stderr }, source).toEqual({ code: 0, stderr: '' });
      expect(stdout, source).toContain(`  ${name} `);
    }
    const current = JSON.parse((await command(world, 'update', '--dry-run', '--json')).stdout);
    expect(current.sources.map(({ state }: { state: string }) => state)).toEqual(Object.keys(published.sources).map(() => 'current'));
    expect((await command(world, 'add', 'mcp:dosc', '--yes')).stderr).toContain('Did you mean mcp:docs?');
    const other = machine(published);
    const config = configWithoutServers(world);
    const server = readFileSync(other.path('project/footbridge.json'), 'utf8');
    other.write('project/footbridge.json', JSON.stringify({ ...JSON.parse(server), ...JSON.parse(config) }));
    other.write('project/footbridge.lock', readFileSync(join(world.project, 'footbridge.lock')));
    const fetched = JSON.parse((await command(other, 'fetch', '--json')).stdout);
    expect(fetched.sources.map(({ state }: { state: string }) => state)).toEqual(Object.keys(published.sources).map(() => 'fetched'));
    await published.stop();
    const outdated = JSON.parse((await command(world, 'outdated', '--json')).stdout);
    const away = outdated.sources.filter(({ source }: { source: string }) => !/^(?:\.\/team|mcp:docs)$/.test(source));
    expect(away.map(({ state }: { state: string }) => state)).toEqual(away.map(() => 'refused'));
    expect(away).toHaveLength(7);
    for (const each of [world, other]) {
      each.write('project/footbridge.json', config);
      each.remove('project/team');
      each.remove('outside/docs');
      await expectOriginals(each, Object.keys(published.sources));
    }
  });
});
