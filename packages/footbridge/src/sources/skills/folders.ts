/** Which folders are searched for skills, and in which order. */
import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { SkillLocation } from '../source.js';

/** A folder that is searched for skills. */
export interface SkillRoot {
  /** Absolute. */
  readonly path: string;
  /** As a person would name it. */
  readonly label: string;
  readonly location: SkillLocation;
  /** Named by the person: when it is missing they want to know. */
  readonly named: boolean;
  /** Whether files that are likely to contain secrets are served. */
  readonly servesSecrets?: true;
  /** The working folder, if this one came with it: where it leads as a link was not decided by the person. */
  readonly project?: string;
  /** Whether it is left out where it leads out of `project`, now or later. */
  readonly isConfined?: true;
}

export interface SkillRootOptions {
  /** Folders named by the person, searched after the standard ones. */
  readonly folders?: readonly string[];
  /** Those of `folders` that are left out where they lead out of the working folder: what named them may say what is in it alone. */
  readonly confinedFolders?: readonly string[];
  /** Exactly these folders, regardless of the other options. */
  readonly roots?: readonly SkillRoot[];
  /** Whether the standard folders are searched at all. Default true. */
  readonly standardFolders?: boolean;
  /** What a person knows the named folders by, where it is not where they lie. */
  readonly label?: string;
  readonly workingFolder?: string;
  readonly home?: string;
  /** Whether files that are likely to contain secrets, such as `.env` and private keys, are served. Default false. */
  readonly serveSecrets?: boolean;
}

const STANDARD_FOLDERS: readonly (readonly [base: 'project' | 'global', folder: string])[] = [
  ['project', '.agent/skills'],
  ['project', '.agents/skills'],
  ['global', '.agent/skills'],
  ['global', '.agents/skills'],
  ['project', '.claude/skills'],
  ['global', '.claude/skills'],
];

/** The folders to search, first match first. A folder named twice is searched once. */
export function skillRoots(options: SkillRootOptions): readonly SkillRoot[] {
  if (options.roots !== undefined) return withSecrets(options.roots, options);
  const workingFolder = resolve(options.workingFolder ?? process.cwd());
  const home = resolve(options.home ?? homedir());
  const standard = (options.standardFolders ?? true) ? STANDARD_FOLDERS : [];
  const roots: SkillRoot[] = standard.map(([location, folder]) => ({
    path: join(location === 'project' ? workingFolder : home, folder),
    label: `${location === 'project' ? '.' : '~'}/${folder}`,
    location,
    named: false,
    ...(location === 'project' && workingFolder !== home ? { project: workingFolder } : {}),
  }));
  for (const folder of options.folders ?? []) {
    if (folder === '') throw new Error('A skill folder has an empty name; is a variable unset?');
    // A host's configuration is read by no shell.
    const path = folder.startsWith('~/') ? join(home, folder.slice(2)) : resolve(workingFolder, folder);
    const { label } = options;
    const location = label === undefined && isInside(workingFolder, path) ? 'project' : 'global';
    const isConfined = options.confinedFolders?.includes(folder) === true;
    roots.push({ path, label: label ?? folder, location, named: true, ...(isConfined && { project: workingFolder, isConfined }) });
  }
  const unique = roots.filter((root, index) => roots.findIndex((other) => other.path === root.path) === index);
  return withSecrets(unique, options);
}

function withSecrets(roots: readonly SkillRoot[], { serveSecrets }: SkillRootOptions): readonly SkillRoot[] {
  return serveSecrets === true ? roots.map((root) => ({ ...root, servesSecrets: true })) : roots;
}

/** Whether `path` is `folder` or lies in it; both absolute. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
