/** What the references within a schema lead to. */
import { isFields, ownField } from '../../json.js';
import type { Steps } from './steps.js';

/** Characters of a reference that is followed. */
const LONGEST_REFERENCE = 1000;
/** Levels of a schema in which anchors are looked for. */
const DEEPEST = 64;
/** Drafts in which what stands beside a reference is ignored. */
const REFERENCES_ALONE = /^https?:\/\/json-schema\.org\/draft-0[3467]\//;

export class References {
  readonly #root: unknown;
  readonly #steps: Steps;
  /** Made by the first reference to one. */
  #anchors: ReadonlyMap<string, unknown> | undefined;

  constructor(root: unknown, steps: Steps) {
    this.#root = root;
    this.#steps = steps;
  }

  /** Whether what stands beside a reference is ignored. */
  get areAlone(): boolean {
    const dialect = isFields(this.#root) ? this.#root['$schema'] : undefined;
    return typeof dialect === 'string' && REFERENCES_ALONE.test(dialect);
  }

  /** Undefined, which accepts everything, for a reference that leads elsewhere or nowhere. */
  resolve(reference: string): unknown {
    if (!reference.startsWith('#') || reference.length > LONGEST_REFERENCE) return undefined;
    const fragment = decoded(reference.slice(1));
    if (fragment === undefined || fragment === '') return fragment === '' ? this.#root : undefined;
    return fragment.startsWith('/') ? this.#at(fragment.slice(1).split('/')) : this.#anchored(fragment);
  }

  #at(path: readonly string[]): unknown {
    let found = this.#root;
    for (const part of path) {
      if (!this.#steps.take()) return undefined;
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(found)) found = found[Number(key)];
      else found = isFields(found) ? ownField(found, key) : undefined;
    }
    return found;
  }

  #anchored(name: string): unknown {
    if (this.#anchors === undefined) {
      const anchors = new Map<string, unknown>();
      this.#collect(this.#root, anchors, 0);
      this.#anchors = anchors;
    }
    return this.#anchors.get(name);
  }

  #collect(value: unknown, anchors: Map<string, unknown>, depth: number): void {
    if (typeof value !== 'object' || value === null || depth > DEEPEST || !this.#steps.take()) return;
    const anchor = isFields(value) ? value['$anchor'] : undefined;
    if (typeof anchor === 'string' && !anchors.has(anchor)) anchors.set(anchor, value);
    for (const each of Object.values(value)) this.#collect(each, anchors, depth + 1);
  }
}

/** Undefined where an escape is invalid. */
function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
