import { defineResource } from 'footbridge/pack';
import type { Catalog } from '../catalog.js';
import type { Resource } from '../guarded.js';
import { catalogInfo } from './catalog-info.js';
import { filesystemStatus } from './filesystem-status.js';
import { loginStatus } from './status.js';

export function authResources(catalog: Catalog): readonly Resource[] {
  return [
    defineResource({
      uri: 'auth://status',
      name: 'auth-status',
      title: 'Login status',
      description:
        'Whether one is logged in to a Quilt catalog, to which and as whom, and what to do next. Read it first when something is refused.',
      read: (_, { caller, signal }) => loginStatus(catalog, caller, signal),
    }),
    defineResource({
      uri: 'auth://catalog/info',
      name: 'auth-catalog-info',
      title: 'Catalog information',
      description: "The catalog's name, addresses, region and tabulator data catalog.",
      read: (_, { signal }) => catalogInfo(catalog, signal),
    }),
    defineResource({
      uri: 'auth://filesystem/status',
      name: 'auth-filesystem-status',
      title: 'Filesystem status',
      description: 'The home, temporary and current folder of this server, and which of them it may write to.',
      read: filesystemStatus,
    }),
  ];
}
