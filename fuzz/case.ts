/** A case: one hostile input of one entry point. It is plain JSON, so that it can be kept and replayed. */
import type { Value } from './value.js';

export type Entry = 'stdio' | 'http' | 'skill' | 'upstream' | 'tool-search' | 'sign-in' | 'source' | 'lock' | 'config' | 'host';
export const ENTRIES: readonly Entry[] = [
  'stdio',
  'http',
  'skill',
  'upstream',
  'tool-search',
  'sign-in',
  'source',
  'lock',
  'config',
  'host',
];

export type Era = 'legacy' | 'modern';

/** A request, a notification, or a line as it is. */
export type Sent =
  | { readonly request: string; readonly params?: Value }
  | { readonly notify: string; readonly params?: Value }
  | { readonly line: Value };

/** The id of messages that are sent as lines. */
export const RAW_ID = 'raw';

/** Lines to a server over stdio. */
export interface StdioCase {
  readonly entry: 'stdio';
  readonly era: Era;
  readonly send: readonly Sent[];
}

export interface HttpRequest {
  readonly method: string;
  readonly path: Value;
  readonly headers: readonly (readonly [string, Value])[];
  /** JSON, unless it is a text. */
  readonly body?: Value;
  /** Whether `Mcp-Session-Id` of a session that was opened is added. */
  readonly session?: boolean;
  /** Whether it is posted to the address of a stream of the transport of 2024 instead, which is opened for the case. */
  readonly sse?: boolean;
  /** Whether nothing is read after the beginning of the answer, or of that stream. */
  readonly unread?: boolean;
}

/** Requests over HTTP, each on its own connection. */
export interface HttpCase {
  readonly entry: 'http';
  readonly requests: readonly HttpRequest[];
}

/** A folder of skills, which is served, listed, searched and linted. */
export interface SkillCase {
  readonly entry: 'skill';
  readonly files: readonly FileText[];
  readonly links: readonly { readonly path: Value; readonly target: Value }[];
  /** Empty folders in the first skill. */
  readonly folders: number;
  /** Files in the folder `crowd` of the first skill, of which fifty are read together. */
  readonly crowd?: number;
  readonly query: Value;
}

/** An upstream that answers with these results, by method; other methods it answers well. */
export interface UpstreamCase {
  readonly entry: 'upstream';
  readonly transport: 'stdio' | 'http';
  /** Whether the caller has roles, which are matched with what the upstream lists. */
  readonly hasRoles: boolean;
  readonly answers: Readonly<Record<string, Value>>;
  /** Messages that it sends by itself after it was greeted. */
  readonly pushes: readonly Value[];
}

/** The tools of an upstream, which are found by a search, and calls of `find_tools`, `call_tool` and `call_destructive_tool`. */
export interface ToolSearchCase {
  readonly entry: 'tool-search';
  /** What `tools/list` returns. */
  readonly listed: Value;
  readonly calls: readonly { readonly name: string; readonly arguments: Value }[];
}

/** What a web server answers at a path. In its texts, `{site}` is its own address. */
export interface Page {
  readonly status: number;
  readonly headers: readonly (readonly [string, Value])[];
  readonly body: Value | Packed;
}

/** Files in an archive. */
export interface Packed {
  readonly $pack: 'tgz' | 'zip';
  readonly files: readonly FileText[];
  /** Only so many of its bytes. */
  readonly cut?: number;
}

export interface FileText {
  readonly path: Value;
  readonly text: Value;
}

/** The pages of a web server, by path. Others are not found. */
export type Site = Readonly<Record<string, Page>>;

/** An upstream that requires a login: its challenge, and what it and its authorization server answer. */
export interface SignInCase {
  readonly entry: 'sign-in';
  /** A person's sign-in is begun, a program's is finished. */
  readonly grant: 'authorization_code' | 'client_credentials';
  readonly challenge: { readonly status: number; readonly header: Value };
  readonly site: Site;
}

/** A source that is added from a hostile server, or from a folder of files. */
export interface SourceCase {
  readonly entry: 'source';
  /** As on the command line; `{site}` is the address of the server, `{host}` its host. */
  readonly source: string;
  readonly site: Site;
  readonly files: readonly FileText[];
}

/** A `footbridge.lock`, which is served: with `sources`, or with `"locked": true`. */
export interface LockCase {
  readonly entry: 'lock';
  readonly isLocked: boolean;
  readonly text: Value;
}

/** A `footbridge.json`. */
export interface ConfigCase {
  readonly entry: 'config';
  readonly text: Value;
}

/** The configuration of a host. */
export interface HostCase {
  readonly entry: 'host';
  readonly host: string;
  readonly text: Value;
}

export type Case =
  | StdioCase
  | HttpCase
  | SkillCase
  | UpstreamCase
  | ToolSearchCase
  | SignInCase
  | SourceCase
  | LockCase
  | ConfigCase
  | HostCase;
