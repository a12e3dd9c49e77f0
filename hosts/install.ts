/** Installs hosts from npm at their pinned versions, each into a folder of its own in a cache outside the workspace. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Host } from './host.js';
import { fieldOf, parsed } from './json.js';

const INSTALL_MS = 10 * 60_000;
/** The packages that contain a Node of that major version. */
const NODE: Readonly<Record<number, string>> = { 22: '22.23.2' };

export interface InstalledHost {
  /** The command that starts the host. */
  readonly program: string;
  /** The folder of the Node that the host needs, if it needs another. */
  readonly nodeFolder?: string;
}

/** The folder that hosts are installed into: `FOOTBRIDGE_HOSTS`, or one in the user's cache. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return env['FOOTBRIDGE_HOSTS'] ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'footbridge', 'hosts');
}

/** Installs a host if it is missing; throws if that fails. */
export function installHost(host: Host): InstalledHost {
  const folder = join(cacheFolder(), `${host.id}-${host.version}`);
  const modules = join(folder, 'node_modules');
  const node = host.node === undefined ? undefined : nodePackage(host.node);
  if (installedVersion(modules, host.package) !== host.version) {
    const draft = `${folder}.draft`;
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    writeFileSync(join(draft, 'package.json'), '{ "name": "host", "private": true }\n');
    npmInstall(draft, [`${host.package}@${host.version}`, ...(node === undefined ? [] : [node.spec])]);
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  }
  const program = join(modules, '.bin', process.platform === 'win32' ? `${host.bin}.cmd` : host.bin);
  if (!existsSync(program)) throw new Error(`${host.package} has no command ${host.bin}.`);
  return { program, ...(node === undefined ? {} : { nodeFolder: join(modules, node.name, 'bin') }) };
}

function nodePackage(major: number): { readonly name: string; readonly spec: string } {
  const { platform, arch } = process;
  const name = `node-${platform === 'win32' ? 'win' : platform === 'darwin' && arch === 'arm64' ? 'bin-darwin' : platform}-${arch}`;
  return { name, spec: `${name}@${NODE[major]}` };
}

function installedVersion(modules: string, name: string): unknown {
  const file = join(modules, name, 'package.json');
  return existsSync(file) ? fieldOf(parsed(readFileSync(file, 'utf8')), 'version') : undefined;
}

function npmInstall(folder: string, packages: readonly string[]): void {
  // Set by npm when it starts a script.
  const self = process.env['npm_execpath'];
  const [command, before] = self === undefined ? ['npm', []] : [process.execPath, [self]];
  const args = [...before, 'install', '--no-audit', '--no-fund', '--no-save', '--loglevel=error', ...packages];
  const options = { cwd: folder, timeout: INSTALL_MS, shell: self === undefined && process.platform === 'win32' };
  const { status } = spawnSync(command, args, { ...options, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`npm could not install ${packages.join(' and ')}.`);
}
