/** The index in the cache folder: what the last run found, so that a start need not read every file again. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepFile, shortHash } from '../../kept-file.js';
import type { Notice } from '../source.js';
import { isPlainName } from './files.js';
import { FolderSkill, type Parent } from './folder-skill.js';
import type { SkillRoot } from './folders.js';
import type { Stamp } from './stamp.js';
import type { Forest, Group, Node } from './tree.js';

/** Raise it whenever what is stored, or how a file is judged, changes. */
const FORMAT = 5;
const PREFIX = 'skills-';

type StoredStamp = readonly [size: number, modified: number, changed: number, inode: number, device: number];

/** Numbers of one stamp. */
const STAMP = 5;

/** A folder of folders. Skills, which are many, stand in columns: that is several times faster to parse. */
interface StoredGroup {
  readonly path: string;
  readonly real: string;
  readonly group: readonly string[];
  readonly stamp: StoredStamp | 0;
  readonly notices: readonly Notice[];
  /** All names, in order. */
  readonly names: readonly string[];
  readonly links: readonly string[];
  /** By place in `names`, for those that are skills: one stamp each in `stamps`, which is base64. */
  readonly skills: {
    readonly at: readonly number[];
    readonly names: readonly string[];
    readonly descriptions: readonly string[];
    readonly stamps: string;
    readonly unsettled: readonly number[];
    readonly targets: Readonly<Record<number, string>>;
    readonly notices: Readonly<Record<number, readonly Notice[]>>;
  };
  /** By place in `names`. */
  readonly refused: readonly (readonly [at: number, Notice, StoredStamp | 0])[];
  readonly groups: readonly (readonly [at: number, StoredGroup])[];
}

interface StoredIndex {
  readonly format: number;
  /** Which configured folders it is for. */
  readonly roots: string;
  readonly forest: readonly (readonly [path: string, StoredGroup])[];
}

const NO_NOTICES: readonly Notice[] = [];

/** An index that is kept in `folder` for one set of configured folders. */
export function indexFile(folder: string, roots: readonly SkillRoot[]): { load(): Forest; save(forest: Forest): void } {
  const key = JSON.stringify(roots);
  const name = `${shortHash(key)}.json`;
  return {
    /** Empty when there is no index, or it is not one of ours. */
    load() {
      try {
        const stored = JSON.parse(readFileSync(join(folder, `${PREFIX}${name}`), 'latin1')) as StoredIndex;
        return stored.format === FORMAT && stored.roots === key ? revive(stored, roots) : new Map();
      } catch {
        return new Map();
      }
    },
    save(forest) {
      keepFile(folder, PREFIX, name, toAscii(JSON.stringify(store(forest, key))));
    },
  };
}

/** JSON in bytes that need no decoding, which is most of the time of reading it. */
function toAscii(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function encodeNumbers(numbers: readonly number[]): string {
  return Buffer.from(Float64Array.from(numbers).buffer).toString('base64');
}

function decodeNumbers(text: string): Float64Array {
  const bytes = Buffer.from(text, 'base64');
  // A copy, since the numbers must begin at a multiple of eight.
  return new Float64Array(new Uint8Array(bytes).buffer);
}

function store(forest: Forest, roots: string): StoredIndex {
  // A configured folder that is itself a skill, or refused, is one file: not worth an entry.
  const groups = [...forest].flatMap(([path, node]) => (node.kind === 'group' ? [[path, storeGroup(node)] as const] : []));
  return { format: FORMAT, roots, forest: groups };
}

function storeGroup({ parent, stamp, notices, names, nodes, links }: Group): StoredGroup {
  const entries = nodes.map((node, at) => ({ node, at }));
  const skills = entries.flatMap(({ node, at }) => (node.kind === 'skill' ? [{ skill: node, at }] : []));
  return {
    path: parent.path,
    real: parent.real,
    group: parent.group,
    stamp: stamp === undefined ? 0 : storeStamp(stamp),
    notices,
    names,
    links: [...links],
    skills: {
      at: skills.map(({ at }) => at),
      names: skills.map(({ skill }) => skill.name),
      descriptions: skills.map(({ skill }) => skill.description),
      stamps: encodeNumbers(skills.flatMap(({ skill }) => storeStamp(skill))),
      unsettled: skills.flatMap(({ skill }, index) => (skill.settled ? [] : [index])),
      targets: Object.fromEntries(skills.flatMap(({ skill }, index) => (skill.target === '' ? [] : [[index, skill.target]]))),
      notices: Object.fromEntries(skills.flatMap(({ skill }, index) => (skill.notices.length === 0 ? [] : [[index, skill.notices]]))),
    },
    refused: entries.flatMap(({ node, at }) =>
      node.kind === 'refused' ? [[at, node.notice, node.stamp === undefined ? 0 : storeStamp(node.stamp)] as const] : [],
    ),
    groups: entries.flatMap(({ node, at }) => (node.kind === 'group' ? [[at, storeGroup(node)] as const] : [])),
  };
}

function storeStamp({ size, modified, changed, inode, device }: Stamp): StoredStamp {
  return [size, modified, changed, inode, device];
}

function revive(stored: StoredIndex, roots: readonly SkillRoot[]): Forest {
  const forest = new Map<string, Node>();
  for (const [path, group] of stored.forest) {
    const root = roots.find((each) => each.path === path);
    if (root !== undefined) forest.set(path, reviveGroup(group, root));
  }
  return forest;
}

function reviveGroup(stored: StoredGroup, root: SkillRoot): Group {
  assertSound(stored);
  const parent: Parent = { root, path: stored.path, real: stored.real, group: stored.group };
  const nodes: Node[] = new Array(stored.names.length);
  const { at, names, descriptions, targets, notices } = stored.skills;
  const stamps = decodeNumbers(stored.skills.stamps);
  const unsettled = new Set(stored.skills.unsettled);
  for (let index = 0; index < at.length; index++) {
    const place = at[index] ?? 0;
    nodes[place] = new FolderSkill(
      names[index] ?? '',
      descriptions[index] ?? '',
      parent,
      stored.names[place] ?? '',
      targets[index] ?? '',
      stamps[index * STAMP] ?? 0,
      stamps[index * STAMP + 1] ?? 0,
      stamps[index * STAMP + 2] ?? 0,
      stamps[index * STAMP + 3] ?? 0,
      stamps[index * STAMP + 4] ?? 0,
      !unsettled.has(index),
      notices[index] ?? NO_NOTICES,
    );
  }
  for (const [place, notice, stamp] of stored.refused) nodes[place] = { kind: 'refused', notice, ...reviveStamp(stamp) };
  for (const [place, group] of stored.groups) nodes[place] = reviveGroup(group, root);
  return {
    kind: 'group',
    parent,
    names: stored.names,
    nodes,
    links: new Set(stored.links),
    notices: stored.notices,
    ...reviveStamp(stored.stamp),
  };
}

/** Throws at what we never write, so that a damaged index is no index. */
function assertSound({ names, skills }: StoredGroup): void {
  const texts = [skills.names, skills.descriptions].every(
    (column) => column.length === skills.at.length && column.every((text) => typeof text === 'string'),
  );
  if (!texts || !names.every((name) => typeof name === 'string' && isPlainName(name))) throw new Error('the index is damaged');
}

function reviveStamp(stored: StoredStamp | 0): { stamp?: Stamp } {
  if (stored === 0) return {};
  const [size, modified, changed, inode, device] = stored;
  return { stamp: { size, modified, changed, inode, device } };
}
