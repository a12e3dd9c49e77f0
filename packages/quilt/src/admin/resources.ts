/** Resources for administrators. The registry decides who is one. */
import { defineResource } from 'footbridge/pack';
import type { Catalog } from '../catalog.js';
import type { Resource } from '../failure.js';
import type { Login } from '../login/login.js';
import { roles, ssoConfig, tabulatorOpenQuery, users } from '../registry/queries.js';
import type { Registry } from '../registry/registry.js';

type Query<T> = (registry: Registry, login: Login, signal: AbortSignal) => Promise<T>;

export function adminResources(catalog: Catalog): readonly Resource[] {
  const readQuery =
    <T>(query: Query<T>, view: (value: T) => object) =>
    async (_: unknown, { signal }: { signal: AbortSignal }) =>
      view(await query(catalog.registry, await catalog.login(), signal));
  return [
    defineResource({
      requiresAdmin: true,
      uri: 'admin://users',
      name: 'admin-users',
      title: 'Users of the catalog',
      description: 'All users with e-mail, roles, flags and dates. Requires an administrator of the catalog.',
      read: readQuery(users, (list) => ({ users: list, count: list.length })),
    }),
    defineResource({
      requiresAdmin: true,
      uri: 'admin://roles',
      name: 'admin-roles',
      title: 'Roles of the catalog',
      description: 'All roles with id, name, ARN and type. Requires an administrator of the catalog.',
      read: readQuery(roles, (list) => ({ roles: list, count: list.length })),
    }),
    defineResource({
      requiresAdmin: true,
      uri: 'admin://config/sso',
      name: 'admin-config-sso',
      title: 'Single sign-on configuration',
      description: 'The text of the configuration, its upload time and uploader; null if not configured. Requires an administrator.',
      read: readQuery(ssoConfig, (config) => ({ sso_config: config })),
    }),
    defineResource({
      requiresAdmin: true,
      uri: 'admin://config/tabulator',
      name: 'admin-config-tabulator',
      title: 'Tabulator configuration',
      description: 'Whether all users may query the tabulator (open query). Requires an administrator of the catalog.',
      read: readQuery(tabulatorOpenQuery, (enabled) => ({ open_query_enabled: enabled })),
    }),
  ];
}
