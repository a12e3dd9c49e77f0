/** The registry's GraphQL schema, as far as the pack needs it. */
import { buildSchema, GraphQLError, type GraphQLSchema } from 'graphql';
import type { RegistryState, TokenHolder } from './state.js';

export function registrySchema(uploaderIsText: boolean): GraphQLSchema {
  return buildSchema(/* GraphQL */ `
    scalar Datetime
    type Me { name: String! email: String! isAdmin: Boolean! }
    type BucketConfig { name: String! title: String! }
    type ManagedRole { id: ID! name: String! arn: String! }
    type UnmanagedRole { id: ID! name: String! arn: String! }
    union Role = ManagedRole | UnmanagedRole
    type User {
      name: String!
      email: String!
      isActive: Boolean!
      isAdmin: Boolean!
      isSsoOnly: Boolean!
      isService: Boolean!
      dateJoined: Datetime!
      lastLogin: Datetime!
      role: Role
      extraRoles: [Role!]!
    }
    type UserAdminQueries { list: [User!]! }
    type SsoConfig { text: String! timestamp: Datetime! uploader: ${uploaderIsText ? 'String!' : 'User!'} }
    type AdminQueries { user: UserAdminQueries! ssoConfig: SsoConfig tabulatorOpenQuery: Boolean! }
    type Query {
      me: Me
      bucketConfigs: [BucketConfig!]!
      roles: [Role!]!
      admin: AdminQueries!
    }
  `);
}

/** The root value for a caller, or for an anonymous one. */
export function registryRoot(state: RegistryState, caller: TokenHolder | undefined, uploaderIsText: boolean): object {
  const forAdmins = <Value>(value: () => Value) => {
    return (): Value => {
      if (caller?.isAdmin !== true) throw new GraphQLError('Unauthorized');
      return value();
    };
  };
  const uploaderOf = (name: string): unknown => (uploaderIsText ? name : state.users.find((user) => user.name === name));
  return {
    me: () => caller ?? null,
    bucketConfigs: () => state.buckets,
    roles: forAdmins(() => state.roles),
    admin: forAdmins(() => ({
      user: { list: state.users },
      ssoConfig: state.ssoConfig === null ? null : { ...state.ssoConfig, uploader: uploaderOf(state.ssoConfig.uploader) },
      tabulatorOpenQuery: state.tabulatorOpenQuery,
    })),
  };
}
