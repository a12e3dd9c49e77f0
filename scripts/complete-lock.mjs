// Adds to package-lock.json the packages for other platforms that npm left out, as it does when a registry does not
// offer them: without them nothing that has native parts would work on those platforms, and `npm ci` refuses the file.
// With the path of a folder it is the lock there.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const path = join(import.meta.dirname, '..', process.argv[2] ?? '.', 'package-lock.json');
const lock = JSON.parse(readFileSync(path, 'utf8'));

const SYSTEMS = {
  darwin: 'darwin',
  linux: 'linux',
  android: 'android',
  freebsd: 'freebsd',
  openbsd: 'openbsd',
  netbsd: 'netbsd',
  openharmony: 'openharmony',
  win32: 'win32',
  sunos: 'sunos',
  aix: 'aix',
};
const PROCESSORS = {
  arm64: 'arm64',
  x64: 'x64',
  ia32: 'ia32',
  arm: 'arm',
  armv7: 'arm',
  'arm-gnueabihf': 'arm',
  riscv64: 'riscv64',
  ppc64: 'ppc64',
  s390x: 's390x',
  loong64: 'loong64',
  wasm32: 'wasm32',
  mips64el: 'mips64el',
};

let added = 0;
for (const [place, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const platform = platformOf(name);
    // Only what is for another platform is passed over without being asked for.
    if (platform === undefined || !/^\d/.test(version) || found(place, name)?.version === version) continue;
    const beside = place.slice(0, place.lastIndexOf('node_modules/') + 'node_modules/'.length) + name;
    const key = beside in lock.packages ? `${place}/node_modules/${name}` : beside;
    lock.packages[key] = { version, ...platform, ...(entry.dev ? { dev: true } : {}), optional: true };
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([one], [other]) => (one < other ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, undefined, 2)}\n`);
console.log(`${added} packages for other platforms added`);

/** What a package is for, by the name that all of them follow: `…-linux-arm64-musl`. */
function platformOf(name) {
  const parts = name.split(/[/-]/);
  const system = parts.map((part) => SYSTEMS[part]).find(Boolean);
  const processor = parts.map((part) => PROCESSORS[part]).find(Boolean);
  if (processor === 'wasm32') return { cpu: ['wasm32'] };
  if (system === undefined) return undefined;
  const libc = system === 'linux' && parts.includes('musl') ? { libc: ['musl'] } : {};
  return { ...(processor === undefined ? {} : { cpu: [processor] }), ...libc, os: [system] };
}

/** What a package at `place` gets when it asks for `name`. */
function found(place, name) {
  for (let folder = `${place}/`; ; folder = folder.slice(0, folder.lastIndexOf('node_modules/'))) {
    const entry = lock.packages[`${folder}node_modules/${name}`];
    if (entry !== undefined || folder === '') return entry;
  }
}
