/** The GraphQL queries, mapped to the field names of this pack. */
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import type { Login } from '../login/login.js';
import { type Registry, SchemaMismatch } from './registry.js';

const ME = z.object({ me: z.object({ name: z.string(), email: z.string().nullish(), isAdmin: z.boolean() }).nullish() });
const BUCKETS = z.object({ bucketConfigs: z.array(z.object({ name: z.string() })) });

const ROLE = z.object({ __typename: z.string(), id: z.union([z.string(), z.number()]), name: z.string(), arn: z.string().nullish() });
const ROLE_FIELDS = '{ __typename ... on ManagedRole { id name arn } ... on UnmanagedRole { id name arn } }';

const USER = z.object({
  name: z.string(),
  email: z.string().nullish(),
  isActive: z.boolean(),
  isAdmin: z.boolean(),
  isSsoOnly: z.boolean().nullish(),
  isService: z.boolean().nullish(),
  dateJoined: z.string().nullish(),
  lastLogin: z.string().nullish(),
  role: ROLE.nullish(),
  extraRoles: z.array(ROLE).nullish(),
});
/** Registries return null to users without permission, with or without an error. */
const admin = <T extends z.ZodType>(fields: T) => z.object({ admin: fields.nullable() });
const USERS = admin(z.object({ user: z.object({ list: z.array(USER) }) }));
const ROLES = z.object({ roles: z.array(ROLE).nullable() });
const UPLOADER = z.union([z.string(), z.object({ name: z.string(), email: z.string().nullish() })]);
const SSO = admin(z.object({ ssoConfig: z.object({ text: z.string(), timestamp: z.string(), uploader: UPLOADER.nullish() }).nullish() }));
const TABULATOR = admin(z.object({ tabulatorOpenQuery: z.boolean() }));

const USER_FIELDS = `name email isActive isAdmin isSsoOnly isService dateJoined lastLogin role ${ROLE_FIELDS} extraRoles ${ROLE_FIELDS}`;

/** The logged-in user; undefined if the registry returns none. */
export async function me(registry: Registry, login: Login, signal: AbortSignal) {
  const { me: user } = await registry.query(login, '{ me { name email isAdmin } }', ME, signal);
  return user ? { name: user.name, email: user.email ?? null, is_admin: user.isAdmin } : undefined;
}

/** The buckets that the catalog shows to the user. */
export async function bucketNames(registry: Registry, login: Login, signal: AbortSignal): Promise<readonly string[]> {
  const { bucketConfigs } = await registry.query(login, '{ bucketConfigs { name } }', BUCKETS, signal);
  return bucketConfigs.map(({ name }) => name);
}

export async function users(registry: Registry, login: Login, signal: AbortSignal) {
  const query = `{ admin { user { list { ${USER_FIELDS} } } } }`;
  const { user } = await asAdmin(registry.query(login, query, USERS, signal).then(({ admin }) => admin));
  return user.list.map((each) => ({
    name: each.name,
    email: each.email ?? null,
    is_active: each.isActive,
    is_admin: each.isAdmin,
    is_sso_only: each.isSsoOnly ?? null,
    is_service: each.isService ?? null,
    date_joined: each.dateJoined ?? null,
    last_login: each.lastLogin ?? null,
    role: each.role ? roleOf(each.role) : null,
    extra_roles: (each.extraRoles ?? []).map(roleOf),
  }));
}

export async function roles(registry: Registry, login: Login, signal: AbortSignal) {
  const list = await asAdmin(registry.query(login, `{ roles ${ROLE_FIELDS} }`, ROLES, signal).then(({ roles }) => roles));
  return list.map(roleOf);
}

export async function ssoConfig(registry: Registry, login: Login, signal: AbortSignal) {
  const query = (uploader: string) => `{ admin { ssoConfig { text timestamp ${uploader} } } }`;
  const answer = registry.query(login, query('uploader { name email }'), SSO, signal).catch((cause: unknown) => {
    // In some versions of the registry the uploader is a string.
    if (!(cause instanceof SchemaMismatch)) throw cause;
    return registry.query(login, query('uploader'), SSO, signal);
  });
  const { ssoConfig: config } = await asAdmin(answer.then(({ admin }) => admin));
  if (!config) return null;
  const { text, timestamp, uploader } = config;
  return { text, timestamp, uploader: typeof uploader === 'object' ? (uploader?.name ?? null) : (uploader ?? null) };
}

export async function tabulatorOpenQuery(registry: Registry, login: Login, signal: AbortSignal): Promise<boolean> {
  const answer = registry.query(login, '{ admin { tabulatorOpenQuery } }', TABULATOR, signal);
  return (await asAdmin(answer.then(({ admin }) => admin))).tabulatorOpenQuery;
}

function roleOf({ __typename: type, arn, id, name }: z.output<typeof ROLE>) {
  return {
    id: String(id),
    name,
    arn: arn ?? null,
    type: type === 'ManagedRole' ? 'managed' : type === 'UnmanagedRole' ? 'unmanaged' : type,
  };
}

/** For admin queries, a denial or null means that the user is not an administrator. */
async function asAdmin<T>(value: Promise<T | null>): Promise<T> {
  const allowed = await value.catch((cause: unknown) => {
    if (cause instanceof Failure && cause.kind === 'denied') return null;
    throw cause;
  });
  if (allowed === null) throw new Failure('admin', 'This operation is restricted to Quilt administrators.');
  return allowed;
}
