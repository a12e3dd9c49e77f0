/** Searching the configured folders for skills. */
import { existsSync, lstatSync, type Stats, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { YamlLibrary } from '../../bounded-yaml.js';
import { systemCode } from '../../errors.js';
import { type Notice, SKILL_FILE } from '../source.js';
import { readHead, readStart } from './files.js';
import { FolderSkill, type Parent } from './folder-skill.js';
import { isInside } from './folders.js';
import { endOfFrontmatter, type FrontmatterFields, findFrontmatter, readFields, readPlainFields } from './frontmatter.js';
import { type FolderNames, readNames } from './listing.js';
import { brokenLink, linkLeaves, linkLoops, noFrontmatter, notAFile, notReadable, tooFar, tooLarge, unreadableYaml } from './notices.js';
import { findRoot, followLink, isStill, statsOf } from './real-paths.js';
import { SkillRows } from './rows.js';
import { type CheckedFields, checkFields, LIMITS } from './rules.js';
import type { ScanInput, ScanOutput, ScanPlace, ScanStep } from './scan-types.js';
import { isSettled, type Stamp, sameStamp, stampOf } from './stamp.js';
import { restlessToo, type Touched, touchedIn } from './touched.js';
import { type Group, isRestless, isSameSkill, isUnchangedNode, lostAt, type Node, namesIn, previousNodes, type Refused } from './tree.js';

/** FrontmatterFields that passed. */
type Served = Extract<CheckedFields, { served: true }>;

const HEAD_BYTES = 2048;
/** Folders between two steps, which have a cost. */
const STRIDE = 16;

/** One pass over all folders. Steps let the caller pause: a scan of 10,000 skills must not delay a call. */
export class Scan {
  #yaml: YamlLibrary | undefined;
  readonly #head = Buffer.allocUnsafe(HEAD_BYTES);
  #realRoots: readonly string[] = [];
  #rows = new SkillRows();
  #reads = 0;
  #checked = 0;
  #unchecked = 0;
  /** Folders without a skill that may still be searched. */
  #left = Number.POSITIVE_INFINITY;

  constructor(readonly input: ScanInput) {}

  /** How many files and folders were read so far. */
  get reads(): number {
    return this.#reads;
  }

  /** Provides the library that a `yaml` step needs. */
  provideYaml(library: YamlLibrary): void {
    this.#yaml = library;
  }

  *steps(): Generator<ScanStep, ScanOutput> {
    const forest = new Map<string, Node>();
    const notices: Notice[] = [];
    const found = this.input.roots.map(findRoot);
    this.#realRoots = found.flatMap(({ real }) => (typeof real === 'string' ? [real] : []));
    for (const { root, real, most } of found) {
      this.#left = most;
      const previous = this.input.previous.get(root.path);
      if (typeof real !== 'string') {
        if (real?.rule === 'unreadable')
          forest.set(root.path, { kind: 'refused', notice: real, unreadable: previous && namesIn(previous) });
        else if (real !== undefined) notices.push(real);
        continue;
      }
      const parent: Parent = { root, path: root.path, real, group: [] };
      const place: ScanPlace = { parent, name: '', path: root.path, real, target: '', above: [] };
      const touched = this.input.changed === undefined ? undefined : touchedIn(root.path, this.input.changed);
      const isSame = touched !== undefined && previous?.kind === 'group' && previous.parent.real === real;
      forest.set(root.path, isSame ? yield* this.#revisit(place, previous, touched) : yield* this.#visit(place, previous));
    }
    this.#rows.close();
    return { forest, notices, reads: this.#reads, unchecked: this.#unchecked };
  }

  /** Looks only at folders in which something changed. */
  *#revisit(place: ScanPlace, previous: Group, touched: Touched): Generator<ScanStep, Node> {
    const isRead = touched.isChanged || (previous.isRestless && previous.stamp === undefined);
    if (isRead) return yield* this.#visit(place, previous);
    const nodes = [...previous.nodes];
    for (const [name, below] of restlessToo(touched, previous)) {
      const at = previous.names.indexOf(name);
      const last = previous.nodes[at];
      if (last === undefined) continue;
      // What was removed is missing in the names of this folder.
      if (!existsSync(`${place.path}/${name}`)) return yield* this.#visit(place, previous);
      const inner = this.#enter(place, previous.parent, name, previous.links.has(name));
      if (inner === undefined || 'rule' in inner) return yield* this.#visit(place, previous);
      const isSame = last.kind === 'group' && last.parent.real === inner.real;
      nodes[at] = isSame ? yield* this.#revisit(inner, last, below) : yield* this.#visit(inner, last);
      yield 'next';
    }
    if (nodes.every((node, at) => node === previous.nodes[at])) return previous;
    const { isRestless: _, ...rest } = previous;
    return nodes.some(isRestless) ? { ...rest, nodes, isRestless: true } : { ...rest, nodes };
  }

  *#visit(place: ScanPlace, previous: Node | undefined): Generator<ScanStep, Node> {
    const file = `${place.path}/${SKILL_FILE}`;
    let stats: Stats | undefined;
    try {
      stats = lstatSync(file, { throwIfNoEntry: false });
    } catch (cause) {
      return { kind: 'refused', notice: notReadable(place.path, cause), unreadable: lostAt(place, previous) };
    }
    if (stats === undefined) return yield* this.#visitGroup(place, previous?.kind === 'group' ? previous : undefined);
    try {
      return yield* this.#visitSkill(place, file, stats, previous);
    } catch (cause) {
      if (systemCode(cause) === undefined) throw cause;
      return { kind: 'refused', notice: notReadable(file, cause), unreadable: lostAt(place, previous) };
    }
  }

  *#visitSkill(place: ScanPlace, file: string, link: Stats, previous: Node | undefined): Generator<ScanStep, Node> {
    let real = join(place.real, SKILL_FILE);
    let stats = link;
    if (link.isSymbolicLink()) {
      const target = followLink(file);
      if (target === undefined || !isInside(place.real, target.real)) return { kind: 'refused', notice: linkLeaves(file, 'its skill') };
      ({ real, stats } = target);
    }
    if (previous !== undefined && isUnchangedNode(previous, stats) && (previous.kind !== 'skill' || previous.identity === place.real))
      return previous;
    const stamp = stampOf(stats);
    if (!stats.isFile()) return { kind: 'refused', notice: notAFile(file) };
    if (stats.size > LIMITS.file) return this.#refused(tooLarge(file, stats.size), stamp);

    const fields = yield* this.#fields(real, file, stats.size);
    if (!fields.ok) return this.#refused(fields.notice, stamp);
    const checked = checkFields(fields.fields, basename(place.path), file, fields.repaired);
    if (!checked.served) return this.#refused(checked.notice, stamp);
    // The stamp is that of the open file, which later identifies it, and not of what the path led to a moment before.
    const skill = this.#skill(place.parent, place.name, place.target, fields.stats, checked);
    return previous?.kind === 'skill' && isSameSkill(previous, skill) ? previous : skill;
  }

  #skill(parent: Parent, folder: string, target: string, stats: Stats, { name, description, notices }: Served): FolderSkill {
    const stamp = stampOf(stats);
    if (this.#rows.isFull) {
      this.#rows.close();
      this.#rows = new SkillRows();
    }
    const row = this.#rows.add(stamp, isSettled(stamp, this.input.now), description);
    const unusual = target === '' && notices.length === 0 ? undefined : { target, notices };
    return new FolderSkill(name === folder ? folder : name, parent, folder, this.#rows, row, unusual);
  }

  /** Fast path for an ordinary skill, as nearly all are; undefined for any other. A file that changes after `link` is read by the next scan. */
  #plainSkill(parent: Parent, file: string, folder: string, link: Stats, quiet: boolean): FolderSkill | undefined {
    if (!link.isFile() || link.size > LIMITS.file) return undefined;
    try {
      this.#reads++;
      const real = `${parent.real}/${folder}/${SKILL_FILE}`;
      const head = quiet ? { stats: link, length: readStart(real, this.#head) } : readHead(real, this.#head);
      if (head === undefined || !head.stats.isFile() || head.stats.size > LIMITS.file) return undefined;
      const frontmatter = findFrontmatter(this.#head.toString('utf8', 0, endOfFrontmatter(this.#head, head.length)));
      const fields = frontmatter.found ? readPlainFields(frontmatter.yaml) : undefined;
      const checked = fields === undefined ? undefined : checkFields(fields, folder, file, false);
      return checked?.served === true ? this.#skill(parent, folder, '', head.stats, checked) : undefined;
    } catch {
      // the slow path reports what is wrong
      return undefined;
    }
  }

  #refused(notice: Notice, stamp: Stamp): Refused {
    return isSettled(stamp, this.input.now) ? { kind: 'refused', notice, stamp } : { kind: 'refused', notice };
  }

  *#fields(
    real: string,
    file: string,
    size: number,
  ): Generator<ScanStep, { ok: true; fields: FrontmatterFields; repaired: boolean; stats: Stats } | { ok: false; notice: Notice }> {
    let head = this.#readHead(real, this.#head);
    let frontmatter = findFrontmatter(head.text);
    if (!frontmatter.found && frontmatter.reason === 'unclosed' && size > HEAD_BYTES) {
      head = this.#readHead(real, Buffer.allocUnsafe(Math.min(size, LIMITS.frontmatter)));
      frontmatter = findFrontmatter(head.text);
    }
    const { stats } = head;
    if (stats === undefined) return { ok: false, notice: linkLeaves(file, 'its skill') };
    if (!frontmatter.found) return { ok: false, notice: noFrontmatter(file, frontmatter.reason) };
    const plain = readPlainFields(frontmatter.yaml);
    if (plain !== undefined) return { ok: true, fields: plain, repaired: false, stats };
    if (this.#yaml === undefined) yield 'yaml';
    if (this.#yaml === undefined) throw new Error('the YAML library was not provided');
    // Parsing takes much longer than any other step.
    yield 'next';
    const read = readFields(frontmatter.yaml, this.#yaml);
    return read.ok ? { ...read, stats } : { ok: false, notice: unreadableYaml(file, read) };
  }

  /** The head of a file, and its stats; without stats when it was replaced. */
  #readHead(real: string, buffer: Buffer): { text: string; stats?: Stats } {
    this.#reads++;
    const head = readHead(real, buffer);
    return head === undefined ? { text: '' } : { text: buffer.toString('utf8', 0, head.length), stats: head.stats };
  }

  *#visitGroup(place: ScanPlace, previous: Group | undefined, suspicious = false): Generator<ScanStep, Group> {
    const { parent: above, path, real } = place;
    const group = place.name === '' ? above.group : [...above.group, place.name];
    const known = previous?.parent.real === real ? previous.parent : undefined;
    // What is the same is one text, since there may be very many.
    const parent: Parent = known ?? { root: above.root, path, real: real === path ? path : real, group };
    const beyond = --this.#left === -1 ? [tooFar(above.root.label)] : [];
    if (this.#left < 0) return { kind: 'group', parent, names: [], nodes: [], links: new Set(), notices: beyond };
    let stats: Stats;
    let listing: FolderNames;
    let listed = false;
    try {
      stats = statSync(path);
      listed = previous?.stamp === undefined || !sameStamp(previous.stamp, stats);
      if (listed) this.#reads++;
      listing = listed
        ? yield* readNames(path, stats.size)
        : { names: previous?.names ?? [], links: previous?.links ?? new Set(), notices: [] };
    } catch (cause) {
      const notices = [notReadable(path, cause)];
      return { kind: 'group', parent, names: [], nodes: [], links: new Set(), notices, unreadable: lostAt(place, previous) };
    }
    const { links } = listing;
    const before = known === undefined ? undefined : previousNodes(previous, listing.names, listed);
    const names: string[] = [];
    const nodes: Node[] = [];
    const notices: Notice[] = [...listing.notices];
    let same = !listed && known !== undefined;
    let passedOver = false;
    // Replacing a folder in it by a link changes the times of a folder, visibly where they are old.
    const quiet = !suspicious && isSettled(stampOf(stats), this.input.now);
    const atBottom = place.above.length >= LIMITS.depth;
    for (let index = 0; index < listing.names.length && !atBottom; index++) {
      const name = listing.names[index] ?? '';
      if (index % STRIDE === STRIDE - 1) yield 'next';
      const last = before?.[index];
      const link = links.has(name);
      let node: Node | undefined;
      // The usual cases first: an unchanged skill, and a new ordinary one.
      let isGroup = false;
      if (link) node = undefined;
      else if (last === undefined) {
        const file = `${path}/${name}/${SKILL_FILE}`;
        const found = statsOf(file);
        isGroup = found === 'absent';
        node = typeof found === 'object' ? this.#plainSkill(parent, file, name, found, quiet) : undefined;
      } else if (last.kind === 'skill' && this.#isAsBefore(`${path}/${name}/${SKILL_FILE}`, last)) node = last;
      else if (last.kind === 'group' && this.#isAssumed()) node = last;
      if (node === undefined) {
        const inner = this.#enter(place, parent, name, link);
        if (inner !== undefined && 'rule' in inner) notices.push(inner);
        if (inner === undefined) passedOver = true;
        if (inner === undefined || 'rule' in inner) continue;
        node = isGroup ? yield* this.#visitGroup(inner, undefined) : yield* this.#visit(inner, last);
      }
      same &&= node === last;
      names.push(name);
      nodes.push(node);
    }
    if (quiet && !isStill(path, stats)) return yield* this.#visitGroup(place, previous, true);
    if (same && previous !== undefined && notices.length === 0 && nodes.length === previous.nodes.length) return previous;
    const stamp = stampOf(stats);
    // A folder with notices, or with a link to something that is not a folder, is read again: the change may be elsewhere.
    const trusted = notices.length === 0 && !passedOver && isSettled(stamp, this.input.now);
    const restless = notices.length > 0 || passedOver || nodes.some(isRestless);
    // Lists that grew have room for more, which adds up where there are very many.
    const exact = { names: names.slice(), nodes: nodes.slice() };
    return { kind: 'group', parent, ...exact, links, notices, ...(trusted && { stamp }), ...(restless && { isRestless: true }) };
  }

  #isAsBefore(file: string, skill: FolderSkill): boolean {
    if (this.#isAssumed()) return true;
    try {
      const stats = lstatSync(file, { throwIfNoEntry: false });
      return stats !== undefined && isUnchangedNode(skill, stats);
    } catch {
      return false;
    }
  }

  /** Whether enough was checked for a first list, and the rest is left as it was. */
  #isAssumed(): boolean {
    if (this.input.checked === undefined || this.#checked++ < this.input.checked) return false;
    this.#unchecked++;
    return true;
  }

  /** The place of a child folder; undefined to ignore it, a notice to report why it is skipped. */
  #enter(place: ScanPlace, parent: Parent, name: string, link: boolean): ScanPlace | Notice | undefined {
    const path = `${place.path}/${name}`;
    const above = [...place.above, place.real];
    if (!link) return { parent, name, path, real: join(place.real, name), target: '', above };
    const target = followLink(path);
    if (target === undefined) return brokenLink(path);
    const { real } = target;
    if (!target.stats.isDirectory()) return undefined;
    if (!this.#realRoots.some((root) => isInside(root, real))) return linkLeaves(path, 'the configured folders');
    if (above.includes(real)) return linkLoops(path);
    return { parent, name, path, real, target: real, above };
  }
}
