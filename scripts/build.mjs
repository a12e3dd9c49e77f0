// Builds every package: modules and declarations with tsc, the JSON Schema, the bundles, and the generated parts of the documentation.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { install, root } from './ready.mjs';
import { writeSchema } from './schema.mjs';

install('.');
// These need packages that may have been installed just now.
const { bundle, licences } = await import('./bundle.mjs');
const { bundleEngagePage } = await import('./engage-page.mjs');
const { bundleLibrary, bundlePack } = await import('./library.mjs');

/** The entry points of `footbridge`, as in its `exports`. */
const ENTRIES = { index: 'index', pack: 'pack', state: 'state/index', testing: 'testing' };

const footbridge = join(root, 'packages', 'footbridge');

compile(footbridge);
await writeSchema(pathToFileURL(`${footbridge}/`));
await bundle(
  join(footbridge, 'dist', 'cli', 'run.js'),
  join(footbridge, 'dist', 'cli', 'head-start.js'),
  join(footbridge, 'page'),
  join(footbridge, 'bundle'),
);
await bundleLibrary(ENTRIES, join(footbridge, 'src'), join(footbridge, 'dist'), join(footbridge, 'lib'));
await buildPack('engage', (folder, bundled) => bundleEngagePage(join(folder, 'page'), join(bundled, 'page')));
await buildPack('quilt');
execFileSync(process.execPath, [join(root, 'scripts', 'docs.mjs')], { stdio: 'inherit' });

/** `bundlePages` bundles the pages of a pack and returns their modules. */
async function buildPack(name, bundlePages = () => []) {
  const folder = join(root, 'packages', name);
  const bundled = join(folder, 'bundle');
  compile(folder);
  rmSync(bundled, { recursive: true, force: true });
  const modules = [...(await bundlePack(join(folder, 'src'), join(folder, 'dist'), bundled)), ...(await bundlePages(folder, bundled))];
  writeFileSync(join(bundled, 'THIRD-PARTY-LICENSES.txt'), licences(modules));
}

function compile(folder) {
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  execFileSync(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder, '--singleThreaded'], {
    stdio: 'inherit',
  });
}
