/** The digest that trust is bound to: of a text, and of the files in the project that it names and that would run. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInside } from '../../sources/skills/folders.js';
import { statOf, withoutLinks } from '../folders.js';

/** A command that would run, with the folder that its relative paths start at. */
export interface RunnableWords {
  readonly words: readonly string[];
  readonly folder: string;
}

const LONGEST_WORD = 4096;
const MOST_WORDS = 10_000;
const CHUNK = 1024 * 1024;
/** Of all files together. A file beyond it is known by its size, its times and its inode. */
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
function filesNamed(project: string, { words, folder }: RunnableWords): readonly string[] {
  const parts = words.slice(0, MOST_WORDS).flatMap((word) => [word, ...word.slice(0, LONGEST_WORD).split(/[\s=;&|'"]+/)]);
  const unique = [...new Set(parts)]
    .slice(0, MOST_WORDS)
    .filter((part) => part !== '' && part.length <= LONGEST_WORD && !part.includes('\0'));
  const paths = unique.map((part) => ({ part, path: resolve(folder, part.startsWith('file:') ? pathOf(part) : part) }));
  return [
    ...paths.flatMap(({ part, path }) => (isProgram(path, part) ? fileOf(project, path) : [])),
    ...manifestsOf(project, unique, [folder, ...paths.flatMap(({ path }) => (isFolderIn(project, path) ? [path] : []))]),
  ];
}

/** Files that determine what such a command runs. */
const MANIFESTS: readonly (readonly [command: RegExp, files: readonly string[]])[] = [
  [/^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx)$/, ['package.json', 'bunfig.toml']],
  [/^deno$/, ['deno.json', 'deno.jsonc', 'package.json']],
  [/^[gbn]?make$/, ['Makefile', 'makefile', 'GNUmakefile']],
  [/^(?:just|task)$/, ['justfile', 'Justfile', '.justfile', 'Taskfile.yml', 'Taskfile.yaml']],
  [/^(?:uv|uvx|poetry|pdm|hatch|rye|pipx)$/, ['pyproject.toml', 'uv.toml']],
  [/^cargo$/, ['Cargo.toml', 'build.rs', '.cargo/config.toml']],
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
    ],
  ],
];
const MOST_FOLDERS = 20;

/** In the folders that a command names, and in those above them, where such programs look too. */
function manifestsOf(project: string, words: readonly string[], folders: readonly string[]): readonly string[] {
  const commands = words.map((word) => basename(word.replaceAll('\\', '/')).replace(/\.(?:exe|cmd|bat|ps1)$/i, ''));
  const names = MANIFESTS.flatMap(([command, files]) => (commands.some((each) => command.test(each)) ? files : []));
  if (names.length === 0) return [];
  const around = new Set(folders.slice(0, MOST_FOLDERS).flatMap((folder) => foldersUpTo(project, folder)));
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

/** Not data, such as a database that a server writes to: it would end the trust at each start. */
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
