/** Permissions and bucket recommendations. */
import { defineResource } from 'footbridge/pack';
import type { Catalog } from '../catalog.js';
import type { Resource } from '../resource.js';
import { discover } from './discover.js';
import { recommend } from './recommend.js';

/** Hosts time out after about a minute. */
const TIMEOUT_MS = 55_000;

export function permissionResources(catalog: Catalog, checksWrite: boolean): readonly Resource[] {
  return [
    defineResource({
      uri: 'permissions://discover',
      name: 'permissions-discover',
      title: 'AWS permissions',
      description: 'The AWS identity of the login, and for each visible bucket whether it may list, read and write.',
      timeoutMs: TIMEOUT_MS,
      read: (_, { signal }) => discover(catalog, checksWrite, signal),
    }),
    defineResource({
      uri: 'permissions://recommendations',
      name: 'permissions-recommendations',
      title: 'Bucket recommendations',
      description: 'Which buckets to use for reading or writing with this login, and why.',
      timeoutMs: TIMEOUT_MS,
      async read(_, { signal }) {
        const { buckets, complete, problems, region } = await discover(catalog, checksWrite, signal);
        return { ...recommend(buckets, region), based_on: { buckets: buckets.length, region }, complete, problems };
      },
    }),
  ];
}
