/** A skill in the store as it is served: each of its files is checked against the lock when it is read. */
import type { Log } from '../../log.js';
import type { ReadContext } from '../resource.js';
import type { FolderSkill } from '../skills/folder-skill.js';
import type { Provenance, Skill, SkillDigest, SkillFileContent, SkillFileEntry, SkillLocation, SkillManifest } from '../source.js';
import type { LockedSource } from './locked-sources.js';
import type { TreeSkill } from './tree.js';

const FETCH_AGAIN = [
  'Continue without it, or use another skill.',
  'Ask the operator of the server to fetch it again with: footbridge fetch',
];

/** Lightweight, since a start creates very many. The code that checks files is loaded when the first one is read. */
export class StoredSkill implements Skill {
  readonly #skill: FolderSkill;
  readonly #locked: LockedSource;
  readonly #tree: TreeSkill;
  readonly #log: Log;
  #guarded: Promise<Skill> | undefined;

  constructor(skill: FolderSkill, locked: LockedSource, tree: TreeSkill, log: Log) {
    this.#skill = skill;
    this.#locked = locked;
    this.#tree = tree;
    this.#log = log;
  }

  get name(): string {
    return this.#skill.name;
  }

  get description(): string {
    return this.#skill.description;
  }

  get group(): readonly string[] {
    return this.#skill.group;
  }

  get location(): SkillLocation {
    return this.#skill.location;
  }

  get origin(): string {
    return this.#skill.origin;
  }

  get provenance(): Provenance {
    const { signer, source, version } = this.#locked;
    return { source, version, ...(signer === undefined ? {} : { signer: signer.identity }) };
  }

  get directory(): string {
    return this.#skill.directory;
  }

  get identity(): string {
    return this.#skill.identity;
  }

  get version(): string {
    return this.#skill.version;
  }

  get modified(): number {
    return this.#skill.modified;
  }

  get size(): number {
    return this.#skill.size;
  }

  get conforms(): boolean {
    return this.#skill.conforms;
  }

  async read(path: string, context?: ReadContext): Promise<SkillFileContent | undefined> {
    return (await this.#guard()).read(path, context);
  }

  async opening(bytes: number): Promise<Uint8Array | undefined> {
    return (await this.#guard()).opening?.(bytes);
  }

  async list(folder: string): Promise<readonly SkillFileEntry[] | undefined> {
    return (await this.#guard()).list(folder);
  }

  async manifest(): Promise<SkillManifest | undefined> {
    return (await this.#guard()).manifest();
  }

  #guard(): Promise<Skill> {
    this.#guarded ??= this.#guardFiles();
    return this.#guarded;
  }

  async #guardFiles(): Promise<Skill> {
    const [{ lockedSkill }, { encodedPath }] = await Promise.all([
      import('../transforms/locked/locked-skill.js'),
      import('../transforms/locked/lock.js'),
    ]);
    const { files, name } = this.#tree;
    const known = new Map<string, SkillDigest>(files.map((file) => [encodedPath(file.path), file]));
    const drifted = () => this.#log.warn(`${this.#locked.source}: the files of '${name}' in the store have changed. Run: footbridge fetch`);
    return lockedSkill(this.#skill, known, { ready: async () => undefined, drifted, actions: FETCH_AGAIN });
  }
}
