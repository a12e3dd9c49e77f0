/** A release: versions, the entry for the MCP registry, and the workflows. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import * as z from 'zod/v4';
import type { Json } from './support/client.js';
import { run } from './support/command.js';
import { repository, textOfDocument } from './support/documents.js';
import { createWorld } from './support/folders.js';

const manifest = JSON.parse(textOfDocument('packages/footbridge/package.json'));

it('every package, server.json and deploy/ have the version of the workspace', () => {
  const { version } = JSON.parse(textOfDocument('package.json'));
  execFileSync(process.execPath, [join(repository, 'scripts', 'version.mjs'), '--check', version], { stdio: 'pipe' });
  expect(() =>
    execFileSync(process.execPath, [join(repository, 'scripts', 'version.mjs'), '--check', '99.0.0'], { stdio: 'pipe' }),
  ).toThrow(/packages\/footbridge\/package\.json.*server\.json.*deploy\/Dockerfile/);
});

const validServer = new Ajv({
  allErrors: true,
  formats: { uri: (text: string) => URL.canParse(text), 'uri-template': true },
}).compile(JSON.parse(textOfDocument('packages/footbridge/tests/fixtures/server-json.schema.json')));

/** Where server.json breaks the rules of the MCP registry, after a change. */
function problemsOf(change: (server: Json) => void = () => {}): readonly string[] {
  const server = JSON.parse(textOfDocument('server.json'));
  change(server);
  return validServer(server) ? [] : (validServer.errors ?? []).map(({ instancePath }) => instancePath);
}

describe('server.json', () => {
  it('is valid by the schema of the MCP registry', () => {
    expect(problemsOf()).toEqual([]);
  });

  it.each<[string, string, (server: Json) => void]>([
    ['without a description', '', (server) => delete server.description],
    ['with a long description', '/description', (server) => Object.assign(server, { description: 'x'.repeat(101) })],
    ['with a name of one part', '/name', (server) => Object.assign(server, { name: 'footbridge' })],
    ['with a website that is no URL', '/websiteUrl', (server) => Object.assign(server, { websiteUrl: 'footbridge' })],
    ['with a package without an identifier', '/packages/0', ({ packages }) => delete packages[0].identifier],
    ['with any version of a package', '/packages/0/version', ({ packages }) => Object.assign(packages[0], { version: 'latest' })],
    ['with an unknown transport', '/packages/0/transport', ({ packages }) => Object.assign(packages[0].transport, { type: 'pipe' })],
    [
      'with a named argument without a name',
      '/packages/0/packageArguments/0',
      ({ packages: [{ packageArguments }] }) => delete packageArguments[0].name,
    ],
    ['with a remote without a URL', '/remotes/0', (server) => Object.assign(server, { remotes: [{ type: 'sse' }] })],
    [
      'with an icon of another type',
      '/icons/0/mimeType',
      (server) => Object.assign(server, { icons: [{ src: 'https://example.org/i', mimeType: 'image/gif' }] }),
    ],
  ])('%s is not', (_what, place, change) => {
    expect(problemsOf(change)).toContain(place);
  });

  it('names the package, its exact version, and options that it has, and the package has its name', async () => {
    const server = JSON.parse(textOfDocument('server.json'));
    const [published] = server.packages;
    expect(server.packages).toHaveLength(1);
    expect(published).toMatchObject({ registryType: 'npm', identifier: manifest.name, version: manifest.version, runtimeHint: 'npx' });
    expect([server.version, manifest.mcpName]).toEqual([manifest.version, server.name]);
    const { stdout } = await run(createWorld(), 'serve', '--help');
    for (const { name } of published.packageArguments) expect(stdout).toContain(`${name} `);
  });
});

it('npm version gives the unreleased changes and those of the commits the version, and the release has them for notes', () => {
  const folder = createWorld().project;
  const files = ['package.json', 'package-lock.json', 'server.json', 'docs/getting-started.md', '.gitignore'];
  const folders = ['deploy', 'scripts', ...['footbridge', 'engage', 'quilt'].map((name) => `packages/${name}/package.json`)];
  for (const path of [...files, ...folders]) cpSync(join(repository, path), join(folder, path), { recursive: true });
  const person = {
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
  };
  const run = (command: string, ...args: readonly string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe', env: { ...process.env, ...person } });
  const commit = (subject: string) => run('git', 'commit', '--quiet', '--allow-empty', '--message', subject);
  writeFileSync(
    join(folder, 'CHANGELOG.md'),
    '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- **Bridges.** They are longer.\n\n## [0.0.9]\n\n- Old.\n',
  );
  run('git', 'init', '--quiet');
  commit('feat: what is known already');
  run('git', 'tag', 'v0.0.9');
  for (const subject of ['feat(page)!: show bridges', 'fix: close the gate', 'test: try it', 'feat(bench): count', 'not of any form'])
    commit(subject);
  run('git', 'add', '--all');
  commit('chore: begin');
  run('npm', 'version', 'minor');

  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const notes =
    '### Added\n\n- **Bridges.** They are longer.\n\n### Every change, by commit\n\n#### New\n\n- page: show bridges (breaking)\n\n#### Fixed\n\n- close the gate\n';
  expect(run(process.execPath, 'scripts/changes.mjs')).toBe(notes);
  expect(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')).toBe(
    `# Changelog\n\n## [Unreleased]\n\n## [${version}] - ${new Date().toISOString().slice(0, 10)}\n\n${notes}\n## [0.0.9]\n\n- Old.\n`,
  );
  expect(run('git', 'tag', '--points-at', 'HEAD')).toBe(`v${version}\n`);
  expect(run('git', 'status', '--porcelain')).toBe('');
  run(process.execPath, 'scripts/version.mjs', '--check', version);
});

const step = z.union([
  z.strictObject({ uses: z.string().regex(/^[\w-]+\/[\w-]+@v\d+$/), with: z.record(z.string(), z.unknown()).optional() }),
  z.strictObject({
    name: z.string().optional(),
    if: z.string().optional(),
    run: z.string(),
    env: z.record(z.string(), z.string()).optional(),
  }),
]);
const permissions = z.record(z.enum(['contents', 'id-token', 'packages']), z.enum(['read', 'write']).optional());
const job = z.union([
  z.strictObject({ uses: z.string().startsWith('./') }),
  z.strictObject({
    name: z.string().optional(),
    needs: z.string().optional(),
    'runs-on': z.string(),
    'timeout-minutes': z.number().int().positive(),
    environment: z.string().optional(),
    permissions: permissions.optional(),
    strategy: z
      .strictObject({ 'fail-fast': z.boolean(), matrix: z.record(z.string(), z.array(z.union([z.string(), z.number()]))) })
      .optional(),
    steps: z.array(step).min(1),
  }),
]);
const workflow = z.strictObject({
  name: z.string(),
  on: z.record(z.enum(['push', 'pull_request', 'workflow_call']), z.unknown().optional()),
  permissions,
  concurrency: z.strictObject({ group: z.string(), 'cancel-in-progress': z.boolean() }).optional(),
  jobs: z.record(z.string(), job),
});

/** What GitHub's own parser finds in a workflow: unknown keys, jobs and contexts, and wrong types. */
async function findingsIn(name: string, content: string): Promise<readonly string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  if (value !== undefined) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

it.each([
  ['an unknown key', 'stepz: []', /stepz/],
  ['a job that does not exist', 'needs: nobody', /no dependencies/],
  ['an unknown context', 'if: nowhere.at == 1', /nowhere/],
])('GitHub’s parser finds %s', async (_what, line, expected) => {
  const workflow = `on: push\njobs:\n  one:\n    runs-on: ubuntu-latest\n    ${line}\n    steps:\n      - run: 'true'\n`;
  expect((await findingsIn('planted.yml', workflow)).join('\n')).toMatch(expected);
});

const FOLDER = join(repository, '.github', 'workflows');

describe.each(readdirSync(FOLDER))('.github/workflows/%s', (name) => {
  const document = parseDocument(readFileSync(join(FOLDER, name), 'utf8'), { strict: true, uniqueKeys: true });
  const { jobs, permissions: granted } = workflow.parse(document.toJS());
  const steps = Object.values(jobs).flatMap((each) => ('steps' in each ? each.steps : []));
  const commands = steps.flatMap((each) => ('run' in each ? [each.run] : []));

  it('is valid, and grants jobs read access unless they request more', async () => {
    expect(await findingsIn(name, readFileSync(join(FOLDER, name), 'utf8'))).toEqual([]);
    expect(document.errors).toEqual([]);
    expect(document.warnings).toEqual([]);
    expect(granted).toEqual({ contents: 'read' });
  });

  it('refers only to existing jobs, workflows, scripts and matrix variables', () => {
    const { scripts } = JSON.parse(textOfDocument('package.json'));
    for (const each of Object.values(jobs)) {
      if ('uses' in each) expect(existsSync(join(repository, each.uses))).toBe(true);
      else if (each.needs !== undefined) expect(jobs).toHaveProperty(each.needs);
      const matrix = 'strategy' in each ? each.strategy?.matrix : undefined;
      for (const [, key = ''] of JSON.stringify(each).matchAll(/matrix\.(\w+)/g)) expect(matrix).toHaveProperty(key);
    }
    for (const [, script = ''] of commands.join('\n').matchAll(/npm run (?:--silent )?([\w:]+)/g)) expect(scripts).toHaveProperty([script]);
    for (const [, file = ''] of commands.join('\n').matchAll(/node (scripts\/\S+)/g)) expect(existsSync(join(repository, file))).toBe(true);
  });

  it('has valid shell commands, without interpolated event data', () => {
    for (const command of commands) {
      execFileSync('bash', ['-n', '-c', command.replaceAll(/\$\{\{[^}]*\}\}/g, 'x')]);
      expect(command).not.toMatch(/\$\{\{\s*github\.(?:event|head_ref)/);
    }
  });
});

it('tests run on three systems and three Node versions before a release publishes every package with provenance', () => {
  const { jobs } = parseDocument(readFileSync(join(FOLDER, 'test.yml'), 'utf8')).toJS();
  expect(jobs.test.strategy.matrix).toEqual({ os: ['ubuntu-latest', 'macos-latest', 'windows-latest'], node: [20, 22, 24] });
  const release = parseDocument(readFileSync(join(FOLDER, 'release.yml'), 'utf8')).toJS().jobs;
  expect(release.publish).toMatchObject({ needs: 'test', permissions: { 'id-token': 'write' } });
  expect(JSON.stringify(release.publish.steps)).toContain('npm publish --workspaces --provenance');
});
