/** Near matches for the URI of a resource. */
import type { Catalog } from './catalog.js';
import { MAX_COMPARED, nearest } from './near.js';
import type { Snapshot } from './snapshot.js';

/** Resources that a search suggests. */
const MAX_FOUND = 5;
/** Characters of a URI that a search looks at. */
const MAX_READ = 1000;

/** Finds the URIs and templates that an unknown URI may stand for. */
export type NearResources = (wanted: string) => Promise<readonly string[]>;

/** URIs with a similar spelling; otherwise those that a search for its words finds. Not all of very many are compared. */
export async function nearResources(catalog: Catalog, wanted: string): Promise<readonly string[]> {
  const { resources, templates } = catalog.snapshot;
  const count = resources.length + templates.length;
  if (count === 0) return [];
  const found = count > MAX_COMPARED ? await foundBy(catalog, wanted) : [];
  const near = nearest(wanted, new Set([...found, ...urisLike(catalog.snapshot, wanted, MAX_COMPARED - found.length)]));
  if (near.length > 0) return near;
  return (count > MAX_COMPARED ? found : await foundBy(catalog, wanted)).slice(0, MAX_FOUND);
}

/** Most resources may have the same scheme, so only what follows it is searched for. */
async function foundBy(catalog: Catalog, wanted: string): Promise<readonly string[]> {
  const words = wanted.slice(wanted.indexOf(':') + 1, MAX_READ);
  if (!/[\p{L}\p{N}]/u.test(words)) return [];
  const { searchResources } = await import('./search/index.js');
  return (await searchResources(catalog, words)).map(({ uri }) => uri);
}

/** All, or as many as may be compared, beginning with those of the same scheme. */
function urisLike({ resources, templates }: Snapshot, wanted: string, most: number): readonly string[] {
  const uris = [...resources.map(({ entry }) => entry.uri), ...templates.map(({ entry }) => entry.uriTemplate)];
  if (uris.length <= most) return uris;
  const scheme = wanted.slice(0, wanted.indexOf(':') + 1).toLowerCase();
  const alike = uris.filter((each) => each.slice(0, scheme.length).toLowerCase() === scheme);
  return (alike.length > 0 ? alike : uris).slice(0, most);
}
