/** The index in the cache folder: what the last run found, so that a start need not read every file again. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepFile, keepInTurns, shortHash } from '../../kept-file.js';
import type { Notice } from '../source.js';
import { isPlainName } from './files.js';
import { FolderSkill, type Parent } from './folder-skill.js';
import type { SkillRoot } from './folders.js';
import type { Stamp } from './stamp.js';
import type { Forest, Group, Node } from './tree.js';

/** Raise it whenever what is stored, or how a file is judged, changes. */
const FORMAT = 6;
const PREFIX = 'skills-';
const LINE_END = 0x0a;

type StoredStamp = readonly [size: number, modified: number, changed: number, inode: number, device: number];

/** Numbers of one stamp. */
const STAMP = 5;
/** Names of one line. */
const TOGETHER = 300;
/** Characters that are written together. */
const PIECE = 64 * 1024;

/** The first line. */
interface StoredHead {
  readonly format: number;
  /** Which configured folders it is for. */
  readonly roots: string;
  readonly trees: number;
}

/** A folder of folders: a line, followed by lines with its names, and by the groups in it. */
interface StoredGroup {
  /** Its place among the names of the group around it. */
  readonly at: number;
  readonly path: string;
  readonly real: string;
  readonly group: readonly string[];
  readonly stamp: StoredStamp | 0;
  readonly notices: readonly Notice[];
  readonly links: readonly string[];
  readonly count: number;
  readonly inner: number;
}

/** Some of the names in a folder, in order. Places are counted from the first of them. */
interface StoredNames {
  readonly names: readonly string[];
  /** Skills, which are many, stand in columns: that is several times faster to parse. One stamp each in `stamps`, which is base64. */
  readonly at: readonly number[];
  readonly descriptions: readonly string[];
  readonly stamps: string;
  /** By place: what few have, such as a name that is not that of the folder. */
  readonly called: Readonly<Record<number, string>>;
  readonly unsettled: readonly number[];
  readonly targets: Readonly<Record<number, string>>;
  readonly notices: Readonly<Record<number, readonly Notice[]>>;
  readonly refused: readonly (readonly [at: number, Notice, StoredStamp | 0])[];
}

const NO_NOTICES: readonly Notice[] = [];
const NO_LINKS: ReadonlySet<string> = new Set();

interface IndexFile {
  /** Empty if there is no index, or it has another format. */
  load(): Forest;
  save(forest: Forest): void;
  /** The same while other work goes on. */
  saveInTurns(forest: Forest): Promise<void>;
}

/** An index that is kept in `folder` for one set of configured folders. */
export function indexFile(folder: string, roots: readonly SkillRoot[]): IndexFile {
  const key = JSON.stringify(roots);
  const name = `${shortHash(key)}.json`;
  return {
    load() {
      try {
        return revive(new Lines(readFileSync(join(folder, `${PREFIX}${name}`))), key, roots);
      } catch {
        return new Map();
      }
    },
    save(forest) {
      keepFile(folder, PREFIX, name, piecesOf(forest, key));
    },
    saveInTurns(forest) {
      return keepInTurns(folder, PREFIX, name, piecesOf(forest, key));
    },
  };
}

/** Pieces that are each made in about a millisecond. */
function* piecesOf(forest: Forest, roots: string): Generator<Uint8Array> {
  let piece = '';
  for (const line of linesOf(forest, roots)) {
    piece += `${toAscii(JSON.stringify(line))}\n`;
    if (piece.length < PIECE) continue;
    yield Buffer.from(piece, 'latin1');
    piece = '';
  }
  yield Buffer.from(piece, 'latin1');
}

/** JSON in bytes that need no decoding, which is most of the time of reading it. */
function toAscii(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function* linesOf(forest: Forest, roots: string): Generator<StoredHead | StoredGroup | StoredNames> {
  // A configured folder that is itself a skill, or refused, is one file: not worth an entry.
  const trees = [...forest.values()].filter((node) => node.kind === 'group');
  yield { format: FORMAT, roots, trees: trees.length };
  for (const tree of trees) yield* groupLines(tree, 0);
}

function* groupLines({ parent, stamp, notices, names, nodes, links }: Group, at: number): Generator<StoredGroup | StoredNames> {
  const { group, path, real } = parent;
  const inner = nodes.flatMap((node, place) => (node.kind === 'group' ? [{ node, place }] : []));
  const stored = stamp === undefined ? 0 : storeStamp(stamp);
  yield { at, path, real, group, stamp: stored, notices, links: [...links], count: names.length, inner: inner.length };
  for (let from = 0; from < names.length; from += TOGETHER)
    yield storeNames(names.slice(from, from + TOGETHER), nodes.slice(from, from + TOGETHER));
  for (const { node, place } of inner) yield* groupLines(node, place);
}

function storeNames(names: readonly string[], nodes: readonly Node[]): StoredNames {
  const skills = nodes.flatMap((node, at) => (node.kind === 'skill' ? [{ skill: node, at }] : []));
  const marked = <T>(value: (skill: FolderSkill, at: number) => T | undefined): Record<number, T> =>
    Object.fromEntries(
      skills.flatMap(({ skill, at }) => {
        const found = value(skill, at);
        return found === undefined ? [] : [[at, found]];
      }),
    );
  return {
    names,
    at: skills.map(({ at }) => at),
    descriptions: skills.map(({ skill }) => skill.description),
    stamps: Buffer.from(Float64Array.from(skills.flatMap(({ skill }) => storeStamp(skill))).buffer).toString('base64'),
    called: marked(({ name }, at) => (name === names[at] ? undefined : name)),
    unsettled: skills.flatMap(({ skill, at }) => (skill.settled ? [] : [at])),
    targets: marked(({ target }) => target || undefined),
    notices: marked((skill) => (skill.notices.length === 0 ? undefined : skill.notices)),
    refused: nodes.flatMap((node, at) =>
      node.kind === 'refused' ? [[at, node.notice, node.stamp === undefined ? 0 : storeStamp(node.stamp)] as const] : [],
    ),
  };
}

function storeStamp({ size, modified, changed, inode, device }: Stamp): StoredStamp {
  return [size, modified, changed, inode, device];
}

/** Reads a file line by line: parsing it as a whole would take several times its size. */
class Lines {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Throws at the end. */
  next(): unknown {
    const end = this.#bytes.indexOf(LINE_END, this.#at);
    if (end === -1) throw new Error('the index is cut off');
    const line = this.#bytes.toString('latin1', this.#at, end);
    this.#at = end + 1;
    return JSON.parse(line);
  }
}

function revive(lines: Lines, key: string, roots: readonly SkillRoot[]): Forest {
  const { format, roots: stored, trees } = lines.next() as StoredHead;
  const forest = new Map<string, Node>();
  if (format !== FORMAT || stored !== key) return forest;
  for (let tree = 0; tree < trees; tree++) {
    const head = lines.next() as StoredGroup;
    const root = roots.find(({ path }) => path === head.path);
    if (root === undefined) throw new Error('the index is damaged');
    forest.set(head.path, reviveGroup(head, lines, root));
  }
  return forest;
}

function reviveGroup(stored: StoredGroup, lines: Lines, root: SkillRoot): Group {
  // What is the same is one text, since there may be very many.
  const real = stored.real === stored.path ? stored.path : stored.real;
  const parent: Parent = { root, path: stored.path, real, group: stored.group };
  const names: string[] = [];
  const nodes: Node[] = [];
  while (names.length < stored.count) reviveNames(lines.next() as StoredNames, parent, names, nodes);
  for (let inner = 0; inner < stored.inner; inner++) {
    const head = lines.next() as StoredGroup;
    nodes[head.at] = reviveGroup(head, lines, root);
  }
  const links = stored.links.length === 0 ? NO_LINKS : new Set(stored.links);
  return { kind: 'group', parent, names, nodes, links, notices: stored.notices, ...reviveStamp(stored.stamp) };
}

function reviveNames(stored: StoredNames, parent: Parent, names: string[], nodes: Node[]): void {
  assertSound(stored);
  const first = names.length;
  const bytes = Buffer.from(stored.stamps, 'base64');
  // A copy, since the numbers must begin at a multiple of eight.
  const stamps = new Float64Array(new Uint8Array(bytes).buffer);
  for (const name of stored.names) names.push(name);
  for (const [index, at] of stored.at.entries()) {
    const folder = stored.names[at] ?? '';
    nodes[first + at] = new FolderSkill(
      stored.called[at] ?? folder,
      stored.descriptions[index] ?? '',
      parent,
      folder,
      stored.targets[at] ?? '',
      stamps[index * STAMP] ?? 0,
      stamps[index * STAMP + 1] ?? 0,
      stamps[index * STAMP + 2] ?? 0,
      stamps[index * STAMP + 3] ?? 0,
      stamps[index * STAMP + 4] ?? 0,
      !stored.unsettled.includes(at),
      stored.notices[at] ?? NO_NOTICES,
    );
  }
  for (const [at, notice, stamp] of stored.refused) nodes[first + at] = { kind: 'refused', notice, ...reviveStamp(stamp) };
}

/** Throws at what we never write, so that a damaged index is no index. */
function assertSound({ at, descriptions, names }: StoredNames): void {
  const texts = descriptions.length === at.length && descriptions.every((text) => typeof text === 'string');
  if (!texts || names.length === 0 || !names.every((name) => typeof name === 'string' && isPlainName(name)))
    throw new Error('the index is damaged');
}

function reviveStamp(stored: StoredStamp | 0): { stamp?: Stamp } {
  if (stored === 0) return {};
  const [size, modified, changed, inode, device] = stored;
  return { stamp: { size, modified, changed, inode, device } };
}
