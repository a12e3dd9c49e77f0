// npm run test:program [FILE …]: builds if anything is out of date, then runs the tests that start programs.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { makeReady, root } from './ready.mjs';

makeReady();
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'program', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
