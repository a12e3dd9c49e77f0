import { defineConfig } from 'vitest/config';

const shared = {
  pool: 'forks' as const,
  setupFiles: ['packages/footbridge/tests/support/coverage.ts'],
  testTimeout: 30_000,
  hookTimeout: 30_000,
  // What is tested is what was built, loaded as Node loads it.
  server: { deps: { external: [/packages\/footbridge\/dist\//] } },
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { ...shared, name: 'contract', include: ['packages/*/tests/contract/**/*.test.ts'] } },
      { test: { ...shared, name: 'rest', include: ['packages/*/tests/*.test.ts', 'packages/*/tests/http/*.test.ts'] } },
    ],
  },
});
