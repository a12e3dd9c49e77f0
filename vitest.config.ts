import { defineConfig } from 'vitest/config';

const shared = {
  pool: 'forks' as const,
  setupFiles: ['packages/footbridge/tests/support/coverage.ts'],
  testTimeout: 30_000,
  hookTimeout: 30_000,
  // What is tested is what was built, loaded as Node loads it.
  server: { deps: { external: [/packages\/footbridge\/dist\//] } },
};

/** Of the tests over HTTP, those that start the program, and so hold for the bundle too. */
const PROGRAM_OVER_HTTP = 'packages/*/tests/http/{access,clients,replicas}.test.ts';

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { ...shared, name: 'contract', include: ['packages/*/tests/contract/**/*.test.ts', PROGRAM_OVER_HTTP] } },
      {
        test: {
          ...shared,
          name: 'rest',
          include: ['packages/*/tests/*.test.ts', 'packages/*/tests/http/*.test.ts'],
          exclude: [PROGRAM_OVER_HTTP],
        },
      },
    ],
  },
});
