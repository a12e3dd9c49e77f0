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
  'http/hostile',
  'secret.sos',
  'event-loop',
  'docs',
  'restart.sos',
  'wrap-clients',
  'upstream-life',
  'shared-state',
  'surface',
  'sos-jobs.sos',
  'page-host',
  'sign-in',
  'crossing-http',
  'npm-servers',
  'page',
  'quilt/tests/secrets',
  'quilt/tests/resources',
  'crossing-questions',
  'hostile',
  'http/replicas',
  'end-to-end.sos',
  'packs',
  'contract/parity',
  'install.isolated',
  'regular-expressions.isolated',
  'changes',
  'config-watch',
  'auth',
  'http/life',
  'http/subscription-limits',
  'catalogue',
  'host-profiles',
  'changes-during-calls',
  'parts',
  'search',
];
/** What files are called that run one after the other: a worker is kept only for files of the same project. */
const KINDS = [/\.isolated\.test\.ts$/, /\.program\.test\.ts$/, /\.test\.ts$/];

/** By kind, then as `LONGEST` says, then by size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = LONGEST.findIndex((name) => new RegExp(`/${name}(?:\\.program)?\\.test\\.ts$`).test(moduleId));
      return KINDS.findIndex((kind) => kind.test(moduleId)) * 100 + (index === -1 ? LONGEST.length : index);
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
    // Tests mostly wait for other processes: more workers than cores keep the cores busy.
    maxWorkers: 4,
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
