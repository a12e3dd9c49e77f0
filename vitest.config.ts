import { defineConfig } from 'vitest/config';

const shared = {
  pool: 'forks' as const,
  setupFiles: ['packages/footbridge/tests/support/coverage.ts'],
  testTimeout: 30_000,
  hookTimeout: 30_000,
  // What is tested is what was built, loaded as Node loads it.
  server: { deps: { external: [/packages\/footbridge\/dist\//] } },
};

/** Tests that start the program again and again: they are for what people run, and would take too long on the modules. */
const PROGRAM = [
  'packages/*/tests/contract/**/*.test.ts',
  'packages/*/tests/http/{access,clients,hostile,replicas}.test.ts',
  'packages/*/tests/{changes,hostile}.test.ts',
  'packages/*/tests/{npm-servers,wrap-clients}.test.ts',
  'packages/*/tests/crossing-{clients,http}.test.ts',
  'packages/*/tests/upstream-{end,life,scale,start}.test.ts',
];

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { ...shared, name: 'program', include: PROGRAM } },
      {
        test: {
          ...shared,
          name: 'rest',
          include: ['packages/*/tests/*.test.ts', 'packages/*/tests/http/*.test.ts'],
          exclude: PROGRAM,
        },
      },
    ],
  },
});
