/** How an entry in a project's file starts this program. The file is shared, so it contains no absolute path. */
import { existsSync, realpathSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { CommandError } from './failure.js';
import type { Surroundings } from './io.js';
import { hasSpecialCharacters, type Program, type StartWords, tarballOf } from './this-program.js';

export interface SharedStart {
  readonly start: StartWords;
  /** What others need for the entry to work; undefined if it works everywhere. */
  readonly requirement: string | undefined;
}

/** Throws if the program can be reached only by an absolute path. */
export function sharedStart(program: Program, io: Pick<Surroundings, 'cwd' | 'env'>, platform = process.platform): SharedStart {
  const { requirement, words } = portableWords(program, io, platform);
  const isScript = platform === 'win32' && words[0] !== 'node';
  return {
    requirement: requirement ?? (isScript ? 'The entry starts cmd, and works only on Windows.' : undefined),
    // On Windows these are scripts, which not every host can start, and `cmd` would interpret special characters.
    start: (args) => (isScript ? (args.some(hasSpecialCharacters) ? undefined : ['cmd', '/c', ...words, ...args]) : [...words, ...args]),
  };
}

interface PortableWords {
  readonly words: readonly string[];
  readonly requirement?: string;
}

function portableWords(program: Program, { cwd, env }: Pick<Surroundings, 'cwd' | 'env'>, platform: NodeJS.Platform): PortableWords {
  if (program.isPublished) return { words: ['npx', '-y', 'footbridge'] };
  const folder = realPath(cwd);
  const file = realPath(program.file);
  const path = relativePath(folder, file, platform);
  if (path !== undefined && isInside(path)) return { words: ['node', path] };
  if (isOnPath(file, env, platform))
    return {
      words: ['footbridge'],
      requirement: 'The entry starts the command footbridge. Others who use this project need it on their PATH.',
    };
  const tarball = tarballOf(program.file);
  const archive = tarball === undefined ? undefined : relativePath(folder, realPath(tarball), platform);
  if (archive !== undefined)
    return {
      words: ['npx', '-y', isInside(archive) ? `./${archive}` : archive],
      requirement: `The entry starts ${archive}. Others who use this project need this file in the same place.`,
    };
  if (path !== undefined)
    return {
      words: ['node', path],
      requirement: `The entry starts ${path}. Others who use this project need Footbridge in the same place.`,
    };
  throw new CommandError('failed', 'An entry in a project cannot start this Footbridge, which is on another drive.', [
    'Use --global, or install Footbridge in the project.',
  ]);
}

/** With slashes; undefined if it is on another drive. */
function relativePath(folder: string, file: string, platform: NodeJS.Platform): string | undefined {
  const { isAbsolute, relative, sep } = platform === 'win32' ? win32 : posix;
  const path = relative(folder, file);
  return isAbsolute(path) ? undefined : path.split(sep).join('/');
}

function isInside(relativePath: string): boolean {
  return relativePath.split('/')[0] !== '..';
}

/** Whether the command `footbridge` is this program. Folders that npm adds to the PATH for one command do not count. */
function isOnPath(file: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
  const { delimiter, isAbsolute, join } = platform === 'win32' ? win32 : posix;
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter);
  // On Windows the command is a script beside the package.
  const command = platform === 'win32' ? join('node_modules', 'footbridge', 'bin', 'footbridge.cjs') : 'footbridge';
  return folders.some(
    (folder) => isAbsolute(folder) && !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder) && realPath(join(folder, command)) === file,
  );
}

/** The path itself if it does not exist. */
function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

/** A path of the command line as an entry in a project contains it. `~/` is used if the option expands it. Throws if there is none. */
export function sharedPath(
  { expandsHome, given, option }: { readonly option: string; readonly given: string; readonly expandsHome: boolean },
  { cwd, home }: Pick<Surroundings, 'cwd' | 'home'>,
  platform = process.platform,
): string {
  const { isAbsolute, normalize } = platform === 'win32' ? win32 : posix;
  if (!isAbsolute(given)) return given;
  const inProject = relativePath(cwd, normalize(given), platform);
  if (inProject !== undefined && isInside(inProject)) return `./${inProject}`;
  const inHome = relativePath(home, normalize(given), platform);
  if (expandsHome && inHome !== undefined && isInside(inHome)) return `~/${inHome}`;
  throw new CommandError(
    'usage',
    `${option}: ${given} is an absolute path, which the file of a project, shared with others, cannot contain.`,
    ['Use a path relative to the project, or --global.'],
  );
}
