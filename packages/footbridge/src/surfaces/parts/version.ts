/** Which state of a text a part belongs to. */
import { digestOfText } from './digest.js';

const LENGTH = 8;

interface Known {
  readonly text: string;
  readonly version: Promise<string>;
}

const known = new WeakMap<object, Known>();

/** A short digest of a text, computed once for the reading that it comes from. */
export function versionOf(reading: object, text: string): Promise<string> {
  const before = known.get(reading);
  if (before?.text === text) return before.version;
  const version = digestOfText(text).then((digest) => digest.slice(0, LENGTH));
  known.set(reading, { text, version });
  return version;
}

/** Versions that parts were given of, for callers that ask for the next part without naming its version. */
const MOST = 1000;
const REMEMBERED_MS = 10 * 60_000;

export class GivenVersions {
  /** Oldest first. */
  readonly #versions = new Map<string, { readonly version: string; readonly until: number }>();

  get(key: string): string | undefined {
    const given = this.#versions.get(key);
    return given === undefined || given.until <= performance.now() ? undefined : given.version;
  }

  set(key: string, version: string): void {
    this.#versions.delete(key);
    this.#versions.set(key, { version, until: performance.now() + REMEMBERED_MS });
    const [oldest] = this.#versions.keys();
    if (this.#versions.size > MOST && oldest !== undefined) this.#versions.delete(oldest);
  }
}
