// Builds every package: the modules with tsc, the schema for editors, the command, its page and the packs as bundles.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle, licences } from './bundle.mjs';
import { bundleEngagePage } from './engage-page.mjs';
import { bundlePack } from './pack.mjs';
import { writeSchema } from './schema.mjs';

const root = join(import.meta.dirname, '..');
const footbridge = join(root, 'packages', 'footbridge');
const engage = join(root, 'packages', 'engage');

compile(footbridge);
await writeSchema(pathToFileURL(`${footbridge}/`));
await bundle(
  join(footbridge, 'dist', 'cli', 'run.js'),
  join(footbridge, 'dist', 'cli', 'head-start.js'),
  join(footbridge, 'page'),
  join(footbridge, 'bundle'),
);
compile(engage);
const bundled = join(engage, 'bundle');
rmSync(bundled, { recursive: true, force: true });
const modules = [
  ...(await bundlePack(join(engage, 'src', 'index.ts'), bundled)),
  ...(await bundleEngagePage(join(engage, 'page'), join(bundled, 'page'))),
];
writeFileSync(join(bundled, 'THIRD-PARTY-LICENSES.txt'), licences(modules));

function compile(folder) {
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  execFileSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder], { stdio: 'inherit' });
}
