/** What a scan found, folder by folder, so that the next one need only look at what changed. */
import { join } from 'node:path';
import type { Notice } from '../source.js';
import type { FolderSkill, Parent } from './folder-skill.js';
import type { Stamp } from './stamp.js';

/** A folder whose `SKILL.md` cannot be served. */
export interface Refused {
  readonly kind: 'refused';
  readonly notice: Notice;
  /** Of `SKILL.md`; absent when it must be read each time. */
  readonly stamp?: Stamp;
}

/** A folder of folders. */
export interface Group {
  readonly kind: 'group';
  readonly parent: Parent;
  /** In order; what each leads to stands at the same place in `nodes`. */
  readonly names: readonly string[];
  readonly nodes: readonly Node[];
  /** Names of the children that are links; where they lead is looked at each time. */
  readonly links: ReadonlySet<string>;
  readonly notices: readonly Notice[];
  /** Of the folder itself; absent when its names must be read again. */
  readonly stamp?: Stamp;
}

export type Node = FolderSkill | Refused | Group;

/** One node a configured folder, by its path. A missing folder has none. */
export type Forest = ReadonlyMap<string, Node>;

/** Every skill of these trees with shallow ones first, names in order; and every notice. */
export function gather(trees: readonly Node[]): { skills: FolderSkill[]; notices: Notice[] } {
  const skills: FolderSkill[] = [];
  const notices: Notice[] = [];
  for (const tree of trees) {
    const begin = skills.length;
    collect(tree, skills, notices);
    const found = skills.slice(begin);
    if (found.some((skill) => skill.group.length > 0)) {
      skills.splice(begin, found.length, ...found.sort((one, other) => one.group.length - other.group.length));
    }
  }
  return { skills: trees.length > 1 ? firstOfEach(skills) : skills, notices };
}

/** A folder that lies in two configured ones, or is linked into the second, is one skill. */
function firstOfEach(skills: readonly FolderSkill[]): FolderSkill[] {
  const seen = new Set<string>();
  return skills.filter(({ identity }) => !seen.has(identity) && seen.add(identity));
}

function collect(node: Node, skills: FolderSkill[], notices: Notice[]): void {
  if (node.kind === 'refused') {
    notices.push(node.notice);
    return;
  }
  if (node.notices.length > 0) notices.push(...node.notices);
  if (node.kind === 'skill') skills.push(node);
  else for (const child of node.nodes) collect(child, skills, notices);
}

/** Every folder of a tree in which a change may matter. */
export function foldersOf(node: Node, path: string): string[] {
  const folders = [path];
  if (node.kind === 'group') {
    node.nodes.forEach((child, index) => {
      const place = join(path, node.names[index] ?? '');
      if (child.kind === 'group') folders.push(...foldersOf(child, place));
      else folders.push(place);
    });
  }
  return folders;
}
