/**
 * Sources that are fetched: git repositories, packages, archives and others. Each kind is one file that exports a `SourceKind`,
 * and is listed in `kinds.ts`. Kinds are used by commands only: what is served comes from the store.
 */
import type { Skill } from '../source.js';
import type { Evidence } from './evidence.js';
import type { Staging } from './staging.js';

/** Exactly what was fetched, in the terms of the kind, such as `commit` or `integrity`. Recorded in the lock. */
export type Pin = Readonly<Record<string, string>>;

/** What a specification currently resolves to. */
export interface Resolved {
  readonly pin: Pin;
  /** For people, such as `1.4.2` or `v2 (3f9c2ab)`. */
  readonly version: string;
  /**
   * Set if its publisher promised that it never changes: a tag, a version of a package. If it then has another pin, an update
   * is refused.
   */
  readonly promised?: string;
}

/** The fetched content. Its files are in the staging area. */
export interface FetchedContent extends Resolved {
  /** Evidence for checking the signature, while the temporary folder exists. Absent if the kind has no signatures. */
  readonly evidence?: Evidence;
  /** Where the files are on this machine, if they stay there. Servers of a plugin may then use them. */
  readonly folder?: string;
}

/** The environment of a command, and its cancellation. */
export interface FetchSurroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** Relative paths in a specification start here. */
  readonly folder: string;
  /** Whether settings of other programs in that folder, such as `.npmrc`, count. */
  readonly isTrusted: boolean;
  /** Whether addresses must not be of this machine or a private network. */
  readonly isPublicOnly: boolean;
  readonly signal: AbortSignal;
  /** The skills of a configured MCP server, by its name. */
  readonly skillsOf: (server: string) => Promise<readonly Skill[]>;
}

export interface FetchRequest extends FetchSurroundings {
  /** Fetches exactly this, or throws. Default: what the specification currently resolves to. */
  readonly pin?: Pin | undefined;
  readonly staging: Staging;
  /** A private folder, empty and on the same disk as the store. It is removed when signatures have been checked. */
  readonly temporary: string;
}

/** One source, as a specification names it. */
export interface FetchableSource {
  /** As in `footbridge.json` and the lock. */
  readonly specification: string;
  /** Name of the folder of a skill that is at the top, if its frontmatter has no valid one: the repository, the package. */
  readonly title: string;
  /** The current pin, without fetching files. Absent, or undefined, if it cannot be known without them. */
  resolve?(surroundings: FetchSurroundings & Pick<FetchRequest, 'temporary'>): Promise<Resolved | undefined>;
  /** Puts all files that may belong to a skill into the staging area. Throws a `FetchError`. */
  fetch(request: FetchRequest): Promise<FetchedContent>;
}

/** A kind of source. */
export interface SourceKind {
  /** As in the lock. */
  readonly name: string;
  /** How a specification is written, for help and errors. */
  readonly form: string;
  /** Undefined if the text does not belong to this kind. Throws a `FetchError` if it does, but is invalid. */
  parse(specification: string): FetchableSource | undefined;
}
