/** A skill in a folder on this machine. */
import { basename, join } from 'node:path';
import { decodeText } from '../../text.js';
import { inTurns } from '../../turns.js';
import type { ReadContext } from '../resource.js';
import {
  type Notice,
  SKILL_FILE,
  type Skill,
  type SkillDigest,
  type SkillFileContent,
  type SkillFileEntry,
  type SkillLocation,
  type SkillManifest,
} from '../source.js';
import { digestOf } from './digest.js';
import { isUnchanged, locate, readHead, readRegularFile, stepsToListAll, stepsToListFolder } from './files.js';
import type { SkillRoot } from './folders.js';
import { findFrontmatter, readTyped } from './frontmatter.js';
import type { SkillRows } from './rows.js';
import { conforms, isRepaired, LIMITS } from './rules.js';
import { hasSecretName, isPrivateKey, secretFile } from './secret-files.js';
import { isSettled, type Stamp, sameStamp } from './stamp.js';

const MARKDOWN = 'text/markdown';

/** The folder that skills lie in; one object for all of them. */
export interface Parent {
  readonly root: SkillRoot;
  readonly path: string;
  /** Its real path. */
  readonly real: string;
  /** Folders between the root and what lies in this one. */
  readonly group: readonly string[];
}

/** What few skills have. */
export interface Unusual {
  /** Where a link leads; empty for a plain folder. */
  readonly target: string;
  readonly notices: readonly Notice[];
}

const NO_NOTICES: readonly Notice[] = [];

/** The `SKILL.md` of skills that were read last: whether it is unchanged takes one system call, reading it four. */
const recent = new WeakMap<FolderSkill, ReadFile>();
/** In order. A skill keeps all that were scanned with it in memory, and must not outlive its snapshot here. */
const recentlyRead: { readonly skill: WeakRef<FolderSkill>; readonly content: ReadFile }[] = [];
const MAX_RECENT = 256;
const MAX_RECENT_SIZE = 32 * 1024;

/** A file that was just read. Whether it is unchanged is seen by its stamp, if that can be trusted. */
class ReadFile implements SkillFileContent {
  readonly #file: string;
  readonly #stamp: Stamp;
  readonly #settled: boolean;

  constructor(
    readonly bytes: Uint8Array,
    readonly mimeType: string,
    file: string,
    stamp: Stamp,
  ) {
    this.#file = file;
    this.#stamp = stamp;
    this.#settled = isSettled(stamp, Date.now());
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  isCurrent(): boolean {
    return this.#settled && isUnchanged(this.#file, this.#stamp);
  }
}

function remember(skill: FolderSkill, content: ReadFile): SkillFileContent {
  recent.delete(skill);
  if (content.bytes.length > MAX_RECENT_SIZE || !content.isSettled) return content;
  recent.set(skill, content);
  recentlyRead.push({ skill: new WeakRef(skill), content });
  const oldest = recentlyRead.length > MAX_RECENT ? recentlyRead.shift() : undefined;
  const old = oldest?.skill.deref();
  // It may have been read again.
  if (old !== undefined && recent.get(old) === oldest?.content) recent.delete(old);
  return content;
}

/** Digests already computed, kept as long as the skill itself. */
const digests = new WeakMap<FolderSkill, Map<string, { stamp: Stamp; digest: string }>>();

/** Those that are being read: files are read once for all that ask at the same time. */
const manifests = new WeakMap<FolderSkill, Promise<SkillManifest | undefined>>();

/** Loaded with the first file that needs it, since a start does not. */
let mimeTypes: typeof import('./mime.js') | undefined;

async function loadMimeTypes(): Promise<typeof import('./mime.js')> {
  mimeTypes = await import('./mime.js');
  return mimeTypes;
}

/** How long files are read before other calls get their turn. */
const SLICE_MS = 5;

export class FolderSkill implements Skill, Stamp {
  readonly kind = 'skill';

  readonly #rows: SkillRows;
  readonly #row: number;
  readonly #unusual: Unusual | undefined;

  constructor(
    readonly name: string,
    readonly parent: Parent,
    /** Its name in the parent; empty when a configured folder is itself a skill. */
    readonly folder: string,
    /** Where its description and the stamp of its `SKILL.md` are: there may be many skills. */
    rows: SkillRows,
    row: number,
    unusual?: Unusual,
  ) {
    this.#rows = rows;
    this.#row = row;
    this.#unusual = unusual;
  }

  get description(): string {
    return this.#rows.description(this.#row);
  }

  get size(): number {
    return this.#rows.number(this.#row, 0);
  }

  get modified(): number {
    return this.#rows.number(this.#row, 1);
  }

  get changed(): number {
    return this.#rows.number(this.#row, 2);
  }

  get inode(): number {
    return this.#rows.number(this.#row, 3);
  }

  get device(): number {
    return this.#rows.number(this.#row, 4);
  }

  /** Whether the stamp can be trusted; false for a file that had only just changed. */
  get settled(): boolean {
    return this.#rows.number(this.#row, 5) === 1;
  }

  get target(): string {
    return this.#unusual?.target ?? '';
  }

  get notices(): readonly Notice[] {
    return this.#unusual?.notices ?? NO_NOTICES;
  }

  /** Its numbers and the bytes of its description, as they are kept. */
  get stored(): { readonly numbers: Float64Array; readonly text: Uint8Array } {
    return { numbers: this.#rows.numbers(this.#row), text: this.#rows.bytes(this.#row) };
  }

  get group(): readonly string[] {
    return this.parent.group;
  }

  get directory(): string {
    return join(this.parent.path, this.folder);
  }

  get identity(): string {
    return this.target === '' ? join(this.parent.real, this.folder) : this.target;
  }

  get location(): SkillLocation {
    return this.parent.root.location;
  }

  get origin(): string {
    return this.parent.root.label;
  }

  get version(): string {
    return `${this.size}:${this.modified}:${this.changed}:${this.inode}:${this.device}`;
  }

  get conforms(): boolean {
    return conforms(this.notices);
  }

  get isRepaired(): boolean {
    return isRepaired(this.notices);
  }

  async read(path: string, context?: ReadContext): Promise<SkillFileContent | undefined> {
    if (path === SKILL_FILE) {
      // Our own name and a real path: no need to ask the folder for it. A link inside the skill takes the long way.
      const known = recent.get(this);
      if (known?.isCurrent() === true) return known;
      const file = join(this.identity, SKILL_FILE);
      const plain = await readRegularFile(file, this, context);
      if (plain !== undefined) return remember(this, new ReadFile(plain.bytes, MARKDOWN, file, plain.stamp));
    }
    const root = this.identity;
    const real = locate(root, path);
    const file = real === undefined ? undefined : await readRegularFile(real, undefined, context);
    if (real === undefined || file === undefined) return undefined;
    if (this.#refuses(path, real.slice(root.length), file.bytes)) throw secretFile(path);
    const { mimeTypeOf } = mimeTypes ?? (await loadMimeTypes());
    return new ReadFile(file.bytes, mimeTypeOf(basename(path), file.bytes), real, file.stamp);
  }

  async opening(bytes: number): Promise<Uint8Array | undefined> {
    const buffer = Buffer.allocUnsafe(Math.min(bytes, this.size));
    const head = readHead(join(this.identity, SKILL_FILE), buffer, false);
    // A file that changed is about to be scanned again; a link inside the skill is not worth following.
    return head !== undefined && sameStamp(this, head.stats) ? buffer.subarray(0, head.length) : undefined;
  }

  async list(folder: string): Promise<readonly SkillFileEntry[] | undefined> {
    const { mimeTypeOfName } = mimeTypes ?? (await loadMimeTypes());
    const root = this.identity;
    const entries = await inTurns(
      stepsToListFolder(root, folder, (path, real) => this.#refuses(path, real.slice(root.length))),
      'call',
    );
    return entries?.map((entry) => {
      const mimeType = entry.kind === 'file' ? mimeTypeOfName(entry.path) : undefined;
      return mimeType === undefined ? entry : { ...entry, mimeType };
    });
  }

  manifest(): Promise<SkillManifest | undefined> {
    let running = manifests.get(this);
    if (running === undefined) {
      running = this.#readAll().finally(() => manifests.delete(this));
      manifests.set(this, running);
    }
    return running;
  }

  async #readAll(): Promise<SkillManifest | undefined> {
    const files = await inTurns(stepsToListAll(this.identity), 'call');
    const total = files?.reduce((sum, { entry }) => sum + (entry.size ?? 0), 0) ?? 0;
    if (files === undefined || total > LIMITS.skill) return undefined;
    const own = await this.read(SKILL_FILE);
    const text = own === undefined ? undefined : decodeText(own.bytes);
    const frontmatter = text === undefined ? undefined : findFrontmatter(text);
    if (frontmatter?.found !== true) return undefined;
    const typed = readTyped(frontmatter.yaml, await import('yaml'));
    if (typed === undefined) return undefined;
    const entries: SkillDigest[] = [];
    const withheld: string[] = [];
    let slice = performance.now();
    for (const { entry, real } of files) {
      const digest = await this.#digest(entry.path, real);
      if (digest === 'refused') withheld.push(entry.path);
      else if (digest !== undefined) entries.push(digest);
      // Small files are read at once: many of them would hold up every other call.
      if (performance.now() - slice < SLICE_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      slice = performance.now();
    }
    return { frontmatter: typed, files: entries, ...(withheld.length === 0 ? {} : { withheld }) };
  }

  /** Whether a file is likely to contain secrets, by its name, by that of the file that it is a link to, or by its content. */
  #refuses(path: string, linked: string, bytes?: Uint8Array): boolean {
    if (this.parent.root.servesSecrets === true) return false;
    if (hasSecretName(path) || (linked !== `/${path}` && hasSecretName(linked))) return true;
    return bytes !== undefined && isPrivateKey(bytes);
  }

  /** `real` was just found by its exact name: looking it up again would read its folder for each file. */
  async #digest(path: string, real: string): Promise<SkillDigest | 'refused' | undefined> {
    const known = digests.get(this) ?? new Map<string, { stamp: Stamp; digest: string }>();
    digests.set(this, known);
    const entry = known.get(path);
    const linked = real.slice(this.identity.length);
    if (this.#refuses(path, linked)) return 'refused';
    if (entry !== undefined && isUnchanged(real, entry.stamp)) {
      return { path, size: entry.stamp.size, digest: entry.digest };
    }
    const file = await readRegularFile(real);
    if (file === undefined) return undefined;
    if (this.#refuses(path, linked, file.bytes)) return 'refused';
    const digest = digestOf(file.bytes);
    if (isSettled(file.stamp, Date.now())) known.set(path, { stamp: file.stamp, digest });
    return { path, size: file.bytes.length, digest };
  }
}
