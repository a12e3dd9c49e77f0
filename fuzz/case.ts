/** A case: one hostile input of one entry point. It is plain JSON, so that it can be kept and replayed. */
import type { Value } from './value.js';

export type Entry = 'stdio' | 'http' | 'skill' | 'upstream' | 'config' | 'host';
export const ENTRIES: readonly Entry[] = ['stdio', 'http', 'skill', 'upstream', 'config', 'host'];

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
}

/** Requests over HTTP, each on its own connection. */
export interface HttpCase {
  readonly entry: 'http';
  readonly requests: readonly HttpRequest[];
}

/** A folder of skills, which is served, listed, searched and linted. */
export interface SkillCase {
  readonly entry: 'skill';
  readonly files: readonly { readonly path: Value; readonly text: Value }[];
  readonly links: readonly { readonly path: Value; readonly target: Value }[];
  /** Empty folders in the first skill. */
  readonly folders: number;
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

export type Case = StdioCase | HttpCase | SkillCase | UpstreamCase | ConfigCase | HostCase;
