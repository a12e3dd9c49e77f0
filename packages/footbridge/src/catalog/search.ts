/** Full-text search over skills. */

import type MiniSearch from 'minisearch';
import { qualifiedName } from '../sources/skill-uri.js';
import type { Skill } from '../sources/source.js';
import { perSnapshot, type Snapshot } from './snapshot.js';

interface Indexed {
  readonly id: number;
  readonly name: string;
  readonly group: string;
  readonly description: string;
}

/** Documents indexed before other tasks get their turn. */
const CHUNK = 100;

/** Skills that match the words, best first. The index is built on the first search of a snapshot. */
export async function searchSkills(snapshot: Snapshot, query: string): Promise<readonly Skill[]> {
  const found = (await indexOf(snapshot)).search(query);
  return found.flatMap((result) => snapshot.skills[Number(result.id)] ?? []);
}

const indexOf = perSnapshot(async (snapshot): Promise<MiniSearch<Indexed>> => {
  const { default: Search } = await import('minisearch');
  const index = new Search<Indexed>({
    fields: ['name', 'group', 'description'],
    searchOptions: { boost: { name: 4, group: 2 }, prefix: (term) => term.length > 1, fuzzy: (term) => (term.length > 3 ? 0.2 : false) },
  });
  const documents = snapshot.skills.map((skill, id) => ({
    id,
    name: words(skill.name),
    group: words(qualifiedName(skill)),
    description: skill.description,
  }));
  await index.addAllAsync(documents, { chunkSize: CHUNK });
  return index;
});

/** `pdf-tools` is found by `tools`, and by its whole name. */
function words(name: string): string {
  return `${name} ${name.replace(/[-_:.]+/g, ' ')}`;
}
