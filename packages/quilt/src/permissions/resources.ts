import { defineResource } from 'footbridge/pack';
import type { Catalog } from '../catalog.js';
import type { Resource } from '../guarded.js';
import { discover } from './discover.js';
import { recommend } from './recommend.js';

/** Hosts wait for about a minute. */
const LIMIT_MS = 55_000;

export function permissionResources(catalog: Catalog, asksToWrite: boolean): readonly Resource[] {
  return [
    defineResource({
      uri: 'permissions://discover',
      name: 'permissions-discover',
      title: 'AWS permissions',
      description: 'Who the login is to AWS, and for each bucket that it can see whether it may list, read and write.',
      timeoutMs: LIMIT_MS,
      read: (_, { signal }) => discover(catalog, asksToWrite, signal),
    }),
    defineResource({
      uri: 'permissions://recommendations',
      name: 'permissions-recommendations',
      title: 'Bucket recommendations',
      description: 'Which buckets are worth using for reading or for writing with this login, and why.',
      timeoutMs: LIMIT_MS,
      async read(_, { signal }) {
        const { buckets, complete, problems, region } = await discover(catalog, asksToWrite, signal);
        return { ...recommend(buckets, region), based_on: { buckets: buckets.length, region }, complete, problems };
      },
    }),
  ];
}
