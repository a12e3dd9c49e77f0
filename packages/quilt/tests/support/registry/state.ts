/** The data of the registry. Tests modify it while the server runs. */

export interface RegistryRole {
  readonly __typename: 'ManagedRole' | 'UnmanagedRole';
  readonly id: string;
  readonly name: string;
  readonly arn: string;
}

export interface RegistryUser {
  readonly name: string;
  readonly email: string;
  readonly isActive: boolean;
  readonly isAdmin: boolean;
  readonly isSsoOnly: boolean;
  readonly isService: boolean;
  readonly dateJoined: string;
  readonly lastLogin: string;
  readonly role: RegistryRole | null;
  readonly extraRoles: readonly RegistryRole[];
}

export interface TokenHolder {
  readonly name: string;
  readonly email: string;
  readonly isAdmin: boolean;
}

export interface AwsCredentials {
  readonly AccessKeyId: string;
  readonly SecretAccessKey: string;
  readonly SessionToken: string;
  readonly Expiration: string;
}

export interface RegistryState {
  /** Valid bearer tokens and their users. */
  readonly tokens: Map<string, TokenHolder>;
  users: RegistryUser[];
  roles: RegistryRole[];
  buckets: { readonly name: string; readonly title: string }[];
  /** The uploader is a user name. */
  ssoConfig: { readonly text: string; readonly timestamp: string; readonly uploader: string } | null;
  tabulatorOpenQuery: boolean;
  /** Without them, `get_credentials` returns 404. */
  credentials: AwsCredentials | undefined;
  /** Overrides for `config.json`; undefined removes a field. */
  config: Readonly<Record<string, unknown>>;
}

export const ADMIN_TOKEN = 'admin-bearer-token-7f3a9c51e2';
export const MEMBER_TOKEN = 'member-bearer-token-2b8d40e6f1';

/** Creates the default data: two tokens, three users and three roles. */
export function registryState(): RegistryState {
  const write = role('ManagedRole', '1', 'ReadWriteQuiltBucket');
  const read = role('ManagedRole', '2', 'ReadQuiltBucket');
  const own = role('UnmanagedRole', '3', 'CustomerOwnRole');
  return {
    tokens: new Map([
      [ADMIN_TOKEN, { name: 'ada', email: 'ada@example.com', isAdmin: true }],
      [MEMBER_TOKEN, { name: 'jane', email: 'jane@example.com', isAdmin: false }],
    ]),
    users: [
      user('ada', { isAdmin: true, role: write, extraRoles: [own] }),
      user('jane', { isSsoOnly: true, role: read }),
      user('robot', { isService: true, isActive: false, role: null }),
    ],
    roles: [write, read, own],
    buckets: [
      { name: 'demo-full', title: 'Demo' },
      { name: 'demo-read-only', title: 'Demo, read only' },
    ],
    ssoConfig: { text: 'version: "1.0"\nmappings: []\n', timestamp: '2025-06-07T08:09:10.000000+00:00', uploader: 'ada' },
    tabulatorOpenQuery: true,
    credentials: undefined,
    config: {},
  };
}

function role(__typename: RegistryRole['__typename'], id: string, name: string): RegistryRole {
  return { __typename, id, name, arn: `arn:aws:iam::123456789012:role/${name}` };
}

function user(name: string, differing: Partial<RegistryUser>): RegistryUser {
  const flags = { isActive: true, isAdmin: false, isSsoOnly: false, isService: false };
  const dates = { dateJoined: '2024-01-02T03:04:05.000000+00:00', lastLogin: '2026-01-02T03:04:05.000000+00:00' };
  return { name, email: `${name}@example.com`, ...flags, ...dates, role: null, extraRoles: [], ...differing };
}
