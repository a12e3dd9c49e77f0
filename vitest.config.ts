import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { defineConfig } from 'vitest/config';

const shared = {
  pool: 'forks' as const,
  setupFiles: ['packages/footbridge/tests/support/coverage.ts'],
  testTimeout: 30_000,
  hookTimeout: 30_000,
  // What is tested is what was built, loaded as Node loads it.
  server: { deps: { external: [/packages\/(?:footbridge|engage|quilt)\/dist\//] } },
};

/** Tests that start the program again and again: they are for what people run, and would take too long on the modules. */
const PROGRAM = [
  'packages/footbridge/tests/contract/**/*.test.ts',
  'packages/footbridge/tests/http/{access,clients,hostile,replicas}.test.ts',
  'packages/footbridge/tests/{catalogue,changes,docs,from-nothing,hostile,packs-http,published,wrap-command}.test.ts',
  'packages/footbridge/tests/{npm-servers,wrap-clients}.test.ts',
  'packages/footbridge/tests/crossing-{clients,http,questions}.test.ts',
  'packages/footbridge/tests/upstream-{end,life,memory,scale,start}.test.ts',
];

/** Tests that collect for real: for `sos`, as root. Elsewhere they are left out with a word, and never where all must run. */
const COLLECTING =
  'packages/engage/tests/{artifacts,codes,end-to-end,end-to-end-page,hostile,restart,results,secret,sos-jobs,sos-order,sos-processes}.test.ts';
const folders = (process.env['PATH'] ?? '').split(delimiter);
const mustAll = Boolean(process.env['CI'] || process.env['FOOTBRIDGE_REQUIRE_ALL']);
const collects = mustAll || (process.getuid?.() === 0 && folders.some((folder) => existsSync(join(folder, 'sos'))));
if (!collects && process.argv.includes('engage')) console.warn(`sos is not installed, or this is not root: not run are ${COLLECTING}`);

export default defineConfig({
  test: {
    // Much of what tests do is waiting: two more than there are cores keep them busy.
    maxWorkers: 4,
    projects: [
      // A server that stands still for a second is left out of a first list, as it should be; what is broken fails twice.
      { test: { ...shared, name: 'program', include: PROGRAM, retry: 1 } },
      {
        test: { ...shared, name: 'engage', retry: 1, include: ['packages/engage/tests/*.test.ts'], exclude: collects ? [] : [COLLECTING] },
      },
      { test: { ...shared, name: 'quilt', retry: 1, include: ['packages/quilt/tests/*.test.ts'] } },
      {
        test: {
          ...shared,
          name: 'rest',
          include: ['packages/footbridge/tests/*.test.ts', 'packages/footbridge/tests/http/*.test.ts'],
          exclude: PROGRAM,
        },
      },
    ],
  },
});
