/** Full-text search over skills and resources: names, descriptions, and of skills the headings and the beginning of their text. */
import { setImmediate } from 'node:timers/promises';
import type { Skill } from '../../sources/source.js';
import type { Catalog } from '../catalog.js';
import { prepareNames } from '../near-skills.js';
import type { SearchCache } from './cache.js';
import { SearchDocuments } from './documents.js';
import { conceptsOf } from './query.js';
import { isSearchedResource, isSearchedSkill, type Searched, type SearchedResource } from './searched.js';
import { SkillSearch } from './skill-search.js';
import { synonymsOf } from './synonyms.js';
import { Terms } from './terms.js';

const searches = new WeakMap<Catalog, SkillSearch>();
const stores = new WeakMap<SearchCache, SearchDocuments>();

interface SearchOptions {
  /** Whether it waits until the index is complete. Default false. */
  readonly complete?: boolean;
}

/**
 * Skills that match a request, best first. The index is built in the background, at the latest from the first search on; until it is
 * complete, a search answers from names and descriptions, and waits for it only where that is asked for.
 */
export async function searchSkills(catalog: Catalog, query: string, { complete = false }: SearchOptions = {}): Promise<readonly Skill[]> {
  return (await searchIn(catalog).find(catalog.snapshot, query, { complete, kind: 'skills' })).filter(isSearchedSkill);
}

/** The same for resources and templates. */
export async function searchResources(
  catalog: Catalog,
  query: string,
  { complete = false }: SearchOptions = {},
): Promise<readonly SearchedResource[]> {
  const found = await searchIn(catalog).find(catalog.snapshot, query, { complete, kind: 'resources' });
  return found.filter(isSearchedResource);
}

/** Skills, resources and templates in one order, best first. */
export function searchAll(catalog: Catalog, query: string, { complete = false }: SearchOptions = {}): Promise<readonly Searched[]> {
  return searchIn(catalog).find(catalog.snapshot, query, { complete });
}

/** Starts to build the index, and does what only the first search of a process has to do, in slices. */
export async function prepareSearch(catalog: Catalog): Promise<void> {
  synonymsOf('prepare');
  await setImmediate();
  conceptsOf('prepare the first search', new Terms(), () => 0);
  await setImmediate();
  searchIn(catalog).prepare(catalog.snapshot);
  await prepareNames(catalog);
}

function searchIn(catalog: Catalog): SkillSearch {
  const known = searches.get(catalog);
  if (known !== undefined) return known;
  const documents = documentsOf(catalog.searchCache);
  const search = new SkillSearch(documents);
  searches.set(catalog, search);
  catalog.onClose(() => search.close());
  return search;
}

/** Catalogs with one cache share the documents. */
function documentsOf(cache: SearchCache): SearchDocuments {
  let documents = stores.get(cache);
  if (documents === undefined) {
    documents = new SearchDocuments(cache);
    stores.set(cache, documents);
  }
  return documents;
}
