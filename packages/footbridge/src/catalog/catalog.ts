/** The catalog: one snapshot of all sources, and the only way to content. */
import { echo, FootbridgeError } from '../errors.js';
import { type Contribution, SKILL_FILE, type Skill, type SkillFileContent, type SkillFileEntry, type Source } from '../sources/source.js';
import { nearest } from './near.js';
import { isSkillUri, nameKey, parseSkillUri, pathKey, skillUri } from './skill-uri.js';
import { buildSnapshot, EMPTY, qualifiedName, type Snapshot } from './snapshot.js';

/** Content as it was stored, under its canonical URI. */
export interface Content extends SkillFileContent {
  readonly uri: string;
}

/** A file or folder inside a skill, under its canonical URI. */
export interface FolderChild extends SkillFileEntry {
  readonly uri: string;
  readonly name: string;
}

/** What a new snapshot differs in from the one before. */
export interface Change {
  readonly previous: Snapshot;
  readonly snapshot: Snapshot;
}

/** Folders and name of a skill; longer paths are not looked for, however many segments a caller sends. */
const DEEPEST = 32;

type Listener = (change: Change) => void;

/** Holds the current snapshot; a change of any source replaces it at once. */
export class Catalog {
  readonly #sources: readonly Source[];
  readonly #contributions = new Map<Source, Contribution>();
  readonly #listeners = new Set<Listener>();
  #snapshot: Snapshot = EMPTY;

  private constructor(sources: readonly Source[]) {
    this.#sources = sources;
  }

  /**
   * Opens all sources side by side and resolves when each has contributed. With `remembered` it does not wait until what
   * they remember of the last run is checked: `settled` does.
   */
  static async open(sources: readonly Source[], { remembered = false } = {}): Promise<Catalog> {
    const catalog = new Catalog(sources);
    const first = await Promise.all(sources.map((source) => source.open((next) => catalog.#replace(source, next))));
    sources.forEach((source, index) => {
      const contribution = first[index];
      // A source that changed while the others opened has the newer one in place already.
      if (contribution !== undefined && !catalog.#contributions.has(source)) catalog.#contributions.set(source, contribution);
    });
    catalog.#snapshot = catalog.#build();
    if (!remembered) await catalog.settled();
    return catalog;
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Resolves when nothing in the snapshot is merely remembered any more; at once in the usual case. */
  async settled(): Promise<void> {
    for (const { settle } of this.#contributions.values()) await settle?.();
  }

  /** Calls `listener` after each change; returns the way to stop. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Content of a URI, byte for byte. Every surface reads through here. */
  async read(uri: string): Promise<Content> {
    const { skill, path } = this.#resolve(uri);
    const content = path === '' ? undefined : await skill.read(path);
    if (content === undefined) throw await this.#noSuchFile(uri, skill, path);
    return { ...content, uri: skillUri(skill, path) };
  }

  /** The instructions of a skill: what `read` gives for its URI, without the way there and back. */
  async readSkill(skill: Skill): Promise<SkillFileContent> {
    const content = await skill.read(SKILL_FILE);
    if (content === undefined) throw await this.#noSuchFile(skillUri(skill), skill, SKILL_FILE);
    return content;
  }

  /** Children of a folder of a skill; undefined when the URI names none. */
  async list(uri: string): Promise<readonly FolderChild[] | undefined> {
    const { skill, path } = this.#resolve(uri);
    const entries = await skill.list(path);
    return entries?.map((entry) => ({ ...entry, uri: skillUri(skill, entry.path), name: entry.path.split('/').at(-1) ?? entry.path }));
  }

  /** The skill of that name, bare or qualified, in any case. */
  findSkill(name: string): Skill | undefined {
    return this.#snapshot.byName.get(nameKey(name));
  }

  /** Makes every source look again. */
  async refresh(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.refresh()));
  }

  close(): void {
    for (const source of this.#sources) source.close();
    this.#listeners.clear();
  }

  #resolve(uri: string): { skill: Skill; path: string } {
    const segments = parseSkillUri(uri);
    if (segments === undefined) throw invalidUri(uri);
    for (let end = Math.min(segments.length, DEEPEST); end > 0; end--) {
      const skill = this.#snapshot.byPath.get(pathKey(segments.slice(0, end)));
      if (skill !== undefined) return { skill, path: segments.slice(end).join('/') };
    }
    throw this.#noSuchSkill(uri, segments);
  }

  #noSuchSkill(uri: string, segments: readonly string[]): FootbridgeError {
    const wanted = (segments.at(-1) === SKILL_FILE ? segments.slice(0, -1) : segments).join(':');
    const near = nearest(wanted, this.#snapshot.skills.map(qualifiedName)).flatMap((name) => this.findSkill(name) ?? []);
    return new FootbridgeError('NotFound', `No skill is served at '${echo(uri)}'.`, {
      suggestedActions: [...didYouMean(near.map((skill) => skillUri(skill))), 'Call list_skills to see the URI of every skill.'],
    });
  }

  async #noSuchFile(uri: string, skill: Skill, path: string): Promise<FootbridgeError> {
    const entries = (await skill.list('').catch(() => undefined)) ?? [];
    const near = nearest(
      path === '' ? SKILL_FILE : path,
      entries.filter((entry) => entry.kind === 'file').map((entry) => entry.path),
    );
    return new FootbridgeError('NotFound', `The skill '${skill.name}' has no file at '${echo(uri)}'.`, {
      suggestedActions: [
        ...didYouMean(near.map((file) => skillUri(skill, file))),
        `Read '${skillUri(skill)}', which names the files of the skill.`,
        'Call list_skills to see the URI of every skill.',
      ],
    });
  }

  #replace(source: Source, contribution: Contribution): void {
    this.#contributions.set(source, contribution);
    const previous = this.#snapshot;
    if (previous === EMPTY) return;
    const snapshot = this.#build();
    this.#snapshot = snapshot;
    for (const listener of this.#listeners) listener({ previous, snapshot });
  }

  #build(): Snapshot {
    return buildSnapshot(this.#sources.flatMap((source) => this.#contributions.get(source) ?? []));
  }
}

function invalidUri(uri: string): FootbridgeError {
  const message = isSkillUri(uri) ? `'${echo(uri)}' is not the URI of a skill's file.` : `Resource URI '${echo(uri)}' is not recognized.`;
  return new FootbridgeError('InvalidURI', message, {
    details: 'Each part between slashes must name one folder or file, percent-encoded where needed.',
    suggestedActions: ['Provide a non-empty skill://<name>/SKILL.md URI.', 'Call list_skills to see the URI of every skill.'],
  });
}

function didYouMean(near: readonly string[]): string[] {
  return near.length === 0 ? [] : [`Did you mean ${near.map((uri) => `'${uri}'`).join(', ')}?`];
}
