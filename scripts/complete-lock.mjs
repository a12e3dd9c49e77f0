// Adds the packages for other platforms that npm left out of package-lock.json, as it does if a registry does not offer them.
// Without them, native packages do not work on those platforms and `npm ci` rejects the file.
// An argument names the folder of another package-lock.json.
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
    // npm leaves out only packages for other platforms.
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

/** The platform in the name of a package, such as `…-linux-arm64-musl`. */
function platformOf(name) {
  const parts = name.split(/[/-]/);
  const system = parts.map((part) => SYSTEMS[part]).find(Boolean);
  const processor = parts.map((part) => PROCESSORS[part]).find(Boolean);
  if (processor === 'wasm32') return { cpu: ['wasm32'] };
  if (system === undefined) return undefined;
  const libc = system === 'linux' && parts.includes('musl') ? { libc: ['musl'] } : {};
  return { ...(processor === undefined ? {} : { cpu: [processor] }), ...libc, os: [system] };
}

/** The package that `name` resolves to from `place`. */
function found(place, name) {
  for (let folder = `${place}/`; ; folder = folder.slice(0, folder.lastIndexOf('node_modules/'))) {
    const entry = lock.packages[`${folder}node_modules/${name}`];
    if (entry !== undefined || folder === '') return entry;
  }
}
