/** The canonical form of a surface: equal surfaces are equal texts. */
import { type Fields, isFields, parseJson } from '../../json.js';
import { visibleJson } from '../terminal.js';

export const LISTS = {
  tools: { kind: 'tool', key: 'name', method: 'tools/list', capability: 'tools' },
  resources: { kind: 'resource', key: 'uri', method: 'resources/list', capability: 'resources' },
  resourceTemplates: { kind: 'resource template', key: 'uriTemplate', method: 'resources/templates/list', capability: 'resources' },
  prompts: { kind: 'prompt', key: 'name', method: 'prompts/list', capability: 'prompts' },
} as const;

export type ListName = keyof typeof LISTS;
export type EntryKind = (typeof LISTS)[ListName]['kind'];

export const LIST_NAMES: readonly ListName[] = ['tools', 'resources', 'resourceTemplates', 'prompts'];

export interface Entry {
  readonly key: string;
  readonly fields: Fields;
}

export type Surface = Readonly<Record<ListName, readonly Entry[]>>;

/** Entries in canonical form and order; undefined when one has no key. */
export function canonicalList(name: ListName, values: readonly unknown[]): readonly Entry[] | undefined {
  const entries: Entry[] = [];
  for (const value of values) {
    const key = isFields(value) ? value[LISTS[name].key] : undefined;
    if (!isFields(value) || typeof key !== 'string') return undefined;
    entries.push({ key, fields: sortedFields(value) });
  }
  // Entries with the same key keep the server's order.
  return entries.sort((one, other) => compareText(one.key, other.key));
}

export function surfaceText(surface: Surface): string {
  const lists = LIST_NAMES.map((name) => [name, surface[name].map((entry) => entry.fields)]);
  return visibleJson(Object.fromEntries(lists), 2);
}

export function parseSurface(text: string, file: string): Surface {
  const value = parseJson(text.replace(/^\uFEFF/, ''));
  const list = (name: ListName): readonly Entry[] => {
    const values = isFields(value) ? value[name] : undefined;
    const entries = Array.isArray(values) ? canonicalList(name, values) : undefined;
    if (entries !== undefined) return entries;
    throw new SurfaceFailure(
      `${file} is not a surface that footbridge surface --json printed${value === undefined ? ': it is not JSON' : `: its "${name}" is missing or wrong`}.`,
      'Create it again from the version to compare with: footbridge surface --json -- COMMAND > FILE',
    );
  };
  return { tools: list('tools'), resources: list('resources'), resourceTemplates: list('resourceTemplates'), prompts: list('prompts') };
}

/** By code units, which does not depend on the locale. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  return isFields(value) ? sortedFields(value) : value;
}

function sortedFields(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields)
      // A server in this process may have undefined fields.
      .filter(([, value]) => value !== undefined)
      .sort(([one], [other]) => compareText(one, other))
      .map(([key, value]) => [key, sorted(value)]),
  );
}

export class SurfaceFailure extends Error {
  override readonly name = 'SurfaceFailure';

  constructor(
    message: string,
    readonly action: string,
    readonly exitCode = 2,
  ) {
    super(message);
  }
}

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

interface Changed extends Named {
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
