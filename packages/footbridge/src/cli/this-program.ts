/** How to start this program: by name if it was installed from the registry, otherwise by path. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asText, type Fields, isFields, ownField, parseJson } from '../json.js';
import type { Surroundings } from './io.js';

export interface Program {
  /** Whether it was installed from the registry. */
  readonly isPublished: boolean;
  readonly node: string;
  readonly file: string;
}

export function thisProgram(): Program {
  const root = packageRoot(dirname(fileURLToPath(import.meta.url)));
  return { isPublished: isPublished(root), node: process.execPath, file: join(root, 'bin', 'footbridge.cjs') };
}

/** The command that the user has just typed. */
export function selfCommand({ cwd, env }: Pick<Surroundings, 'cwd' | 'env'>): string {
  // Set by npx.
  if (env['npm_command'] !== 'exec') return 'footbridge';
  const from = tarballOf(thisProgram().file);
  if (from === undefined) return 'npx footbridge';
  const short = relative(cwd, from);
  return `npx ${short.startsWith('..') ? from : `./${short}`}`;
}

/** The tarball from which npx has installed the program; undefined if it comes from elsewhere. */
export function tarballOf(file: string): string | undefined {
  const root = dirname(dirname(file));
  const kept = manifestAt(join(dirname(dirname(root)), 'package.json'))?.['_npx'];
  const [from]: unknown[] = isFields(kept) && Array.isArray(kept['packages']) ? kept['packages'] : [];
  return typeof from === 'string' && /[\\/]/.test(from) && from.endsWith('.tgz') ? from : undefined;
}

/** Whether `cmd` would interpret a part of the word. */
export function hasSpecialCharacters(word: string): boolean {
  return /[&|<>^%!"()]/.test(word);
}

/** Returns the command line that starts Footbridge with these arguments; undefined if there is none. */
export type StartWords = (args: readonly string[]) => readonly string[] | undefined;

/** The command line that starts it with these arguments, on this machine. */
export function startWords(program: Program, args: readonly string[], platform: NodeJS.Platform = process.platform): readonly string[] {
  const isWindows = platform === 'win32';
  if (!program.isPublished || (isWindows && args.some(hasSpecialCharacters))) return [program.node, program.file, ...args];
  const words = ['npx', '-y', 'footbridge', ...args];
  // On Windows npx is a script, which not every host can start.
  return isWindows ? ['cmd', '/c', ...words] : words;
}

function packageRoot(folder: string): string {
  const above = dirname(folder);
  if (manifestAt(join(folder, 'package.json'))?.['name'] === 'footbridge' || above === folder) return folder;
  return packageRoot(above);
}

function manifestAt(file: string): Fields | undefined {
  const manifest = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : undefined;
  return isFields(manifest) ? manifest : undefined;
}

/** As the installer recorded it next to the package; false for a folder, a tarball or a link. */
export function isPublished(root: string): boolean {
  // pnpm records the origin in the folder name.
  if (/[\\/]\.pnpm[\\/]footbridge@\d/.test(root)) return true;
  const lock = join(dirname(root), '.package-lock.json');
  const packages = manifestAt(lock)?.['packages'];
  const own = isFields(packages) ? ownField(packages, 'node_modules/footbridge') : undefined;
  return isFields(own) && own['link'] !== true && /^https?:/.test(asText(own['resolved']));
}
