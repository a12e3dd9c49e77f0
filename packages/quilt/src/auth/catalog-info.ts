/** Which catalog is configured, and where its parts are. */
import type { Catalog } from '../catalog.js';
import { Failure, outcome, problemOf } from '../failure.js';
import { nameOf } from '../login/address.js';
import { howToLogIn } from '../login/login.js';

export async function catalogInfo(catalog: Catalog, signal: AbortSignal) {
  const login = await catalog.login();
  const { catalogUrl, problems, state } = login;
  // What the login knows is of use without the catalog.
  const asked = catalogUrl === undefined ? undefined : await outcome(catalog.configs.of(catalogUrl, signal));
  const config = asked instanceof Failure ? undefined : asked;
  return {
    catalog_name: catalogUrl === undefined ? null : nameOf(catalogUrl),
    navigator_url: catalogUrl ?? null,
    registry_url: login.registryUrl ?? config?.registryUrl ?? null,
    region: config?.region ?? login.region ?? null,
    tabulator_data_catalog: config?.tabulatorDataCatalog ?? null,
    is_logged_in: state === 'in',
    next_steps: state === 'in' ? [] : howToLogIn(login),
    ...(asked instanceof Failure ? { problem: problemOf(asked) } : {}),
    ...(problems.length === 0 ? {} : { problems }),
  };
}
