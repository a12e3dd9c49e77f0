/** What a scan found, folder by folder, so that the next one need only look at what changed. */
import { join } from 'node:path';
import type { Notice } from '../source.js';
import type { FolderSkill, Parent } from './folder-skill.js';
import type { Stamp } from './stamp.js';

/** A folder whose `SKILL.md` cannot be served. */
export interface Refused {
  readonly kind: 'refused';
  readonly notice: Notice;
  /** Of `SKILL.md`; absent when it must be looked at anew each time. */
  readonly stamp?: Stamp;
}

/** A folder of folders. */
export interface Group {
  readonly kind: 'group';
  readonly parent: Parent;
  /** By name, in order. */
  readonly children: ReadonlyMap<string, Node>;
  /** Names of the children that are links; where they lead is looked at each time. */
  readonly links: ReadonlySet<string>;
  readonly notices: readonly Notice[];
  /** Of the folder itself; absent when its names must be read anew. */
  readonly stamp?: Stamp;
}

export type Node = FolderSkill | Refused | Group;

/** One node a configured folder, by its path. A missing folder has none. */
export type Forest = ReadonlyMap<string, Node>;

/** Every skill of a tree with shallow ones first, names in order. */
export function skillsOf(node: Node): FolderSkill[] {
  const skills: FolderSkill[] = [];
  visit(node, (each) => {
    if (each.kind === 'skill') skills.push(each);
  });
  const depth = skills[0]?.group.length;
  return skills.every((skill) => skill.group.length === depth)
    ? skills
    : skills.sort((one, other) => one.group.length - other.group.length);
}

/** Every notice of a tree. */
export function noticesOf(node: Node): Notice[] {
  const notices: Notice[] = [];
  visit(node, (each) => {
    if (each.kind === 'refused') notices.push(each.notice);
    else if (each.notices.length > 0) notices.push(...each.notices);
  });
  return notices;
}

/** Every folder of a tree in which a change may matter. */
export function foldersOf(node: Node, path: string): string[] {
  const folders = [path];
  if (node.kind === 'group') {
    for (const [name, child] of node.children) {
      if (child.kind === 'group') for (const folder of foldersOf(child, join(path, name))) folders.push(folder);
      else folders.push(join(path, name));
    }
  }
  return folders;
}

function visit(node: Node, each: (node: Node) => void): void {
  each(node);
  if (node.kind === 'group') for (const child of node.children.values()) visit(child, each);
}
