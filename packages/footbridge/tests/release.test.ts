/** What a release consists of: versions, the entry for the MCP registry, and the workflows. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import * as z from 'zod/v4';
import { repository, textOfDocument } from './support/documents.js';

const manifest = JSON.parse(textOfDocument('packages/footbridge/package.json'));

it('every package, server.json and deploy/ have the version of the workspace', () => {
  const { version } = JSON.parse(textOfDocument('package.json'));
  execFileSync(process.execPath, [join(repository, 'scripts', 'version.mjs'), '--check', version], { stdio: 'pipe' });
  expect(() =>
    execFileSync(process.execPath, [join(repository, 'scripts', 'version.mjs'), '--check', '99.0.0'], { stdio: 'pipe' }),
  ).toThrow(/packages\/footbridge\/package\.json.*server\.json.*deploy\/Dockerfile/);
});

/** The rules of the schema of 2025-12-11, and those of the registry for npm packages. */
const exactVersion = z.string().regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/);
const argument = z.strictObject({
  type: z.enum(['named', 'positional']),
  name: z.string().startsWith('--'),
  description: z.string().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  isRequired: z.boolean().optional(),
  isRepeated: z.boolean().optional(),
});
const serverFile = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: exactVersion,
  packages: z.array(
    z.strictObject({
      registryType: z.literal('npm'),
      identifier: z.literal(manifest.name),
      version: exactVersion,
      runtimeHint: z.literal('npx'),
      transport: z.strictObject({ type: z.literal('stdio') }),
      packageArguments: z.array(argument),
    }),
  ),
});

it('server.json follows the rules of the MCP registry, and the package has its name', () => {
  const server = serverFile.parse(JSON.parse(textOfDocument('server.json')));
  expect(manifest.mcpName).toBe(server.name);
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
