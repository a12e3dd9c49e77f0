import { defineResource } from 'footbridge/pack';
import type { Session } from '../aws/aws.js';
import { trustingTypes } from '../aws/failure.js';
import type { Catalog } from '../catalog.js';
import { Failure } from '../failure.js';
import type { Resource } from '../guarded.js';
import { type Login, notLoggedIn } from '../login/login.js';
import { databases } from './databases.js';
import { queryHistory } from './history.js';
import { tabulatorBuckets } from './tabulator.js';
import { workgroups } from './workgroups.js';

/** Several calls come one after the other, each with its own limit. */
const LIMIT_MS = 30_000;

export function athenaResources(catalog: Catalog): readonly Resource[] {
  const withSession =
    (work: (session: Session, signal: AbortSignal) => Promise<unknown>) =>
    async (_: unknown, { signal }: { signal: AbortSignal }) =>
      trustingTypes(work(await catalog.session(await catalog.login(), signal), signal));
  return [
    defineResource({
      uri: 'athena://databases',
      name: 'athena-databases',
      title: 'Athena databases',
      description: 'The databases that can be queried with Athena: description, location and creation time.',
      timeoutMs: LIMIT_MS,
      read: withSession(databases),
    }),
    defineResource({
      uri: 'athena://workgroups',
      name: 'athena-workgroups',
      title: 'Athena workgroups',
      description:
        'The workgroups that Athena runs queries in: where results go, and what is enforced. One that is denied is listed with the reason.',
      timeoutMs: LIMIT_MS,
      read: withSession(workgroups),
    }),
    defineResource({
      uri: 'athena://query/history',
      name: 'athena-query-history',
      title: 'Athena query history',
      description: 'The last 50 queries over all workgroups: state, duration, bytes scanned and text.',
      timeoutMs: LIMIT_MS,
      read: withSession(queryHistory),
    }),
  ];
}

export function tabulatorResources(catalog: Catalog): readonly Resource[] {
  return [
    defineResource({
      uri: 'tabulator://buckets',
      name: 'tabulator-buckets',
      title: 'Tabulator buckets',
      description: 'The buckets that have tabulator tables, and the names of those tables.',
      timeoutMs: LIMIT_MS,
      async read(_, { signal }) {
        const login = await catalog.login();
        if (login.catalogUrl === undefined) throw withoutCatalog(login);
        const { tabulatorDataCatalog } = await catalog.configs.of(login.catalogUrl, signal);
        if (tabulatorDataCatalog === undefined)
          throw new Failure(
            'failed',
            `The catalog ${login.catalogUrl} does not say where its tabulator is: its config.json has no analyticsBucket.`,
            {
              actions: ['Ask the administrator of the catalog whether it has a tabulator.'],
            },
          );
        return trustingTypes(tabulatorBuckets(await catalog.session(login, signal), tabulatorDataCatalog, signal));
      },
    }),
  ];
}

/** Who has a token and the address of a registry is logged in, but only the catalog knows its tabulator. */
function withoutCatalog(login: Login): Failure {
  if (login.token === undefined) return notLoggedIn(login);
  return new Failure('failed', 'The address of the catalog is not known, and only the catalog says where its tabulator is.', {
    actions: ['Set QUILT_CATALOG_URL in the environment of this server, or run `quilt3 config https://YOUR-CATALOG`.'],
  });
}
