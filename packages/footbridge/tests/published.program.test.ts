/** The packed packages: their contents, and that they work in an empty folder without anything else. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, networkInterfaces, tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from './support/documents.js';

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly version: string;
  readonly files: readonly { readonly path: string }[];
}

/** What is meant to be in each package: one pattern for a kind of file, each with at least one file. */
const MEANT: Readonly<Record<string, readonly RegExp[]>> = {
  footbridge: [
    /^(?:LICENSE|README\.md|package\.json|footbridge\.schema\.json)$/,
    /^bin\/footbridge\.cjs$/,
    /^bundle\/footbridge\.cjs$/,
    /^bundle\/head-start\.cjs$/,
    /^bundle\/[\w-]+-[\w-]{8}\.cjs$/,
    /^bundle\/page\/(?:index\.html|page\.css|page\.js)$/,
    /^bundle\/THIRD-PARTY-LICENSES\.txt$/,
    /^lib\/(?:index|pack|state|testing)\.(?:d\.ts|js)$/,
    // Which of them, package.program.test.ts checks.
    /^lib\/[\w-]+-[\w-]{8}\.(?:d\.ts|js)$/,
  ],
  '@footbridge/engage': [
    /^(?:LICENSE|README\.md|package\.json)$/,
    /^bundle\/index\.js$/,
    /^bundle\/[\w-]+-[\w-]{8}\.js$/,
    /^bundle\/page\/(?:[\w-]+\.html|policies\.json)$/,
    /^bundle\/THIRD-PARTY-LICENSES\.txt$/,
    /^bundle\/index\.d\.ts$/,
    /^skills\/engage-red-hat-support\/SKILL\.md$/,
  ],
  '@footbridge/quilt': [
    /^(?:LICENSE|README\.md|package\.json)$/,
    /^bundle\/index\.js$/,
    /^bundle\/[\w-]+-[\w-]{8}\.js$/,
    /^bundle\/THIRD-PARTY-LICENSES\.txt$/,
    /^bundle\/index\.d\.ts$/,
  ],
};
const NAMES = Object.keys(MEANT);
const PACKS = ['--pack', '@footbridge/engage', '--pack', '@footbridge/quilt'];

const place = realpathSync(mkdtempSync(join(tmpdir(), 'footbridge-published-')));
const [tarballs = '', home = '', project = '', empty = ''] = ['tarballs', 'home', 'project', 'empty'].map((name) => join(place, name));
let packed: ReadonlyMap<string, Packed> = new Map();
let registry = '';
/** What npm puts there for the command, which npx starts. */
const installed = join(project, 'node_modules', '.bin', 'footbridge');

/** Our environment for npm, with its settings, but with a home and a cache of the test's own, and nothing of the npm that runs the tests. */
function npmEnvironment(): Record<string, string> {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !/^(?:npm_(?:package|lifecycle|config_(?:local_prefix|workspaces?$))|NODE_V8_COVERAGE$|INIT_CWD$)/i.test(entry[0]),
  );
  const settings = process.env['npm_config_userconfig'] ?? join(homedir(), '.npmrc');
  return {
    ...Object.fromEntries(own),
    HOME: home,
    USERPROFILE: home,
    npm_config_userconfig: settings,
    npm_config_cache: join(place, 'cache'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
}

async function run(folder: string, command: string, ...args: string[]): Promise<string> {
  const options = { cwd: folder, env: npmEnvironment(), shell: process.platform === 'win32', maxBuffer: 2 ** 26 };
  const child = promisify(execFile)(command, args, options);
  child.child.stdin?.end();
  return (await child).stdout;
}

beforeAll(async () => {
  for (const folder of [tarballs, home, project, empty]) mkdirSync(folder);
  const workspaces = NAMES.flatMap((name) => ['--workspace', name]);
  const [address, pack] = await Promise.all([
    run(repository, 'npm', 'config', 'get', 'registry'),
    run(repository, 'npm', 'pack', '--json', '--pack-destination', tarballs, ...workspaces),
  ]);
  registry = new URL(address.trim()).hostname;
  const reported: Packed[] = JSON.parse(pack);
  packed = new Map(reported.map((each) => [each.name, each]));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'nobody', private: true, type: 'module' }));
  await run(project, 'npm', 'install', '--loglevel=error', ...reported.map(({ filename }) => join(tarballs, filename)));
}, 180_000);
afterAll(() => rmSync(place, { recursive: true, force: true, maxRetries: 3 }));

const filesOf = (name: string) => (packed.get(name)?.files ?? []).map(({ path }) => path);
const textOf = (name: string, path: string) => readFileSync(join(project, 'node_modules', name, path), 'utf8');

describe.each(NAMES)('%s', (name) => {
  it('contains exactly the published files', () => {
    const files = filesOf(name);
    const meant = MEANT[name] ?? [];
    expect(files.filter((file) => !meant.some((pattern) => pattern.test(file)))).toEqual([]);
    expect(meant.filter((pattern) => !files.some((file) => pattern.test(file)))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
  });

  it('reveals nothing about the machine that it was built on', () => {
    const addresses = Object.values(networkInterfaces()).flatMap((each = []) =>
      each.filter(({ internal }) => !internal).map(({ address }) => address),
    );
    const telling = [repository, `${homedir()}/`, ...addresses, ...(registry === 'registry.npmjs.org' ? [] : [registry])];
    for (const file of filesOf(name)) {
      const text = textOf(name, file);
      expect(
        telling.filter((each) => text.includes(each)),
        file,
      ).toEqual([]);
    }
  });

  it('has a README whose links work, also within the package alone', () => {
    const files = new Set(filesOf(name));
    const text = textOf(name, 'README.md');
    const links = [...text.matchAll(/\]\((?!https:\/\/)([^)]+)\)/g)].map(([, link = '']) => link);
    const sections = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    expect(links.filter((link) => (link.startsWith('#') ? !sections.includes(link.slice(1)) : !files.has(posix.normalize(link))))).toEqual(
      [],
    );
    expect(text).toContain('npx');
  });
});

it('has only examples in its README that are tested in the README of the repository', () => {
  const whole = readFileSync(join(repository, 'README.md'), 'utf8');
  const blocks = textOf('footbridge', 'README.md').match(/^```.*?^```$/gms) ?? [];
  expect(blocks.length).toBeGreaterThan(3);
  expect(blocks.filter((block) => !whole.includes(block))).toEqual([]);
});

describe('installed in an empty folder', () => {
  it('the command prints its version and lists skills', async () => {
    const reported = await Promise.all([
      run(project, 'npx', 'footbridge', '--version'),
      run(project, installed, 'list'),
      run(project, installed, 'list', ...PACKS),
    ]);
    expect(reported).toEqual([
      `${packed.get('footbridge')?.version}\n`,
      expect.stringContaining('No skills found.'),
      expect.stringContaining('engage-red-hat-support'),
    ]);
  }, 60_000);

  it('the command serves a host, with and without packs', async () => {
    const seenWith = async (...args: string[]) => {
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(new StdioClientTransport({ command: installed, args, cwd: project, env: npmEnvironment(), stderr: 'ignore' }));
      const { tools } = await client.listTools();
      const { resources } = await client.listResources();
      await client.close();
      return { tools: tools.map(({ name }) => name), resources: resources.map(({ uri }) => uri) };
    };
    const own = ['skill', 'list_skills', 'get_skill', 'get_resource', 'get_resources'];
    const [without, { resources, tools }] = await Promise.all([seenWith(), seenWith(...PACKS)]);
    expect(without).toEqual({ tools: own, resources: [] });
    expect(tools).toEqual(expect.arrayContaining([...own, 'start_engage_red_hat_support']));
    expect(resources).toEqual(expect.arrayContaining(['skill://engage-red-hat-support/SKILL.md', 'auth://status']));
  }, 60_000);

  it('each export can be imported, and has its types', async () => {
    writeFileSync(
      join(project, 'imports.mjs'),
      `import { createServer, footbridge } from 'footbridge';
      import { definePack } from 'footbridge/pack';
      import { stateFolder } from 'footbridge/state';
      import schema from 'footbridge/footbridge.schema.json' with { type: 'json' };
      import engage from '@footbridge/engage';
      import quilt from '@footbridge/quilt';
      const found = [createServer, footbridge, definePack, stateFolder, schema, engage.open, quilt.open].map((each) => typeof each);
      // The tests of a source need a test runner.
      const missing = await import('footbridge/testing').catch((error) => error.message);
      console.log(JSON.stringify({ found, missing }));`,
    );
    const { found, missing } = JSON.parse(await run(project, process.execPath, '--no-warnings', 'imports.mjs'));
    expect(found).toEqual(['function', 'function', 'function', 'function', 'object', 'function', 'function']);
    expect(missing).toContain("Cannot find package 'vitest'");
    writeFileSync(
      join(project, 'types.ts'),
      `import { createServer, type Source } from 'footbridge';
      import { definePack, type PackDefinition } from 'footbridge/pack';
      import { stateFolder } from 'footbridge/state';
      import engage from '@footbridge/engage';
      import quilt from '@footbridge/quilt';
      const packs: PackDefinition[] = [engage, quilt];
      // @ts-expect-error: types that were not found would be any, and any would do.
      const wrong: [number, number, number, number] = [createServer, definePack, stateFolder, packs];
      export type Sources = Source[];
      export default wrong;`,
    );
    const tsc = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
    const types = ['--types', 'node', '--typeRoots', join(repository, 'node_modules', '@types')];
    // Types of others are not checked, which takes most of the time; those of ours were, where they were made.
    const how = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', ...types];
    const checked = await run(project, process.execPath, tsc, ...how, 'types.ts').catch((error: { stdout: string }) => error.stdout);
    expect(checked).toBe('');
  }, 60_000);

  it.each(NAMES)('%s has types that need only installed packages', (name) => {
    const exported = Object.values<{ types?: string }>(JSON.parse(textOf(name, 'package.json')).exports);
    const files = new Set(exported.flatMap(({ types }) => (types === undefined ? [] : [posix.normalize(types)])));
    expect(files.size).toBeGreaterThan(0);
    const missing: string[] = [];
    // What is added is looked at, too.
    for (const file of files)
      for (const [, needed = ''] of textOf(name, file).matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
        const own = needed.startsWith('.') ? posix.join(file, '..', needed.replace(/\.js$/, '.d.ts')) : undefined;
        const other = /^(?:@[^/]+\/)?[^/]+/.exec(needed)?.[0] ?? needed;
        const isThere = existsSync(join(project, 'node_modules', own === undefined ? other : join(name, own)));
        if (own !== undefined && isThere) files.add(own);
        // The tests of a source need a test runner.
        if (!isThere && !needed.startsWith('node:') && needed !== 'vitest') missing.push(`${file}: ${needed}`);
      }
    expect(missing).toEqual([]);
  });
});

it('with only npx and the tarball, init creates a skill, install sets up a host, and the host gets the skill', async () => {
  const { filename = '' } = packed.get('footbridge') ?? {};
  writeFileSync(join(empty, filename), readFileSync(join(tarballs, filename)));
  const both = 'footbridge init hello && footbridge install --yes --host cursor';
  const shown = await run(empty, 'npx', '--yes', '--prefer-offline', '--package', `./${filename}`, '--call', both);
  expect(shown).toContain('served as skill://hello/SKILL.md');
  const { command, args } = JSON.parse(readFileSync(join(empty, '.cursor', 'mcp.json'), 'utf8')).mcpServers.footbridge;
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command, args, cwd: empty, env: npmEnvironment(), stderr: 'ignore' }));
  const { content } = await client.callTool({ name: 'skill', arguments: { name: 'hello' } });
  await client.close();
  expect(content).toEqual([{ type: 'text', text: expect.stringContaining('Loading: hello') }]);
}, 120_000);
