/** Writes this process's coverage when a test file ends: a worker may be ended without a chance to. */
import { takeCoverage } from 'node:v8';
import { afterAll } from 'vitest';

afterAll(() => {
  if (process.env['NODE_V8_COVERAGE'] !== undefined) takeCoverage();
});
