/** The region that AWS is asked in. */
import { Failure } from '../failure.js';
import type { Login } from '../login/login.js';
import type { CatalogConfigs } from '../registry/catalog-config.js';

export interface RegionOptions {
  readonly configs: CatalogConfigs;
  readonly environment: NodeJS.ProcessEnv;
}

const USUAL_REGION = 'us-east-1';
/** It becomes a part of the names of hosts; the SDK refuses any other. */
const REGION = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/i;

/** As the environment has it, else that of the catalog, else that of AWS's configuration. Throws a failure where it is none. */
export async function regionOf(login: Login, options: RegionOptions, signal: AbortSignal): Promise<string> {
  const { from, name } = await find(login, options, signal);
  if (REGION.test(name)) return name;
  throw new Failure('failed', `${from} names a region that cannot be one: ${JSON.stringify(name.slice(0, 63))}.`, {
    actions: [`Put the region right in ${from}, or set AWS_REGION in the environment of this server, as in us-east-1.`],
  });
}

/** `from` is for people. */
async function find({ catalogUrl, region }: Login, { configs, environment }: RegionOptions, signal: AbortSignal) {
  for (const from of ['AWS_REGION', 'AWS_DEFAULT_REGION']) {
    const name = environment[from];
    if (name) return { name, from };
  }
  if (region) return { name: region, from: "quilt3's file config.yml" };
  const catalog = catalogUrl === undefined ? undefined : await configs.of(catalogUrl, signal).catch(() => undefined);
  if (catalog?.region) return { name: catalog.region, from: `${catalogUrl}/config.json` };
  const { regionOfProfile } = await import('./sdk/region.js');
  return { name: (await regionOfProfile()) || USUAL_REGION, from: 'the AWS profile in use' };
}
