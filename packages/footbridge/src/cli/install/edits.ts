/** Edits of single entries. */
import type { Fields } from '../../json.js';
import { parseDocument } from '../hosts/document.js';
import { type HostEntry, mapPaths, valueAt } from '../hosts/entries.js';
import type { HostPlace } from '../hosts/index.js';
import { hostLibrary } from '../hosts/library.js';
import { isSameValue, setValue } from './text/index.js';

/** Undefined if there is no such entry. */
async function entryPath({ host, scope }: HostPlace, text: string, name: string): Promise<readonly string[] | undefined> {
  const document = await parseDocument(text, host.format);
  const agent = (await hostLibrary()).agents[host.id];
  if (!document.ok || agent === undefined) return undefined;
  return mapPaths(host.id, agent.configKey, document.value, scope === 'project')
    .map((path) => [...path, name])
    .find((path) => valueAt(document.value, path) !== undefined);
}

/** Replaces the fields of `before` by those of `after`, and keeps others. */
export async function changeFields(
  place: HostPlace,
  text: string,
  { name }: Pick<HostEntry, 'name'>,
  before: Fields,
  after: Fields,
): Promise<string | undefined> {
  const path = await entryPath(place, text, name);
  if (path === undefined) return undefined;
  let changed: string | undefined = text;
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (changed === undefined || isSameValue(before[key], after[key])) continue;
    changed = await setValue(place.host.format, changed, [...path, key], after[key]);
  }
  return changed;
}

/** Also removes the map of servers if it is then empty and did not exist `earlier`. */
export async function removeEntry(place: HostPlace, text: string, name: string, earlier: string | undefined): Promise<string | undefined> {
  const { format } = place.host;
  const path = await entryPath(place, text, name);
  if (path === undefined) return text;
  let left = await setValue(format, text, path, undefined);
  const first = earlier === undefined ? undefined : await parseDocument(earlier, format);
  for (let map = path.slice(0, -1); map.length > 0 && left !== undefined && first?.ok === true; map = map.slice(0, -1)) {
    const now = await parseDocument(left, format);
    const held = now.ok ? valueAt(now.value, map) : undefined;
    const isEmpty = typeof held === 'object' && held !== null && Object.keys(held).length === 0;
    if (!isEmpty || valueAt(first.value, map) !== undefined) break;
    left = await setValue(format, left, map, undefined);
  }
  return left;
}
