/** The digest that trust is bound to: of a text, and of the files in the project that it names and that would run. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
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
  return [...new Set(parts)].slice(0, MOST_WORDS).flatMap((part) => {
    if (part === '' || part.length > LONGEST_WORD || part.includes('\0')) return [];
    const path = resolve(folder, part.startsWith('file:') ? pathOf(part) : part);
    return isProgram(path, part) ? fileOf(project, path) : [];
  });
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
