/** The AWS region to use. */
import { Failure } from '../failure.js';
import type { Login } from '../login/login.js';
import type { CatalogConfigs } from '../registry/catalog-config.js';

export interface RegionOptions {
  readonly configs: CatalogConfigs;
  readonly environment: NodeJS.ProcessEnv;
}

const DEFAULT_REGION = 'us-east-1';
/** It becomes part of host names. */
const REGION = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/i;

/** From the environment, else the catalog, else the AWS configuration. Throws a failure if it is invalid. */
export async function regionOf(login: Login, options: RegionOptions, signal: AbortSignal): Promise<string> {
  const { from, name } = await find(login, options, signal);
  if (REGION.test(name)) return name;
  throw new Failure('failed', `Invalid region in ${from}: ${JSON.stringify(name.slice(0, 63))}.`, {
    actions: [`Fix the region in ${from}, or set AWS_REGION in the environment of this server, such as us-east-1.`],
  });
}

async function find({ catalogUrl, region }: Login, { configs, environment }: RegionOptions, signal: AbortSignal) {
  for (const from of ['AWS_REGION', 'AWS_DEFAULT_REGION']) {
    const name = environment[from];
    if (name) return { name, from };
  }
  if (region) return { name: region, from: "quilt3's file config.yml" };
  const catalog = catalogUrl === undefined ? undefined : await configs.of(catalogUrl, signal).catch(() => undefined);
  if (catalog?.region) return { name: catalog.region, from: `${catalogUrl}/config.json` };
  const { regionOfProfile } = await import('./sdk/region.js');
  return { name: (await regionOfProfile()) || DEFAULT_REGION, from: 'the AWS profile in use' };
}
