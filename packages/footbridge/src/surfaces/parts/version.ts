/** Which state of a text a part belongs to. */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

/** Characters digested before other tasks get their turn. */
const CHUNK = 1024 * 1024;
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
  const version = digest(text);
  known.set(reading, { text, version });
  return version;
}

async function digest(text: string): Promise<string> {
  const hash = createHash('sha256');
  for (let from = 0; from < text.length; from += CHUNK) {
    if (from > 0) await setImmediate();
    hash.update(text.slice(from, from + CHUNK), 'utf8');
  }
  return hash.digest('hex').slice(0, LENGTH);
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
