/** What the administrators of a catalog may read; whether one is an administrator, the registry decides. */
import { defineResource } from 'footbridge/pack';
import type { Catalog } from '../catalog.js';
import type { Resource } from '../guarded.js';
import type { Login } from '../login/login.js';
import { roles, ssoConfig, tabulatorOpenQuery, users } from '../registry/queries.js';
import type { Registry } from '../registry/registry.js';

type Query<T> = (registry: Registry, login: Login, signal: AbortSignal) => Promise<T>;

export function adminResources(catalog: Catalog): readonly Resource[] {
  const asked =
    <T>(query: Query<T>, shown: (value: T) => object) =>
    async (_: unknown, { signal }: { signal: AbortSignal }) =>
      shown(await query(catalog.registry, await catalog.login(), signal));
  const common = { requiresAdmin: true } as const;
  return [
    defineResource({
      ...common,
      uri: 'admin://users',
      name: 'admin-users',
      title: 'Users of the catalog',
      description: 'All users with e-mail, roles, flags and dates. Needs an administrator of the catalog.',
      read: asked(users, (list) => ({ users: list, count: list.length })),
    }),
    defineResource({
      ...common,
      uri: 'admin://roles',
      name: 'admin-roles',
      title: 'Roles of the catalog',
      description: 'All roles with id, name, ARN and type. Needs an administrator of the catalog.',
      read: asked(roles, (list) => ({ roles: list, count: list.length })),
    }),
    defineResource({
      ...common,
      uri: 'admin://config/sso',
      name: 'admin-config-sso',
      title: 'Single sign-on configuration',
      description: 'The text of the configuration, when it was uploaded and by whom; null where there is none. Needs an administrator.',
      read: asked(ssoConfig, (config) => ({ sso_config: config })),
    }),
    defineResource({
      ...common,
      uri: 'admin://config/tabulator',
      name: 'admin-config-tabulator',
      title: 'Tabulator configuration',
      description: 'Whether everybody may query the tabulator (open query). Needs an administrator of the catalog.',
      read: asked(tabulatorOpenQuery, (enabled) => ({ open_query_enabled: enabled })),
    }),
  ];
}
