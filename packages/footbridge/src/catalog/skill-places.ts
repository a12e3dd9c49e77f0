/** Paths of skills, and the names they are called by. */
import { nameKey, pathKey } from '../sources/skill-uri.js';
import type { Skill } from '../sources/source.js';

/** Longer names are compared as they are from some length on. */
const LONGEST_PLAIN = 256;
/** A character that plain names do not have. The key of a plain name is the name in lower case; that of joined names, their joined keys. */
const UNUSUAL = /[^!-.0-9;-~]/;
const NONE: readonly string[] = [];

/** The folders around skills. */
export interface FoldersAround {
  /** Keys of the folders, outermost first: a skill at one of them would claim the files of those inside. */
  readonly paths: readonly string[];
  /** Whether a qualified name is the path with colons. */
  readonly isPlain: boolean;
}

const OUTSIDE: FoldersAround = { paths: NONE, isPlain: true };
let last: { readonly group: readonly string[]; readonly folder: FoldersAround } = { group: NONE, folder: OUTSIDE };

/** Skills of one folder share its group, and are mostly adjacent. */
export function foldersAround(group: readonly string[]): FoldersAround {
  if (group.length === 0) return OUTSIDE;
  if (last.group !== group) last = { group, folder: makeFolder(group) };
  return last.folder;
}

function makeFolder(group: readonly string[]): FoldersAround {
  let shared = 0;
  while (shared < group.length && group[shared] === last.group[shared]) shared++;
  const paths = last.folder.paths.slice(0, shared);
  for (const name of group.slice(shared)) {
    const key = nameKey(name);
    paths.push(paths.length === 0 ? key : `${paths.at(-1)}/${key}`);
  }
  const path = paths.at(-1) ?? '';
  const isPlain = path.length <= LONGEST_PLAIN && group.every((folder) => !UNUSUAL.test(folder));
  return { paths, isPlain: isPlain || (!group.some((folder) => /[:/]/.test(folder)) && isJoined(group.join(':'), path)) };
}

/** Whether the key of a joined name is that of its parts, joined: the case of some letters depends on what is around them. */
function isJoined(name: string, path: string): boolean {
  return nameKey(`${name}:x`) === `${path.replaceAll('/', ':')}:x` && !/\u03a3/.test(name);
}

export function placeOf(skill: Skill): { readonly above: readonly string[]; readonly name: string; readonly path: string } {
  const { group } = skill;
  const name = nameKey(skill.name);
  return { above: foldersAround(group).paths, name, path: pathIn(group, name) };
}

/** The key of the place of a skill in these folders, whose name has this key. */
export function pathIn(group: readonly string[], name: string): string {
  return group.length === 0 ? name : `${foldersAround(group).paths.at(-1)}/${name}`;
}

/** The key of the place of a skill. */
export function pathOf(skill: Skill): string {
  return placeOf(skill).path;
}

/** Whether the qualified name of a skill is its path with colons. */
export function isPlainlyNamed({ group, name }: Skill): boolean {
  const isPlain = name.length <= LONGEST_PLAIN && (!UNUSUAL.test(name) || isPlainText(name));
  return isPlain && (group.length === 0 || foldersAround(group).isPlain);
}

function isPlainText(name: string): boolean {
  return !/[:/\u03a3]/.test(name) && name === name.trim();
}

/** How many skills lie in a folder: one of the folders of a group, by its depth. */
export interface FolderCount {
  readonly group: readonly string[];
  readonly depth: number;
  readonly count: number;
}

/** The key of a counted folder. */
export function countedPath({ group, depth }: FolderCount): string {
  return pathKey(group.slice(0, depth));
}

/** The skills of one bare name, in order of priority: nearly always one. */
export type Namesakes = Skill | readonly Skill[];

export function skillsCalled(namesakes: Namesakes | undefined): readonly Skill[] {
  if (namesakes === undefined) return [];
  return isList(namesakes) ? namesakes : [namesakes];
}

export function namesakesOf(skills: readonly Skill[]): Namesakes | undefined {
  return skills.length > 1 ? skills : skills[0];
}

/** The key of a bare name. */
export function bareName(namesakes: Namesakes): string {
  return nameKey((isList(namesakes) ? namesakes[0]?.name : namesakes.name) ?? '');
}

function isList<T>(namesakes: Skill | T): namesakes is T {
  return Array.isArray(namesakes);
}
