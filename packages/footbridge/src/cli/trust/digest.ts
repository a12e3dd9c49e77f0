/** The digest that trust is bound to: of a text, and of the project's files that it would run. */
import { createHash } from 'node:crypto';
import { constants, readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, delimiter, dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInside } from '../../sources/skills/folders.js';
import { statOf, withoutLinks } from '../folders.js';

/** A command that would run, its program first. */
export interface RunnableWords {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where its relative paths start. */
  readonly folder: string;
}

const LONGEST_WORD = 4096;
const MAX_WORDS = 10_000;
const CHUNK = 1024 * 1024;
/** The limit for all files together. A file beyond it is identified by its size, times and inode. */
const LARGEST = 256 * CHUNK;
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** `project` is without links. Changes whenever the text does, or one of the files. */
export async function trustDigest(
  project: string,
  text: Uint8Array | string,
  runnable: readonly RunnableWords[],
  modules: readonly string[] = [],
): Promise<string> {
  const files = new Set([...runnable.flatMap((each) => filesNamed(project, each)), ...modules.flatMap((each) => fileOf(project, each))]);
  const parts: (readonly [string, string])[] = [];
  let budget = LARGEST;
  for (const file of [...files].sort()) {
    const { bytes, digest } = await contentDigest(project, file, budget);
    budget -= bytes;
    parts.push([file, digest]);
  }
  const own = createHash('sha256').update(text).digest('hex');
  return `sha256:${createHash('sha256')
    .update(JSON.stringify([project, own, parts]))
    .digest('hex')}`;
}

/** A word may be a path, an option with one after `=`, or a command line for a shell. */
function filesNamed(project: string, { env = {}, folder, words }: RunnableWords): readonly string[] {
  const given = [...words, ...Object.values(env)].slice(0, MAX_WORDS).map((word) => word.replace(WORKSPACE, () => project));
  const parts = given.flatMap((word) => [word, ...word.slice(0, LONGEST_WORD).split(/[\s=;&|'"]+/)]);
  const unique = [...new Set(parts)]
    .slice(0, MAX_WORDS)
    .filter((part) => part !== '' && part.length <= LONGEST_WORD && !part.includes('\0'));
  const paths = unique.map((part) => ({ part, path: resolve(folder, part.startsWith('file:') ? pathOf(part) : part) }));
  const folders = [folder, ...paths.flatMap(({ path }) => (isFolderIn(project, path) ? [path] : []))];
  return [
    ...paths.flatMap(({ part, path }) => (isProgram(path, part) ? fileOf(project, path) : [])),
    // Windows looks for a program in the working folder first.
    ...SUFFIXES.flatMap((suffix) => fileOf(project, resolve(folder, `${words[0]}${suffix}`))),
    ...searchedFolders(project, env, folder).flatMap((each) => programsIn(project, each)),
    ...manifestsOf(project, unique, folders),
  ];
}

/** As hosts name the project in their own configurations. */
const WORKSPACE = /\$\{(?:workspaceFolder|workspaceRoot)\}/g;
const SUFFIXES = ['.com', '.exe', '.bat', '.cmd'];
/** Such as PATH, NODE_PATH, PYTHONPATH, LD_LIBRARY_PATH and PERL5LIB. */
const SEARCHED = /(?:PATH|LIB|HOME)$/i;
const MAX_SEARCHED = 100;
const MAX_PROGRAMS = 1000;

/** Folders in the project where a command looks for programs and modules. */
function searchedFolders(project: string, env: Readonly<Record<string, string>>, folder: string): readonly string[] {
  return Object.entries(env)
    .filter(([name]) => SEARCHED.test(name))
    .flatMap(([, value]) => value.slice(0, LONGEST_WORD).split(delimiter))
    .slice(0, MAX_SEARCHED)
    .flatMap((each) => (each !== '' && !each.includes('\0') && isFolderIn(project, resolve(folder, each)) ? [resolve(folder, each)] : []));
}

/** Programs and modules that lie in a folder itself, and the first file of a module in a folder of its own. */
function programsIn(project: string, folder: string): readonly string[] {
  const names = namesIn(folder);
  const files = names.flatMap((name) => [join(folder, name), ...MODULE_FILES.map((file) => join(folder, name, file))]);
  return files.flatMap((file) => (isProgram(file, file) || file.endsWith('package.json') ? fileOf(project, file) : []));
}

const MODULE_FILES = ['__init__.py', '__main__.py', 'package.json', 'index.js', 'index.cjs', 'index.mjs'];

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort().slice(0, MAX_PROGRAMS);
  } catch {
    // The command cannot read it either.
    return [];
  }
}

/** Files that determine what such a command runs. */
const MANIFESTS: readonly (readonly [command: RegExp, files: readonly string[]])[] = [
  [
    /^(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|corepack|bun|bunx)$/,
    [
      'package.json',
      'bunfig.toml',
      '.npmrc',
      '.yarnrc',
      '.yarnrc.yml',
      '.pnp.cjs',
      '.pnp.loader.mjs',
      '.pnpmfile.cjs',
      '.pnpmfile.mjs',
      'pnpm-workspace.yaml',
    ],
  ],
  [/^bunx?$/, ['.env', '.env.local', '.env.development', '.env.production']],
  [/^deno$/, ['deno.json', 'deno.jsonc', 'package.json', '.npmrc']],
  [/^[gbn]?make$/, ['Makefile', 'makefile', 'GNUmakefile']],
  [/^(?:just|task)$/, ['justfile', 'Justfile', '.justfile', 'Taskfile.yml', 'Taskfile.yaml']],
  [/^(?:uv|uvx|poetry|pdm|hatch|rye|pipx)$/, ['pyproject.toml', 'uv.toml']],
  [/^cargo$/, ['Cargo.toml', 'build.rs', '.cargo/config.toml', '.cargo/config', 'rust-toolchain', 'rust-toolchain.toml']],
  [
    /^(?:docker|docker-compose|podman|podman-compose|nerdctl)$/,
    [
      'compose.yaml',
      'compose.yml',
      'docker-compose.yaml',
      'docker-compose.yml',
      'compose.override.yaml',
      'docker-compose.override.yml',
      'Dockerfile',
      '.env',
    ],
  ],
];
/** Where such commands look for what a word names, before they ask anybody else. */
const LOCAL: readonly (readonly [command: RegExp, files: (word: string) => readonly string[]])[] = [
  [
    /^(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|bun|bunx|deno)$/,
    (word) => ['', '.cmd', '.ps1', '.exe'].map((suffix) => `node_modules/.bin/${packageName(word)}${suffix}`),
  ],
  [/^(?:uv|poetry|pdm|hatch|rye)$/, (word) => [`.venv/bin/${word}`, `.venv/Scripts/${word}.exe`, ...pythonModules(word)]],
  [/^(?:py|pypy|python)[\d.]*w?$/, pythonModules],
];
const MAX_FOLDERS = 20;
/** Words that may name a local program: each is looked for in several places. */
const MAX_LOCAL = 200;

/** Of a specifier such as `@scope/name@1`. */
function packageName(word: string): string {
  return /^(?:@[^/@]{1,200}\/)?([^/@]{1,200})(?:@|$)/.exec(word)?.[1] ?? basename(word);
}

/** `-m` finds a module in the working folder. */
function pythonModules(word: string): readonly string[] {
  const path = word.replaceAll('.', '/');
  return [`${path}.py`, `${path}/__init__.py`, `${path}/__main__.py`];
}

/** Not an option or a path. */
const WORD = /^(?:@[\w.~-]{1,200}\/)?\w[\w.~-]{0,200}(?:@[^/]{0,200})?$/;

/** In the folders that a command names, and in those above them, where such programs look too. */
function manifestsOf(project: string, words: readonly string[], folders: readonly string[]): readonly string[] {
  const commands = words.map((word) => basename(word.replaceAll('\\', '/')).replace(/\.(?:exe|cmd|bat|ps1)$/i, ''));
  const isNamed = (command: RegExp) => commands.some((each) => command.test(each));
  const plain = words.filter((word) => WORD.test(word)).slice(0, MAX_LOCAL);
  const names = [
    ...MANIFESTS.flatMap(([command, files]) => (isNamed(command) ? files : [])),
    ...LOCAL.flatMap(([command, filesOf]) => (isNamed(command) ? plain.flatMap(filesOf) : [])),
  ];
  if (names.length === 0) return [];
  const around = new Set(folders.slice(0, MAX_FOLDERS).flatMap((folder) => foldersUpTo(project, folder)));
  return [...around].flatMap((folder) => names.flatMap((name) => fileOf(project, join(folder, name))));
}

function foldersUpTo(project: string, folder: string): readonly string[] {
  const real = withoutLinks(folder);
  if (!isInside(project, real)) return [];
  return real === project ? [real] : [real, ...foldersUpTo(project, dirname(real))];
}

function isFolderIn(project: string, path: string): boolean {
  return isInside(project, withoutLinks(path)) && statOf(path)?.isDirectory() === true;
}

const SCRIPT =
  /\.(?:[cm]?[jt]sx?|node|wasm|py[wzc]?|rb|php|pl|lua|jar|class|exs?|go|rs|swift|kts?|r|jl|(?:ba|z|k|fi|c|da)?sh|ps1|psm1|bat|cmd|com|exe|dll|so|dylib)$/i;
const EXECUTABLE = 0o111;

/** Not data, such as a database that a server writes to, which would revoke trust at each start. */
function isProgram(path: string, name: string): boolean {
  if (SCRIPT.test(path) || (extname(path) === '' && /[/\\]/.test(name))) return true;
  return process.platform !== 'win32' && ((statOf(path)?.mode ?? 0) & EXECUTABLE) !== 0;
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url;
  }
}

/** The file if it, or the link to it, is inside the project. */
function fileOf(project: string, path: string): readonly string[] {
  if (statOf(path)?.isFile() !== true) return [];
  return isInside(project, path) || isInside(project, withoutLinks(path)) ? [path] : [];
}

/** Reads at most `budget` bytes. Outside the project only the place counts: the content there is not the project's. */
async function contentDigest(project: string, file: string, budget: number): Promise<{ readonly digest: string; readonly bytes: number }> {
  const real = withoutLinks(file);
  if (!isInside(project, real)) return { digest: `outside ${real}`, bytes: 0 };
  const handle = await open(real, FLAGS);
  try {
    const { ctimeMs, ino, mtimeMs, size } = await handle.stat();
    if (size > budget) return { digest: `${size} ${mtimeMs} ${ctimeMs} ${ino}`, bytes: 0 };
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, size + 1));
    let bytes = 0;
    for (; bytes <= budget; ) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length);
      if (bytesRead === 0) break;
      bytes += bytesRead;
      hash.update(buffer.subarray(0, bytesRead));
    }
    return { digest: hash.digest('hex'), bytes };
  } finally {
    await handle.close();
  }
}
