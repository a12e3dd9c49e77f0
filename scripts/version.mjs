// Run by `npm version`: writes the version of the workspace into every package, server.json and deploy/, and its section into CHANGELOG.md.
// With --check VERSION, only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHANGELOG, released } from './changes.mjs';
import { root } from './ready.mjs';

const PACKAGES = ['footbridge', 'engage', 'quilt'].map((name) => `packages/${name}`);
/** Files that name the version in a command. */
const PAGES = ['deploy/Dockerfile', 'deploy/README.md', 'deploy/kubernetes.yaml', 'docs/getting-started.md'];
const NAMED = /(?<=footbridge[-:]|FOOTBRIDGE_VERSION=)\d+\.\d+\.\d+(?:-[\w.]*\w)?(?=\.tgz\b|\s|$)/g;

const [option, expected] = process.argv.slice(2);
const version = option === '--check' ? expected : read('package.json').version;

const files = new Map();
for (const folder of PACKAGES) files.set(`${folder}/package.json`, json(withVersion(read(`${folder}/package.json`))));
const lock = read('package-lock.json');
for (const folder of PACKAGES) withVersion(lock.packages[folder]);
files.set('package-lock.json', json(lock));
const server = read('server.json');
for (const each of [server, ...server.packages]) each.version = version;
files.set('server.json', json(server));
for (const file of PAGES) files.set(file, text(file).replaceAll(NAMED, version));

const different = [...files].filter(([file, content]) => content !== text(file) && !isSameJson(file, content)).map(([file]) => file);
if (option === '--check') {
  if (different.length > 0) {
    process.stderr.write(`These files do not have version ${version}: ${different.join(', ')}. Run npm version, which updates them.\n`);
    process.exit(1);
  }
} else {
  for (const file of different) writeFileSync(join(root, file), files.get(file));
  writeFileSync(join(root, CHANGELOG), released(text(CHANGELOG), version));
}

function withVersion(manifest) {
  manifest.version = version;
  if (manifest.peerDependencies?.footbridge !== undefined) manifest.peerDependencies.footbridge = `^${version}`;
  return manifest;
}

function text(file) {
  return readFileSync(join(root, file), 'utf8');
}

function read(file) {
  return JSON.parse(text(file));
}

function json(value) {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** The layout does not count. */
function isSameJson(file, content) {
  return file.endsWith('.json') && JSON.stringify(JSON.parse(text(file))) === JSON.stringify(JSON.parse(content));
}
