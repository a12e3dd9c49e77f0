/** The canonical form of a surface: equal surfaces are equal texts. */
import { type Fields, isFields } from '../../json.js';

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
  return JSON.stringify(Object.fromEntries(lists), undefined, 2);
}

export function parseSurface(text: string, file: string): Surface {
  const value = parseJson(text);
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
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
