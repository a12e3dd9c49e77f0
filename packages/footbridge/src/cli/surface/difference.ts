/** What differs between two surfaces. */
import { isFields } from '../../json.js';
import { compareText, type Entry, type EntryKind, LIST_NAMES, LISTS, type Surface } from './canonical.js';

/** `before` or `after` is absent where the field does not exist. */
export interface ChangedField {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface Named {
  readonly kind: EntryKind;
  readonly key: string;
}

export interface Changed extends Named {
  readonly differences: readonly ChangedField[];
}

export interface SurfaceDifference {
  readonly added: readonly Named[];
  readonly removed: readonly Named[];
  readonly changed: readonly Changed[];
}

export function compareSurfaces(before: Surface, after: Surface): SurfaceDifference {
  const added: Named[] = [];
  const removed: Named[] = [];
  const changed: Changed[] = [];
  for (const name of LIST_NAMES) {
    const { kind } = LISTS[name];
    const old = byKey(before[name]);
    const present = byKey(after[name]);
    for (const key of [...new Set([...old.keys(), ...present.keys()])].sort(compareText)) {
      const [gone, come] = withoutEqual(old.get(key) ?? [], present.get(key) ?? []);
      // Different entries with the same key count as changed.
      for (let index = 0; index < Math.max(gone.length, come.length); index++) {
        const [one, other] = [gone[index], come[index]];
        if (other === undefined) removed.push({ kind, key });
        else if (one === undefined) added.push({ kind, key });
        else changed.push({ kind, key, differences: places(one.fields, other.fields, '') });
      }
    }
  }
  return { added, removed, changed };
}

function byKey(entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) groups.set(entry.key, [...(groups.get(entry.key) ?? []), entry]);
  return groups;
}

function withoutEqual(before: readonly Entry[], after: readonly Entry[]): readonly [readonly Entry[], readonly Entry[]] {
  const rest = [...after];
  const gone = before.filter((entry) => {
    const index = rest.findIndex((other) => equal(entry.fields, other.fields));
    if (index !== -1) rest.splice(index, 1);
    return index === -1;
  });
  return [gone, rest];
}

function places(before: unknown, after: unknown, path: string): readonly ChangedField[] {
  if (equal(before, after)) return [];
  const [one, other] = [children(before), children(after)];
  if (one === undefined || other === undefined || Array.isArray(before) !== Array.isArray(after)) return [{ path, before, after }];
  const keys = [...new Set([...one.keys(), ...other.keys()])];
  if (!Array.isArray(before)) keys.sort(compareText);
  return keys.flatMap((key) => {
    const inner = Array.isArray(before) ? `${path}[${key}]` : joined(path, key);
    if (!other.has(key)) return [{ path: inner, before: one.get(key) }];
    if (!one.has(key)) return [{ path: inner, after: other.get(key) }];
    return places(one.get(key), other.get(key), inner);
  });
}

/** The elements of an array or object by key; undefined for other values. */
function children(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return Array.isArray(value) || isFields(value) ? new Map(Object.entries(value)) : undefined;
}

function joined(path: string, key: string): string {
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** For values in canonical form. */
function equal(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
