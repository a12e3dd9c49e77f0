/** The public `config.json` of a catalog. */
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import { normalizeUrl } from '../login/quilt-files.js';
import { fetchJson, unexpectedResponse } from './http.js';

const CONFIG = z.object({
  registryUrl: z.string().nullish(),
  region: z.string().nullish(),
  analyticsBucket: z.string().nullish(),
});

export interface CatalogConfig {
  readonly registryUrl: string | undefined;
  readonly region: string | undefined;
  /** Athena's data catalog with the tabulator's tables. */
  readonly tabulatorDataCatalog: string | undefined;
}

const CACHE_MS = 60_000;

export class CatalogConfigs {
  readonly #cached = new Map<string, { readonly config: CatalogConfig; readonly until: number }>();

  async of(catalogUrl: string, signal: AbortSignal): Promise<CatalogConfig> {
    const cached = this.#cached.get(catalogUrl);
    if (cached !== undefined && Date.now() < cached.until) return cached.config;
    const config = await read(catalogUrl, signal);
    this.#cached.clear();
    this.#cached.set(catalogUrl, { config, until: Date.now() + CACHE_MS });
    return config;
  }
}

async function read(catalogUrl: string, signal: AbortSignal): Promise<CatalogConfig> {
  const url = `${catalogUrl}/config.json`;
  const response = await fetchJson('The catalog', url, { method: 'GET', headers: { accept: 'application/json' } }, signal);
  if (response.status !== 200 || response.json === undefined) throw unexpectedResponse('The catalog', url, response);
  const checked = CONFIG.safeParse(response.json);
  if (!checked.success) throw new Failure('failed', `The config.json of ${catalogUrl} is not that of a Quilt catalog.`);
  const { analyticsBucket, region, registryUrl } = checked.data;
  return {
    registryUrl: normalizeUrl(registryUrl),
    region: region ?? undefined,
    tabulatorDataCatalog: analyticsBucket ? `quilt-${stackPrefix(analyticsBucket)}-tabulator` : undefined,
  };
}

/** The prefix of the stack's bucket names: `demo` for `demo-analyticsbucket-1x2y3z`. */
function stackPrefix(bucket: string): string {
  const at = bucket.toLowerCase().indexOf('-analyticsbucket');
  return at > 0 ? bucket.slice(0, at) : (bucket.split('-')[0] ?? bucket);
}
