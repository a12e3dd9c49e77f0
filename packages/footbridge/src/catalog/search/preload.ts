/** Loads the search before it is asked for. Light, since every start imports it. */
import { setImmediate } from 'node:timers/promises';
import type { Catalog } from '../catalog.js';

/** Long enough after a host listed the tools that its next requests are not delayed. */
const PRELOAD_MS = 50;
let isPreloaded = false;

/** Builds the index in the background, for the first catalog of a process, so that the first query finds it complete. */
export function preloadSearch(catalog: Catalog): void {
  if (isPreloaded) return;
  isPreloaded = true;
  const load = async () => (await import('./index.js')).prepareSearch(catalog);
  const afterwards = (run: () => Promise<unknown>) => void setTimeout(() => run().catch(tryAgainLater), PRELOAD_MS).unref();
  // What the last run cached is checked first, then the calls that waited for that are answered.
  afterwards(async () => {
    await catalog.settled();
    afterwards(load);
  });
}

const withTools = new WeakSet<Catalog>();

/** Indexes the tools of a catalog in the background, once its host has to search for them. */
export function preloadToolSearch(catalog: Catalog): void {
  if (withTools.has(catalog)) return;
  withTools.add(catalog);
  const load = async () => (await loadToolSearch()).prepareToolSearch(catalog);
  setTimeout(() => load().catch(tryAgainLater), PRELOAD_MS).unref();
}

/** The first query loads it, and reports what is wrong. */
function tryAgainLater(): void {}

/** The search over tools, and before it what it has in common with the search over skills: together they would take long to load. */
export async function loadToolSearch(): Promise<typeof import('./tool-search.js')> {
  await import('./scan.js');
  await setImmediate();
  return import('./tool-search.js');
}
