/** What a scan found, folder by folder, so that the next one need only look at what changed. */
import type { Stats } from 'node:fs';
import { atOnce } from '../../turns.js';
import type { Notice, UnreadableSkill } from '../source.js';
import type { FolderSkill, Parent } from './folder-skill.js';
import { type Stamp, sameStamp } from './stamp.js';

/** A folder whose `SKILL.md` cannot be served. */
export interface Refused {
  readonly kind: 'refused';
  readonly notice: Notice;
  /** Of `SKILL.md`; absent when it must be read each time. */
  readonly stamp?: Stamp;
  /** What lies there, as far as is known, if it cannot be read. */
  readonly unreadable?: readonly UnreadableSkill[];
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
  /** What lay in it, if it cannot be read. */
  readonly unreadable?: readonly UnreadableSkill[];
  /** Whether it may change without a change in its folders, as a link does: it is looked at each time. */
  readonly isRestless?: true;
}

export type Node = FolderSkill | Refused | Group;

export function isRestless(node: Node): boolean {
  return node.kind === 'group' ? node.isRestless === true : node.kind === 'refused' && node.stamp === undefined;
}

/** One node a configured folder, by its path. A missing folder has none. */
export type Forest = ReadonlyMap<string, Node>;

/** What lies in trees. */
export interface Gathered {
  readonly skills: FolderSkill[];
  readonly notices: Notice[];
}

/** Every skill of these trees with shallow ones first, names in order; and every notice. */
export function gather(trees: readonly Node[]): Gathered {
  return atOnce(stepsToGather(trees));
}

/** Nodes between two steps. */
const STRIDE = 512;

/** The same step by step. */
export function* stepsToGather(trees: readonly Node[]): Generator<void, Gathered> {
  const notices: Notice[] = [];
  const skills: FolderSkill[] = [];
  // A folder that lies in two configured ones, or is linked into the second, is one skill.
  const seen = trees.length > 1 ? new Set<string>() : undefined;
  let left = STRIDE;
  for (const tree of trees) {
    const byDepth: FolderSkill[][] = [];
    // The latest on top; a loop, since most of the time would be spent between generators.
    const open: { readonly nodes: readonly Node[]; at: number }[] = [{ nodes: [tree], at: 0 }];
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const node = top.nodes[top.at++];
      if (node === undefined) {
        open.pop();
        continue;
      }
      if (--left === 0) {
        left = STRIDE;
        yield;
      }
      if (node.kind === 'refused') notices.push(node.notice);
      else {
        for (const notice of node.notices) notices.push(notice);
        if (node.kind === 'group') open.push({ nodes: node.nodes, at: 0 });
        else {
          const depth = node.group.length;
          while (byDepth.length <= depth) byDepth.push([]);
          byDepth[depth]?.push(node);
        }
      }
    }
    for (const found of byDepth) {
      for (const skill of found) {
        if (--left === 0) {
          left = STRIDE;
          yield;
        }
        if (seen?.has(skill.identity) === true) continue;
        seen?.add(skill.identity);
        skills.push(skill);
      }
    }
  }
  return { skills, notices };
}

/** Every skill of a tree that cannot be read. */
export function unreadableIn(node: Node): readonly UnreadableSkill[] {
  if (node.kind === 'skill') return NONE;
  const inside = node.kind === 'group' ? node.nodes.flatMap((child) => (child.kind === 'skill' ? NONE : unreadableIn(child))) : NONE;
  return node.unreadable === undefined ? inside : [...node.unreadable, ...inside];
}

const NONE: readonly UnreadableSkill[] = [];

/** Every skill that was in a tree, readable or not. */
export function namesIn(node: Node): readonly UnreadableSkill[] {
  if (node.kind === 'skill') return [{ group: node.group, name: node.name }];
  return [...(node.unreadable ?? NONE), ...(node.kind === 'group' ? node.nodes.flatMap(namesIn) : NONE)];
}

/** The skills at a place that cannot be read: those of the last scan, else one with the name of the folder. */
export function lostAt(
  { name, parent }: { readonly name: string; readonly parent: Parent },
  previous: Node | undefined,
): readonly UnreadableSkill[] {
  const known = previous === undefined ? [] : namesIn(previous);
  return known.length > 0 || name === '' ? known : [{ group: parent.group, name }];
}

/** The nodes of these names in the last scan. */
export function previousNodes(previous: Group | undefined, names: readonly string[], listed: boolean): readonly (Node | undefined)[] {
  if (previous === undefined || !listed) return previous?.nodes ?? [];
  const byName = new Map(previous.names.map((name, index) => [name, previous.nodes[index]]));
  return names.map((name) => byName.get(name));
}

export function isUnchangedNode(previous: Node, stats: Stats): boolean {
  if (previous.kind === 'skill') return previous.settled && sameStamp(previous, stats);
  return previous.kind === 'refused' && previous.stamp !== undefined && sameStamp(previous.stamp, stats);
}

export function isSameSkill(one: FolderSkill, other: FolderSkill): boolean {
  return (
    one.settled === other.settled &&
    one.version === other.version &&
    one.identity === other.identity &&
    one.name === other.name &&
    one.description === other.description &&
    JSON.stringify(one.notices) === JSON.stringify(other.notices)
  );
}
