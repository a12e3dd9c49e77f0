/** The work that checking one call may take, and comparisons that count towards it. */
import { isFields } from '../../json.js';

/** Characters that are compared in one step. */
const CHARACTERS = 64;
/** Steps that it takes to write a value as text. */
const WRITING = 4;

/** Schemas come from servers and may be made to take forever: when no steps are left, everything is accepted. */
export class Steps {
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  get areUsedUp(): boolean {
    return this.#left <= 0;
  }

  /** False when none are left. */
  take(count = 1): boolean {
    this.#left -= count;
    return this.#left > 0;
  }

  /** As many as it takes to compare texts of this length. */
  takeCharacters(length: number): boolean {
    return this.take(1 + Math.floor(length / CHARACTERS));
  }
}

/** Whether two values of JSON are equal, whatever the order of their fields. Without steps left, the answer may be either. */
export function areEqual(one: unknown, other: unknown, steps: Steps): boolean {
  if (!steps.take()) return true;
  if (typeof one === 'string' && typeof other === 'string')
    return one.length === other.length && steps.takeCharacters(one.length) && one === other;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, at) => areEqual(each, other[at], steps));
  if (!isFields(one) || !isFields(other)) return one === other;
  const names = Object.keys(one);
  const count = Object.keys(other).length;
  if (!steps.take(names.length + count) || names.length !== count) return false;
  return names.every((name) => Object.hasOwn(other, name) && areEqual(one[name], other[name], steps));
}

/** The places of two equal items. */
export function equalItems(items: readonly unknown[], steps: Steps): readonly [number, number] | undefined {
  const values = new Map<unknown, number>();
  const texts = new Map<string, number>();
  for (const [at, item] of items.entries()) {
    if (!steps.take()) return undefined;
    const isPlain = typeof item !== 'object' || item === null;
    const key = isPlain ? '' : keyOf(item, steps);
    const before = isPlain ? values.get(item) : texts.get(key);
    if (before !== undefined) return [before, at];
    if (isPlain) values.set(item, at);
    else texts.set(key, at);
  }
  return undefined;
}

/** Equal for equal values. */
function keyOf(value: unknown, steps: Steps): string {
  if (!steps.take(WRITING)) return '';
  let key: string;
  if (Array.isArray(value)) key = `[${value.map((each) => keyOf(each, steps)).join()}]`;
  else if (isFields(value)) {
    const names = Object.keys(value);
    if (!steps.take(WRITING * names.length)) return '';
    key = `{${names
      .sort()
      .map((name) => `${JSON.stringify(name)}:${keyOf(value[name], steps)}`)
      .join()}}`;
  } else key = JSON.stringify(value);
  steps.takeCharacters(key.length);
  return key;
}
