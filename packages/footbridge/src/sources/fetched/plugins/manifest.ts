/** The JSON files of plugins and marketplaces, as fetched. Unverified. */
import { echo } from '../../../errors.js';
import { type Fields, isDeep, isFields, parseJson } from '../../../json.js';
import { FetchError } from '../fetch-error.js';
import { pathSegments } from '../paths.js';
import type { StagedFile } from '../staging.js';
import type { UnusableSkill } from '../tree.js';

/** Whether a file describes plugins. Kinds that skip files outside skills keep these too. */
export function isPluginFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name === 'plugin.json' || name === 'marketplace.json' || (/^\.?mcp/.test(name) && name.endsWith('.json'));
}

const LARGEST = 256 * 1024;

/** The staged files of a source, and what is wrong with those that describe plugins. */
export class PluginFiles {
  readonly problems: UnusableSkill[] = [];
  readonly #byPath: ReadonlyMap<string, StagedFile>;

  constructor(files: readonly StagedFile[]) {
    this.#byPath = new Map(files.map((file) => [file.path, file]));
  }

  has(path: string): boolean {
    return this.#byPath.has(path);
  }

  /** The object in a file; undefined if there is none, or no valid one. */
  read(path: string): Fields | undefined {
    const file = this.#byPath.get(path);
    if (file === undefined) return undefined;
    const text =
      file.size > LARGEST
        ? undefined
        : file
            .read()
            .toString('utf8')
            .replace(/^\uFEFF/, '');
    const value = text === undefined || isDeep(text) ? undefined : parseJson(text);
    if (isFields(value)) return value;
    this.problem(path, text === undefined ? 'It is too large.' : 'It is not a JSON object.');
    return undefined;
  }

  problem(path: string, reason: string): void {
    this.problems.push({ path, reason });
  }

  /** A path in a manifest, below the folder that it starts from; undefined, and a problem, if it leads out of it. */
  below(root: string, path: unknown, file: string): string | undefined {
    try {
      if (typeof path !== 'string') throw new FetchError('A path is not a text.', '');
      return joined(root, pathSegments(path).join('/'));
    } catch (cause) {
      if (!(cause instanceof FetchError)) throw cause;
      this.problem(file, cause.message);
      return undefined;
    }
  }
}

/** Two paths with `/`; either may be empty. */
export function joined(folder: string, path: string): string {
  return folder === '' || path === '' ? folder + path : `${folder}/${path}`;
}

/** A text for people, if it is one. */
export function named(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? echo(value) : fallback;
}

/** A value that may be written alone or in a list. */
export function listed(value: unknown): readonly unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}
