/** A skill that an MCP server publishes. Files are fetched on demand. */
import type { Fields } from '../../../json.js';
import { Cancellation, Context, within } from '../../context.js';
import type { ReadContext } from '../../resource.js';
import type { Channel } from '../../server/channel.js';
import {
  SKILL_FILE,
  type Skill,
  type SkillDigest,
  type SkillFileContent,
  type SkillFileEntry,
  type SkillLocation,
  type SkillManifest,
} from '../../source.js';
import { type Fetched, fetchFile, notAsPublished } from './fetch.js';
import { readInstructions } from './instructions.js';
import type { PublishedFile, PublishedSkill } from './published.js';
import { type SkillFolder, uriBelow } from './uri-path.js';

/** The server of a skill. */
export interface Publisher {
  readonly channel: Channel;
  /** The unique name of the server, shown as the origin. */
  readonly origin: string;
  /** Folders above the skill: none for a single server, otherwise its name. */
  readonly group: readonly string[];
  /** For reads without a request. */
  readonly context: Context;
}

/** Skills outlive the request that found them, so they need a new context. */
export function publisherOf({ channel, origin, group }: Omit<Publisher, 'context'>, { caller, authInfo }: ReadContext): Publisher {
  return { channel, origin, group, context: new Context({ caller, authInfo }, new Cancellation()) };
}

/** For one read: longer than a start takes, shorter than a host waits. */
const READ_TIMEOUT_MS = 30_000;
/** Bytes of `SKILL.md` that are kept for the search index. */
const MAX_REMEMBERED = 8192;

export class UpstreamSkill implements Skill {
  readonly location: SkillLocation = 'global';
  /** Keeps the server's folders, which may hold skills of the same name. */
  readonly group: readonly string[];
  readonly #publisher: Publisher;
  /** Its folder on the server. */
  readonly folder: SkillFolder;
  readonly #files: ReadonlyMap<string, PublishedFile>;
  #frontmatter: Promise<Fields | undefined> | undefined;
  /** Of a `SKILL.md` that is the same for every caller, once it was read. */
  #opening: Uint8Array | undefined;

  constructor(
    readonly published: PublishedSkill,
    folder: SkillFolder,
    publisher: Publisher,
  ) {
    this.group = [...publisher.group, ...folder.segments.slice(0, -1)];
    this.#publisher = publisher;
    this.folder = folder;
    this.#files = new Map(published.files.map((file) => [file.path, file]));
  }

  get name(): string {
    return this.published.name;
  }

  get description(): string {
    return this.published.description;
  }

  get origin(): string {
    return this.#publisher.origin;
  }

  get identity(): string {
    return JSON.stringify([this.origin, this.published.uri]);
  }

  get version(): string {
    return this.published.version;
  }

  get size(): number | undefined {
    return this.#files.get(SKILL_FILE)?.size;
  }

  get conforms(): boolean {
    return this.published.conforms;
  }

  async read(path: string, context: ReadContext = this.#publisher.context): Promise<SkillFileContent | undefined> {
    const fetched = await this.#fetch(path, context);
    if (fetched === undefined) return undefined;
    const { bytes, mimeType } = fetched;
    if (path !== SKILL_FILE) return { bytes, mimeType: await typeOf(path, bytes, mimeType) };
    if (this.published.declared) await this.#checkFrontmatter(bytes);
    // Without a digest, the server may have written it for this caller alone.
    if (this.#files.get(SKILL_FILE)?.digest !== undefined) this.#opening ??= bytes.slice(0, MAX_REMEMBERED);
    return { bytes, mimeType: 'text/markdown' };
  }

  /** Uses only cached content, without asking the server. */
  async opening(bytes: number): Promise<Uint8Array | undefined> {
    return this.#opening?.subarray(0, bytes);
  }

  async list(folder: string): Promise<readonly SkillFileEntry[] | undefined> {
    const { mimeTypeOfName } = await import('../../skills/mime.js');
    const prefix = folder === '' ? '' : `${folder}/`;
    const entries = new Map<string, SkillFileEntry>();
    for (const [path, { size }] of this.#files) {
      if (!path.startsWith(prefix)) continue;
      const end = path.indexOf('/', prefix.length);
      if (end !== -1) entries.set(path.slice(0, end), { path: path.slice(0, end), kind: 'directory' });
      else {
        const mimeType = mimeTypeOfName(path);
        entries.set(path, { path, kind: 'file', size, mimeType });
      }
    }
    if (entries.size === 0) return undefined;
    return [...entries.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  async manifest(): Promise<SkillManifest | undefined> {
    const { published } = this;
    const frontmatter = published.frontmatter ?? (await this.#readFrontmatter());
    if (frontmatter === undefined) return undefined;
    const files = published.files.filter(isVouchedFor).map(({ path, size, digest }) => ({ path, size, digest }));
    return { frontmatter, files: files.length === published.files.length ? files : 'dynamic' };
  }

  async #fetch(path: string, context: ReadContext): Promise<Fetched | undefined> {
    const listed = this.#files.get(path);
    // The server may have unlisted files.
    if (listed === undefined && this.published.complete) return undefined;
    const file = listed ?? { path, uri: uriBelow(this.folder, path) };
    const { channel } = this.#publisher;
    return within(READ_TIMEOUT_MS, context, (inner) => fetchFile(channel, this.folder, file, inner));
  }

  async #checkFrontmatter(bytes: Uint8Array): Promise<void> {
    const { uri, name, description } = this.published;
    const read = await readInstructions(bytes, name, uri);
    if (!read.readable) throw notAsPublished(uri, read.notice.message);
    if (read.checked.name !== name) throw notAsPublished(uri, 'Its frontmatter has a different name.');
    if (read.checked.description !== description) throw notAsPublished(uri, 'Its frontmatter has a different description.');
  }

  /** Of a skill known only from the resource list; undefined while it is unreadable or does not match. */
  async #readFrontmatter(): Promise<Fields | undefined> {
    this.#frontmatter ??= this.#fetch(SKILL_FILE, this.#publisher.context).then(async (fetched) => {
      const read = fetched === undefined ? undefined : await readInstructions(fetched.bytes, this.name, this.published.uri);
      return read?.readable === true && read.checked.name === this.name ? read.frontmatter : undefined;
    });
    try {
      return await this.#frontmatter;
    } catch {
      // An unreachable server must not prevent others from being listed.
      this.#frontmatter = undefined;
      return undefined;
    }
  }
}

function isVouchedFor(file: PublishedFile): file is PublishedFile & SkillDigest {
  return file.size !== undefined && file.digest !== undefined;
}

const TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;

/** By name as for local files, otherwise from the server, or by content. */
async function typeOf(path: string, bytes: Uint8Array, declared: string | undefined): Promise<string> {
  const { mimeTypeOf, mimeTypeOfName } = await import('../../skills/mime.js');
  return mimeTypeOfName(path) ?? (typeof declared === 'string' && TYPE.test(declared) ? declared : mimeTypeOf(path, bytes));
}
