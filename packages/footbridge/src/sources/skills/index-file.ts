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
const NO_LINKS: ReadonlySet<string> = new Set();

interface IndexFile {
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
      keepFile(folder, PREFIX, name, bytesOf(forest, key));
    },
    saveInTurns(forest) {
      return keepInTurns(folder, PREFIX, name, bytesOf(forest, key));
    },
  };
}

/** JSON in bytes that need no decoding, which is most of the time of reading it. */
function toAscii(json: string): string {
  return json.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function decodeNumbers(text: string): Float64Array {
  const bytes = Buffer.from(text, 'base64');
  // A copy, since the numbers must begin at a multiple of eight.
  return new Float64Array(new Uint8Array(bytes).buffer);
}

/** The index as JSON in pieces, each of which is made in about a millisecond. */
function* bytesOf(forest: Forest, roots: string): Generator<Uint8Array> {
  let piece = '';
  for (const text of jsonOf(forest, roots)) {
    piece += text;
    if (piece.length < PIECE) continue;
    yield Buffer.from(toAscii(piece), 'latin1');
    piece = '';
  }
  yield Buffer.from(toAscii(piece), 'latin1');
}

/** Characters of a piece, and elements of a column that are written together. */
const PIECE = 64 * 1024;
const TOGETHER = 300;

function* jsonOf(forest: Forest, roots: string): Generator<string> {
  yield `{"format":${FORMAT},"roots":${JSON.stringify(roots)},"forest":[`;
  let between = '';
  for (const [path, node] of forest) {
    // A configured folder that is itself a skill, or refused, is one file: not worth an entry.
    if (node.kind !== 'group') continue;
    yield `${between}[${JSON.stringify(path)},`;
    yield* groupJson(node);
    yield ']';
    between = ',';
  }
  yield ']}';
}

/** As a `StoredGroup`. */
function* groupJson({ parent, stamp, notices, names, nodes, links }: Group): Generator<string> {
  const skills: FolderSkill[] = [];
  const at: number[] = [];
  const refused: (readonly [at: number, Notice, StoredStamp | 0])[] = [];
  const groups: (readonly [at: number, Group])[] = [];
  for (const [place, node] of nodes.entries()) {
    if (node.kind === 'group') groups.push([place, node]);
    else if (node.kind === 'refused') refused.push([place, node.notice, node.stamp === undefined ? 0 : storeStamp(node.stamp)]);
    else {
      skills.push(node);
      at.push(place);
    }
  }
  const { group, path, real } = parent;
  yield JSON.stringify({ path, real, group, stamp: stamp === undefined ? 0 : storeStamp(stamp), notices }).slice(0, -1);
  yield* columnJson('"names"', names, (name) => name);
  yield* columnJson('"links"', [...links], (name) => name);
  yield `,"skills":{"at":${JSON.stringify(at)}`;
  yield* columnJson('"names"', skills, ({ name }) => name);
  yield* columnJson('"descriptions"', skills, ({ description }) => description);
  yield ',"stamps":"';
  for (let from = 0; from < skills.length; from += TOGETHER) {
    const stamps = Float64Array.from(skills.slice(from, from + TOGETHER).flatMap(storeStamp));
    // The bytes of each part but the last can be divided by three, so the parts join.
    yield Buffer.from(stamps.buffer).toString('base64');
  }
  yield `",${JSON.stringify(exceptionsOf(skills)).slice(1)}`;
  yield* columnJson('"refused"', refused, (entry) => entry);
  yield ',"groups":[';
  for (const [index, [place, inner]] of groups.entries()) {
    yield `${index === 0 ? '' : ','}[${place},`;
    yield* groupJson(inner);
    yield ']';
  }
  yield ']}';
}

/** What few skills have, by their places. */
function exceptionsOf(skills: readonly FolderSkill[]): Pick<StoredGroup['skills'], 'notices' | 'targets' | 'unsettled'> {
  const unsettled: number[] = [];
  const targets: Record<number, string> = {};
  const notices: Record<number, readonly Notice[]> = {};
  for (const [index, skill] of skills.entries()) {
    if (!skill.settled) unsettled.push(index);
    if (skill.target !== '') targets[index] = skill.target;
    if (skill.notices.length > 0) notices[index] = skill.notices;
  }
  return { unsettled, targets, notices };
}

function* columnJson<T>(key: string, elements: readonly T[], value: (element: T) => unknown): Generator<string> {
  yield `,${key}:[`;
  for (let from = 0; from < elements.length; from += TOGETHER) {
    const json = JSON.stringify(elements.slice(from, from + TOGETHER).map(value));
    yield `${from === 0 ? '' : ','}${json.slice(1, -1)}`;
  }
  yield ']';
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
  // What is the same is one text, since there may be very many.
  const parent: Parent = { root, path: stored.path, real: stored.real === stored.path ? stored.path : stored.real, group: stored.group };
  const nodes: Node[] = new Array(stored.names.length);
  const { at, names, descriptions, targets, notices } = stored.skills;
  const stamps = decodeNumbers(stored.skills.stamps);
  const unsettled = new Set(stored.skills.unsettled);
  for (let index = 0; index < at.length; index++) {
    const place = at[index] ?? 0;
    const folder = stored.names[place] ?? '';
    nodes[place] = new FolderSkill(
      names[index] === folder ? folder : (names[index] ?? ''),
      descriptions[index] ?? '',
      parent,
      folder,
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
    links: stored.links.length === 0 ? NO_LINKS : new Set(stored.links),
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
