/** Resources from Athena and Glue. */
import { defineResource } from 'footbridge/pack';
import { rejectMalformed } from '../aws/errors.js';
import type { AwsSession } from '../aws/session.js';
import type { Catalog } from '../catalog.js';
import { Failure } from '../failure.js';
import { type Login, notLoggedIn } from '../login/login.js';
import type { Resource } from '../resource.js';
import { databases, tabulatorBuckets } from './databases.js';
import { queryHistory } from './query-history.js';
import { workgroups } from './workgroups.js';

/** For several sequential calls, each with its own timeout. */
const TIMEOUT_MS = 30_000;

export function athenaResources(catalog: Catalog): readonly Resource[] {
  const withSession =
    (work: (session: AwsSession, signal: AbortSignal) => Promise<unknown>) =>
    async (_: unknown, { signal }: { signal: AbortSignal }) =>
      rejectMalformed(work(await catalog.session(await catalog.login(), signal), signal));
  return [
    defineResource({
      uri: 'athena://databases',
      name: 'athena-databases',
      title: 'Athena databases',
      description: 'The databases that can be queried with Athena: description, location and creation time.',
      timeoutMs: TIMEOUT_MS,
      read: withSession(databases),
    }),
    defineResource({
      uri: 'athena://workgroups',
      name: 'athena-workgroups',
      title: 'Athena workgroups',
      description: 'The Athena workgroups with output location and enforced settings. One without access is listed with the reason.',
      timeoutMs: TIMEOUT_MS,
      read: withSession(workgroups),
    }),
    defineResource({
      uri: 'athena://query/history',
      name: 'athena-query-history',
      title: 'Athena query history',
      description: 'The last 50 queries over all workgroups: state, duration, bytes scanned and text.',
      timeoutMs: TIMEOUT_MS,
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
      timeoutMs: TIMEOUT_MS,
      async read(_, { signal }) {
        const login = await catalog.login();
        if (login.catalogUrl === undefined) throw withoutCatalog(login);
        const { tabulatorDataCatalog } = await catalog.configs.of(login.catalogUrl, signal);
        if (tabulatorDataCatalog === undefined)
          throw new Failure('failed', `The config.json of ${login.catalogUrl} has no analyticsBucket, so its tabulator is unknown.`, {
            actions: ['Ask the administrator of the catalog whether it has a tabulator.'],
          });
        return rejectMalformed(tabulatorBuckets(await catalog.session(login, signal), tabulatorDataCatalog, signal));
      },
    }),
  ];
}

/** A login with a token and a registry URL only has no catalog, which is needed for the tabulator. */
function withoutCatalog(login: Login): Failure {
  if (login.token === undefined) return notLoggedIn(login);
  return new Failure('failed', 'The URL of the catalog is unknown, and its config.json is needed to find the tabulator.', {
    actions: ['Set QUILT_CATALOG_URL in the environment of this server, or run `quilt3 config https://YOUR-CATALOG`.'],
  });
}
