/** Near matches for the name of a skill. */
import { setTimeout } from 'node:timers/promises';
import { pathKey } from '../sources/skill-uri.js';
import type { Skill } from '../sources/source.js';
import { inTurns } from '../turns.js';
import type { Catalog } from './catalog.js';
import { NameTable } from './name-table.js';
import type { Snapshot } from './snapshot.js';

/** Skills that a search suggests. */
const MAX_FOUND = 5;
/** How long a call waits for names that are not prepared yet. */
const INDEX_TIMEOUT_MS = 8;
/** Characters of a name that a search looks at. */
const MAX_READ = 1000;

/** Finds the skills that an unknown name may stand for. */
export type NearSkills = (wanted: string) => Promise<readonly Skill[]>;

/** Skills with a similar name; otherwise those that a search for its words finds. */
export async function nearSkills(catalog: Catalog, wanted: string): Promise<readonly Skill[]> {
  const near = await nearestInTurn(catalog, wanted);
  // Every skill matches the word `skill`.
  const words = wanted.slice(0, MAX_READ).replace(/\bskills?\b/gi, ' ');
  if (near.length > 0 || catalog.snapshot.skills.length === 0 || !/[\p{L}\p{N}]/u.test(words)) return near;
  const { searchSkills } = await import('./search/index.js');
  return (await searchSkills(catalog, words)).slice(0, MAX_FOUND);
}

const tables = new WeakMap<Catalog, NameTable>();

function tableOf(catalog: Catalog): NameTable {
  const known = tables.get(catalog) ?? new NameTable();
  tables.set(catalog, known);
  return known;
}

/** Prepares the names of a catalog in the background. */
export function prepareNames(catalog: Catalog): Promise<void> {
  return tableOf(catalog).follow(catalog.snapshot.skills);
}

/** Uses the names indexed within a short wait: nearly always all of them. */
async function nearestInTurn(catalog: Catalog, wanted: string): Promise<readonly Skill[]> {
  const { byPath, skills } = catalog.snapshot;
  const table = tableOf(catalog);
  if (!table.has(skills)) await Promise.race([table.follow(skills), setTimeout(INDEX_TIMEOUT_MS, undefined, { ref: false })]);
  // A skill may have been replaced or removed since.
  return (await inTurns(table.stepsToNearest(wanted), 'call')).flatMap(({ group, name }) => byPath.get(pathKey([...group, name])) ?? []);
}

/** The skills whose name, alone or with its folders, is nearest to `wanted`: best first, without unrelated ones. */
export function nearestSkills({ skills }: Snapshot, wanted: string): readonly Skill[] {
  const table = new NameTable();
  table.followNow(skills);
  return table.nearest(wanted);
}
