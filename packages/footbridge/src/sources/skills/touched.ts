/** Where in a configured folder something changed. */
import { sep } from 'node:path';
import { type Group, isRestless } from './tree.js';

export interface Touched {
  /** Whether this folder changed, and with it perhaps anything below it. */
  readonly isChanged: boolean;
  /** Folders in it, by name, that changed or in which something did. */
  readonly inner: ReadonlyMap<string, Touched>;
}

interface Building extends Touched {
  isChanged: boolean;
  readonly inner: Map<string, Building>;
}

/** Of the folders in which something changed, those that lie in `root`. */
export function touchedIn(root: string, folders: ReadonlySet<string>): Touched {
  const top: Building = { isChanged: false, inner: new Map() };
  for (const folder of folders) {
    if (folder !== root && !folder.startsWith(root.endsWith(sep) ? root : root + sep)) continue;
    let place = top;
    for (const name of folder.slice(root.length).split(sep)) {
      if (name === '') continue;
      const next: Building = place.inner.get(name) ?? { isChanged: false, inner: new Map() };
      place.inner.set(name, next);
      place = next;
    }
    place.isChanged = true;
  }
  return top;
}

const UNTOUCHED: Touched = { isChanged: false, inner: new Map() };

/** What is touched in a group, and what is looked at each time. */
export function restlessToo({ inner }: Touched, { isRestless: hasRestless, names, nodes }: Group): ReadonlyMap<string, Touched> {
  if (hasRestless !== true) return inner;
  const all = new Map(inner);
  for (const [at, node] of nodes.entries()) {
    const name = names[at] ?? '';
    if (isRestless(node) && !all.has(name)) all.set(name, UNTOUCHED);
  }
  return all;
}
