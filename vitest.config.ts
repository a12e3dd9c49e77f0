import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const UNIT = 'packages/*/tests/**/*.test.ts';
/** Unit tests of modules that remember something for the life of a process. */
const ISOLATED = 'packages/*/tests/**/*.isolated.test.ts';
/** Tests that start programs. */
const PROGRAM = 'packages/*/tests/**/*.program.test.ts';
/** Tests that collect a real report, which takes `sos` and root. */
const SOS = 'packages/*/tests/**/*.sos.program.test.ts';

const requireAll = Boolean(process.env['FOOTBRIDGE_REQUIRE_ALL']);
const path = (process.env['PATH'] ?? '').split(delimiter);
const canCollect = requireAll || (process.getuid?.() === 0 && path.some((folder) => existsSync(join(folder, 'sos'))));

const src = (file: string) => join(import.meta.dirname, 'packages', 'footbridge', 'src', file);
const shared = {
  pool: 'forks' as const,
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Patient enough for a loaded machine: what is waited for comes at once, or never.
  expect: { poll: { timeout: 20_000, interval: 20 } },
  // It imports JSON without the attribute that Node requires.
  server: { deps: { inline: [/@actions\//] } },
};
/** The packages import each other by name; here that means their sources. */
const resolve = {
  alias: [
    { find: /^footbridge$/, replacement: src('index.ts') },
    { find: /^footbridge\/(pack|testing)$/, replacement: src('$1.ts') },
    { find: /^footbridge\/state$/, replacement: src('state/index.ts') },
    { find: /^.*\/packages\/(engage|quilt)\/bundle\/index\.js$/, replacement: join(import.meta.dirname, 'packages/$1/src/index.ts') },
  ],
};

/** The files that take longest, in this order. They begin first, so that no worker is left alone with one of them. */
const LONGEST = [
  'sign-in',
  'http/unread',
  'event-loop',
  'archive-memory',
  'page',
  'quilt/tests/secrets',
  'http/hostile',
  'docs',
  'upstream-on-demand',
  'crossing-http',
  'upstream-life',
  'secret.sos',
  'surface',
  'npm-servers',
  'page-host',
  'shared-state',
  'quilt/tests/resources',
  'crossing-questions',
  'contract/loader',
  'config-watch',
  'hostile',
  'changes',
  'contract/unread-log',
  'newcomer',
  'from-nothing',
  'published',
  'restart.sos',
  'quilt/tests/athena',
  'keychain',
  'quilt/tests/sessions',
  'codes.sos',
  'upstream-hostile',
  'http/replicas',
  'wrap-clients',
  'http/memory',
  'upstream-scale',
  'sos-processes.sos',
  'lock-serving',
  'wrap-command',
  'http/life',
  'tool-search',
  'quilt/tests/errors-remote',
  'sos-jobs.sos',
];
/** Each by itself: a worker is kept only for files of the same project. */
const PROJECTS = ['unit-isolated', 'program', 'unit', 'all'];

/** By project, then as `LONGEST` says, then programs, then by size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project: { name } }: TestSpecification) => {
      const index = LONGEST.findIndex((file) => new RegExp(`/${file}(?:\\.program)?\\.test\\.ts$`).test(moduleId));
      const others = moduleId.endsWith('.program.test.ts') ? LONGEST.length : LONGEST.length + 1;
      return PROJECTS.indexOf(name) * 100 + (index === -1 ? others : index);
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}

/** Files of such a project share the modules of a worker: loading them for each file would take longer than the tests. */
function project(name: string, include: string[], exclude: string[], testTimeout = shared.testTimeout) {
  const skipped = ['**/node_modules/**', ...exclude, ...(canCollect ? [] : [SOS])];
  return { resolve, test: { ...shared, name, isolate: false, testTimeout, include, exclude: skipped } };
}

const unit = project('unit', [UNIT], [PROGRAM, ISOLATED]);
const isolated = { resolve, test: { ...shared, name: 'unit-isolated', include: [ISOLATED], exclude: ['**/node_modules/**'] } };
const program = project('program', [PROGRAM], [], 90_000);
/** `npm test` runs all files in the same workers, so that each loads the sources once. */
const isWhole = process.env['FOOTBRIDGE_TEST_COVERAGE'] !== undefined;

export default defineConfig({
  test: {
    // Tests mostly wait, for other processes and for time to pass: more workers than cores keep the cores busy.
    maxWorkers: 6,
    globalSetup: ['packages/footbridge/tests/support/temporary-folder.ts'],
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      reporter: ['text'],
      reportOnFailure: true,
    },
    projects: isWhole ? [isolated, project('all', [UNIT], [ISOLATED], 90_000)] : [unit, isolated, program],
  },
});
