// Builds every package: the modules with tsc, the schema for editors, the command and its page as bundles.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';
import { writeSchema } from './schema.mjs';

const root = join(import.meta.dirname, '..');
const footbridge = join(root, 'packages', 'footbridge');

rmSync(join(footbridge, 'dist'), { recursive: true, force: true });
execFileSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', footbridge], { stdio: 'inherit' });
await writeSchema(pathToFileURL(`${footbridge}/`));
await bundle(
  join(footbridge, 'dist', 'cli', 'run.js'),
  join(footbridge, 'dist', 'cli', 'head-start.js'),
  join(footbridge, 'page'),
  join(footbridge, 'bundle'),
);
