/** What a catalog says of itself, for everybody to read: its `config.json`. */
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import { addressOf } from '../login/address.js';
import { fetchJson, unexpected } from './fetch-json.js';

const CONFIG = z.object({
  registryUrl: z.string().nullish(),
  region: z.string().nullish(),
  analyticsBucket: z.string().nullish(),
});

export interface CatalogConfig {
  readonly registryUrl: string | undefined;
  readonly region: string | undefined;
  /** The data catalog of Athena that has the tabulator's tables. */
  readonly tabulatorDataCatalog: string | undefined;
}

/** How long it is believed: it changes when the catalog is installed anew. */
const LIFE_MS = 60_000;

/** Asks each catalog once in a while. */
export class CatalogConfigs {
  readonly #kept = new Map<string, { readonly config: CatalogConfig; readonly until: number }>();

  async of(catalogUrl: string, signal: AbortSignal): Promise<CatalogConfig> {
    const kept = this.#kept.get(catalogUrl);
    if (kept !== undefined && Date.now() < kept.until) return kept.config;
    const config = await read(catalogUrl, signal);
    this.#kept.clear();
    this.#kept.set(catalogUrl, { config, until: Date.now() + LIFE_MS });
    return config;
  }
}

async function read(catalogUrl: string, signal: AbortSignal): Promise<CatalogConfig> {
  const url = `${catalogUrl}/config.json`;
  const answer = await fetchJson('The catalog', url, { method: 'GET', headers: { accept: 'application/json' } }, signal);
  if (answer.status !== 200 || answer.json === undefined) throw unexpected('The catalog', url, answer);
  const checked = CONFIG.safeParse(answer.json);
  if (!checked.success) throw new Failure('failed', `The config.json of ${catalogUrl} is not that of a Quilt catalog.`);
  const { analyticsBucket, region, registryUrl } = checked.data;
  return {
    registryUrl: addressOf(registryUrl),
    region: region ?? undefined,
    tabulatorDataCatalog: analyticsBucket ? `quilt-${prefixOf(analyticsBucket)}-tabulator` : undefined,
  };
}

/** The name of the stack, which its buckets begin with: `demo-analyticsbucket-1x2y3z` is of the stack `demo`. */
function prefixOf(bucket: string): string {
  const at = bucket.toLowerCase().indexOf('-analyticsbucket');
  return at > 0 ? bucket.slice(0, at) : (bucket.split('-')[0] ?? bucket);
}
