// Builds every package: the modules with tsc, the schema for editors, the command, its page and the packs as bundles,
// and what the documentation says of them.
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

compile(footbridge);
await writeSchema(pathToFileURL(`${footbridge}/`));
await bundle(
  join(footbridge, 'dist', 'cli', 'run.js'),
  join(footbridge, 'dist', 'cli', 'head-start.js'),
  join(footbridge, 'page'),
  join(footbridge, 'bundle'),
);
await buildPack('engage', (folder, bundled) => bundleEngagePage(join(folder, 'page'), join(bundled, 'page')));
await buildPack('quilt');
execFileSync(process.execPath, [join(root, 'scripts', 'docs.mjs')], { stdio: 'inherit' });

/** `more` bundles what a pack has beside its module, and gives the modules of that. */
async function buildPack(name, more = () => []) {
  const folder = join(root, 'packages', name);
  const bundled = join(folder, 'bundle');
  compile(folder);
  rmSync(bundled, { recursive: true, force: true });
  const modules = [...(await bundlePack(join(folder, 'src', 'index.ts'), bundled)), ...(await more(folder, bundled))];
  writeFileSync(join(bundled, 'THIRD-PARTY-LICENSES.txt'), licences(modules));
}

function compile(folder) {
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  execFileSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder], { stdio: 'inherit' });
}
