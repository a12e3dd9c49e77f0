/** The settings of an upstream server. */
import type { Transport } from '@modelcontextprotocol/server';
import type { ResourceRule } from '../server/entries.js';
import type { ToolSearch } from '../source.js';

/** Patterns by kind; `*` matches any characters. */
export interface Patterns {
  readonly tools?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly prompts?: readonly string[] | undefined;
  readonly skills?: readonly string[] | undefined;
}

/** A server started by a command, over stdio. */
export interface CommandServer {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** In addition to a few safe variables such as PATH and HOME. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  /** Asked before each start: why it may not be started, or undefined. */
  readonly mayStart?: (() => Promise<string | undefined>) | undefined;
}

/** How to sign in to a server that requires it. Without these settings, Footbridge registers itself and asks the user. */
export interface OAuthSettings {
  /** The id that the authorization server gave Footbridge, or the https URL of its client ID metadata document. */
  readonly clientId?: string | undefined;
  /** The authorization server that this client is registered at. Others that the server names are not used. */
  readonly issuer?: string | undefined;
  /** The environment variable with the secret of that client. */
  readonly clientSecretEnv?: string | undefined;
  /** The environment variable with the private key of that client, which signs in place of a secret (`private_key_jwt`). */
  readonly clientKeyEnv?: string | undefined;
  /** The file with that key. */
  readonly clientKeyFile?: string | undefined;
  /** Requested in place of those that the server asks for. */
  readonly scopes?: readonly string[] | undefined;
  /** The port on this machine that the browser returns to, where it is registered. Default: any free one. */
  readonly redirectPort?: number | undefined;
  /** `client_credentials` signs in without a user, `token_exchange` with the token of a caller. */
  readonly grant?: 'authorization_code' | 'client_credentials' | 'token_exchange' | undefined;
}

/** A server over HTTP. */
export interface RemoteServer {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly oauth?: OAuthSettings | undefined;
  /**
   * Over HTTP: whether each caller signs in, their token is exchanged for one for the server, or one login is used for all. Default: no
   * logins. Over stdio the one user signs in.
   */
  readonly signIn?: 'caller' | 'exchange' | 'shared' | undefined;
}

/** A server in this process: an `McpServer` or a `Server` of either SDK generation. */
export interface ServerObject {
  readonly server: { connect(transport: Transport): Promise<void>; close(): Promise<void> };
}

/** A server that is listed and neither started nor connected to, because its configuration is not trusted yet. */
export interface HeldServer {
  /** Why, and what to do. */
  readonly held: string;
  /** The digest of its settings. */
  readonly settings: string;
}

export interface ServerSettings {
  /** The patterns that are shown. Everything else is hidden and cannot be called. */
  readonly include?: Patterns | undefined;
  readonly exclude?: Patterns | undefined;
  /** Categories, and what requires admin rights, which is enforced here. */
  readonly resources?: readonly ResourceRule[] | undefined;
  /** Whether all callers share one connection, or each has its own. Default shared. */
  readonly isolation?: 'shared' | 'caller' | undefined;
  /** The prefix of its tools and prompts. Default: none for a single server, otherwise its name and `__`. */
  readonly prefix?: string | undefined;
  /** Whether its tools are found by a search instead of being listed. Default: as for all servers. */
  readonly toolSearch?: ToolSearch | undefined;
  /** Patterns of tools that are always listed. */
  readonly always?: readonly string[] | undefined;
  /** Seconds without a call after which a command is stopped, until it is called again; false: it starts at once and always runs. */
  readonly idle?: number | false | undefined;
  /** Default 10 s. */
  readonly startTimeoutMs?: number | undefined;
}

export type UpstreamServer = (CommandServer | RemoteServer | ServerObject | HeldServer) & ServerSettings;
