/** What a scan found as bytes, in the byte order of this machine: names and numbers are read at once, descriptions when they are asked for. */
import type { Notice } from '../source.js';
import { isPlainName } from './files.js';
import { FolderSkill, type Parent } from './folder-skill.js';
import type { SkillRoot } from './folders.js';
import { ROW, SkillRows } from './rows.js';
import type { Stamp } from './stamp.js';
import type { Forest, Group, Node } from './tree.js';

/** Raise it whenever what is stored, or how a file is judged, changes. */
const FORMAT = 0xf0b5_1007;
/** Nodes of a block, and bytes of its descriptions, that are read or written in about a millisecond. */
const MAX_NODES = 512;
const MAX_TEXT = 128 * 1024;
/** Blocks begin at multiples of this, so that numbers can be read in place. */
const ALIGNED = 8;
/** Numbers at the beginning of a block: the format, and how much of each part there is. */
const HEAD = 8;
/** What is in a folder at most: more is no number that we wrote. */
const MAX_CHILDREN = 2 ** 24;
/** Numbers of the stamp of a group: a size below zero stands for none. */
const STAMP = 5;

const [SKILL, GROUP, OTHER] = [0, 1, 2];

const NO_NOTICES: readonly Notice[] = [];
const NO_LINKS: ReadonlySet<string> = new Set();

type StoredStamp = readonly [size: number, modified: number, changed: number, inode: number, device: number];

/** What few nodes have. */
interface Rare {
  /** Of a skill: its name, if that is not the one of its folder, and where a link leads. */
  readonly name?: string;
  readonly target?: string;
  readonly notices?: readonly Notice[];
  /** Of a group: its real path if that does not follow from the one above it, and its names that are links. */
  readonly real?: string;
  readonly links?: readonly string[];
  /** Of a folder that is refused. */
  readonly refused?: readonly [Notice, StoredStamp | 0];
}

/** The first block has the configured folders that it is for, and the paths of those that follow. */
interface Title {
  readonly roots: string;
  readonly trees: readonly string[];
}

/** Nodes in the order in which they are visited: a group is followed by what is in it. */
class Draft {
  readonly names: string[] = [];
  readonly kinds: number[] = [];
  readonly numbers: number[] = [];
  readonly skills: FolderSkill[] = [];
  readonly stamps: number[] = [];
  readonly counts: number[] = [];
  readonly rare: Record<number, Rare> = {};
  #text = 0;

  get isFull(): boolean {
    return this.names.length >= MAX_NODES || this.#text >= MAX_TEXT;
  }

  add(name: string, node: Node, above: Parent | undefined): void {
    const at = this.names.push(name) - 1;
    if (node.kind === 'skill') {
      this.kinds.push(SKILL);
      this.skills.push(node);
      this.#text += node.stored.text.length;
      const { notices, target } = node;
      if (node.name !== name || target !== '' || notices.length > 0) this.rare[at] = { name: node.name, target, notices };
      return;
    }
    this.kinds.push(node.kind === 'group' ? GROUP : OTHER);
    if (node.kind !== 'group') {
      this.rare[at] = { refused: [node.notice, node.stamp === undefined ? 0 : storeStamp(node.stamp)] };
      return;
    }
    const { links, notices, parent, stamp } = node;
    this.counts.push(node.nodes.length);
    this.stamps.push(...(stamp === undefined ? [-1, 0, 0, 0, 0] : storeStamp(stamp)));
    const isUsual = above !== undefined && parent.real === `${above.real}/${name}`;
    if (!isUsual || links.size > 0 || notices.length > 0) this.rare[at] = { real: parent.real, links: [...links], notices };
  }

  encode(): Uint8Array {
    const stored = this.skills.map((skill) => skill.stored);
    const texts = stored.map(({ text }) => text);
    let end = 0;
    const ends = Uint32Array.from(texts, (text) => (end += text.length));
    const rows = new Float64Array(stored.length * ROW);
    for (const [row, { numbers }] of stored.entries()) rows.set(numbers, row * ROW);
    const names = Buffer.from(this.names.join('\n'));
    const rare = Buffer.from(JSON.stringify(this.rare));
    const sizes = [this.names.length, stored.length, this.counts.length, names.length, end, rare.length, 0];
    const numbers = [Uint32Array.from([FORMAT, ...sizes]), rows, Float64Array.from(this.stamps), ends, Uint32Array.from(this.counts)];
    return padded([...numbers.map(bytesOf), Uint8Array.from(this.kinds), names, ...texts, rare]);
  }
}

/** Pieces that are each made in about a millisecond. */
export function* piecesOf(forest: Forest, roots: string): Generator<Uint8Array> {
  // A configured folder that is itself a skill, or refused, is one file: not worth an entry.
  const trees = [...forest].filter((entry): entry is [string, Group] => entry[1].kind === 'group');
  const title: Title = { roots, trees: trees.map(([path]) => path) };
  const text = Buffer.from(JSON.stringify(title));
  yield padded([bytesOf(Uint32Array.of(FORMAT, text.length)), text]);
  let draft = new Draft();
  for (const [, tree] of trees) {
    for (const { above, name, node } of nodesOf('', tree, undefined)) {
      draft.add(name, node, above);
      if (!draft.isFull) continue;
      yield draft.encode();
      draft = new Draft();
    }
  }
  yield draft.encode();
}

interface Placed {
  readonly name: string;
  readonly node: Node;
  readonly above: Parent | undefined;
}

function* nodesOf(name: string, node: Node, above: Parent | undefined): Generator<Placed> {
  yield { name, node, above };
  if (node.kind !== 'group') return;
  for (const [at, child] of node.nodes.entries()) yield* nodesOf(node.names[at] ?? '', child, node.parent);
}

function storeStamp({ size, modified, changed, inode, device }: Stamp): StoredStamp {
  return [size, modified, changed, inode, device];
}

function bytesOf(numbers: Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

function padded(parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([...parts, new Uint8Array(-length & (ALIGNED - 1))]);
}

/** A group of which not all nodes are read. */
interface Open {
  readonly parent: Parent;
  readonly names: string[];
  readonly nodes: Node[];
  filled: number;
}

/** What was stored for these configured folders, a block with each step; empty if it is for others. Throws at what we never write. */
export function* revive(bytes: Buffer, key: string, roots: readonly SkillRoot[]): Generator<void, Forest> {
  const forest = new Map<string, Node>();
  const [format, length = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset, 2);
  if (format !== FORMAT) return forest;
  const { roots: stored, trees } = JSON.parse(bytes.toString('utf8', 8, 8 + length)) as Title;
  if (stored !== key) return forest;
  const open: Open[] = [];
  let count = 0;
  for (let at = aligned(8 + length); at < bytes.length; ) {
    const block = new Block(bytes, at);
    for (const [index, name] of block.names.entries()) {
      let around = open.at(-1);
      while (around !== undefined && around.filled === around.nodes.length) {
        open.pop();
        around = open.at(-1);
      }
      const root = around === undefined ? roots.find(({ path }) => path === trees[count]) : around.parent.root;
      if (root === undefined || (around !== undefined && !isPlainName(name))) throw damaged();
      const read = block.next(index, name, around?.parent, root);
      if (around === undefined) {
        count++;
        forest.set(root.path, read.node);
      } else {
        around.names[around.filled] = name;
        around.nodes[around.filled++] = read.node;
      }
      if (read.open !== undefined) open.push(read.open);
    }
    at = block.end;
    yield;
  }
  if (count !== trees.length || open.some(({ filled, nodes }) => filled < nodes.length)) throw damaged();
  return forest;
}

class Block {
  readonly names: readonly string[];
  readonly end: number;
  readonly #kinds: Uint8Array;
  readonly #rows: SkillRows;
  readonly #stamps: Float64Array;
  readonly #counts: Uint32Array;
  readonly #rare: Readonly<Record<number, Rare>>;
  #skills = 0;
  #groups = 0;

  constructor(bytes: Buffer, start: number) {
    let at = start;
    const numbers = <T>(make: (buffer: ArrayBufferLike, from: number) => T, size: number): T => {
      const from = at;
      at += size;
      if (at > bytes.length) throw damaged();
      return make(bytes.buffer, bytes.byteOffset + from);
    };
    const words = (many: number) => numbers((buffer, from) => new Uint32Array(buffer, from, many), 4 * many);
    const doubles = (many: number) => numbers((buffer, from) => new Float64Array(buffer, from, many), 8 * many);
    const text = (size: number) => numbers((buffer, from) => Buffer.from(buffer, from, size), size);
    const [format, nodes = 0, skills = 0, groups = 0, nameBytes = 0, textBytes = 0, rareBytes = 0] = words(HEAD);
    if (format !== FORMAT) throw damaged();
    const rows = doubles(skills * ROW);
    this.#stamps = doubles(groups * STAMP);
    const ends = words(skills);
    this.#counts = words(groups);
    this.#kinds = text(nodes);
    this.names = nodes === 0 ? [] : text(nameBytes).toString('utf8').split('\n');
    this.#rows = new SkillRows(rows, ends, text(textBytes), skills);
    this.#rare = JSON.parse(text(rareBytes).toString('utf8')) as Record<number, Rare>;
    this.end = aligned(at);
    if (this.names.length !== nodes || ends.some((end, row) => end < (ends[row - 1] ?? 0) || end > textBytes)) throw damaged();
  }

  next(index: number, name: string, above: Parent | undefined, root: SkillRoot): { readonly node: Node; readonly open?: Open } {
    const kind = this.#kinds[index];
    const rare = this.#rare[index];
    if (kind === GROUP) return this.#group(name, rare, above, root);
    if (above === undefined) throw damaged();
    if (kind !== SKILL) {
      const [notice, stamp] = rare?.refused ?? [];
      if (notice === undefined || stamp === undefined) throw damaged();
      return { node: { kind: 'refused', notice, ...reviveStamp(stamp) } };
    }
    const { target = '', notices = NO_NOTICES } = rare ?? {};
    const unusual = target === '' && notices.length === 0 ? undefined : { target, notices };
    return { node: new FolderSkill(rare?.name ?? name, above, name, this.#rows, this.#skills++, unusual) };
  }

  #group(name: string, rare: Rare | undefined, above: Parent | undefined, root: SkillRoot): { readonly node: Group; readonly open: Open } {
    const path = above === undefined ? root.path : `${above.path}/${name}`;
    // What is the same is one text, since there may be very many.
    const followed = above === undefined ? path : above.real === above.path ? path : `${above.real}/${name}`;
    const real = rare?.real === undefined ? followed : rare.real === path ? path : rare.real;
    const parent: Parent = { root, path, real, group: above === undefined ? [] : [...above.group, name] };
    const at = this.#groups++;
    const [size = -1, modified = 0, changed = 0, inode = 0, device = 0] = this.#stamps.subarray(at * STAMP, (at + 1) * STAMP);
    const count = this.#counts[at] ?? 0;
    if (count > MAX_CHILDREN) throw damaged();
    // No larger than they have to be: there may be very many.
    const names = new Array<string>(count);
    const nodes = new Array<Node>(count);
    const links = rare?.links === undefined || rare.links.length === 0 ? NO_LINKS : new Set(rare.links);
    const notices = rare?.notices ?? NO_NOTICES;
    const stamp = { size, modified, changed, inode, device };
    const node: Group =
      size < 0 ? { kind: 'group', parent, names, nodes, links, notices } : { kind: 'group', parent, names, nodes, links, notices, stamp };
    return { node, open: { parent, names, nodes, filled: 0 } };
  }
}

function reviveStamp(stored: StoredStamp | 0): { stamp?: Stamp } {
  if (stored === 0) return {};
  const [size, modified, changed, inode, device] = stored;
  return { stamp: { size, modified, changed, inode, device } };
}

function aligned(at: number): number {
  return at + (-at & (ALIGNED - 1));
}

function damaged(): Error {
  return new Error('the index is damaged');
}
