/** What a server behind us is, and what is shown of it. */
import type { Transport } from '@modelcontextprotocol/server';
import type { ResourceRule } from '../server/rules.js';

/** Patterns by kind; `*` stands for any run of characters. */
export interface Patterns {
  readonly tools?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly prompts?: readonly string[] | undefined;
  readonly skills?: readonly string[] | undefined;
}

/** A server that is started by a command and spoken to over its stdin and stdout. */
export interface CommandServer {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Besides a safe few of our own variables, such as PATH and HOME. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

/** A server that is reached over HTTP. */
export interface RemoteServer {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A server in this process: an `McpServer` or a `Server` of either SDK generation. */
export interface ServerObject {
  readonly server: { connect(transport: Transport): Promise<void>; close(): Promise<void> };
}

export interface ServerSettings {
  /** What is shown, where it says something; all else is hidden, and cannot be called either. */
  readonly include?: Patterns | undefined;
  readonly exclude?: Patterns | undefined;
  /** Categories, and what needs admin rights; unlike in an author's own server that is checked here. */
  readonly resources?: readonly ResourceRule[] | undefined;
  /** Whether all callers share one connection, or each has its own. Default shared. */
  readonly isolation?: 'shared' | 'caller' | undefined;
  /** In front of the names of its tools and prompts. Default: none for the only server, else its name and `__`. */
  readonly prefix?: string | undefined;
  /** How long it may take to start. Default 10 s. */
  readonly startTimeoutMs?: number | undefined;
}

export type UpstreamServer = (CommandServer | RemoteServer | ServerObject) & ServerSettings;
