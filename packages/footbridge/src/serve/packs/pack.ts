/** What a pack is: a package of its own that brings skills, resources, tools and pages, loaded by its name. */
import type { StandardSchemaV1 } from '@modelcontextprotocol/server';
import type { Log } from '../../log.js';
import type { AnyDefinition } from '../../sources/define/definition.js';
import type { AnyToolDefinition } from '../../sources/define/tool.js';
import type { Caller } from '../../sources/resource.js';
import type { ToolMeta } from '../../sources/source.js';

/** All that a pack brings. */
export interface Pack {
  /** Folders of skills, before all others: nothing in a project takes the name of one of these. */
  readonly skills?: readonly string[];
  /** Written down with `defineResource`. */
  readonly resources?: readonly AnyDefinition[];
  /** Written down with `defineTool`. */
  readonly tools?: readonly AnyToolDefinition[];
  /** What Footbridge's own tools carry as `_meta` while the pack is loaded, by their names. */
  readonly toolMeta?: ToolMeta;
  /** Beside the MCP endpoint. */
  readonly routes?: readonly PackRoute[];
  /** Ends what it started. */
  close?(): Promise<void>;
}

/** One address that answers HTTP requests. */
export interface PackRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With variables for whole segments, as in `/api/things/:id`. */
  readonly path: string;
  /**
   * `open`: for whoever knows the address, without signing in. `caller`: for those who may connect, and, where `tool` is there,
   * may call it.
   */
  readonly access: 'open' | 'caller';
  readonly tool?: string;
  /** Whether it is of no use without the MCP endpoint beside it: then it is not there over stdio. Default false. */
  readonly needsMcp?: boolean;
  answer(request: PackRequest): PackAnswer | Promise<PackAnswer>;
}

export interface PackRequest {
  readonly variables: Readonly<Record<string, string>>;
  /** Of an `open` route nobody. */
  readonly caller: Caller | undefined;
  /** The JSON that was sent; undefined where there was none. */
  readonly body: unknown;
  /** Whether nobody on the way can read it: it comes from this machine, or from the server's public address, which is https. */
  readonly isPrivate: boolean;
}

export interface PackAnswer {
  readonly status: number;
  /** Sent as JSON, or as it is where `headers` say what it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a pack is given to work with. */
export interface PackHost {
  readonly log: Log;
  /** Where relative names in the options begin: at the configuration, or else at the working folder. */
  readonly folder: string;
  /** Whether only this machine is served: over stdio, or over HTTP on loopback. */
  readonly isLocal: boolean;
  /** Says that the content of a resource of the pack's is another now. */
  updated(uri: string): void;
  /** Where a person's browser finds the open routes, until it is released. Over stdio they are on this machine only, and only then. */
  reach(): Promise<Reach>;
}

export interface Reach {
  /** Without a slash at its end. */
  readonly url: string;
  release(): void;
}

/** What a package that is a pack exports by default. */
export interface PackDefinition<Options = unknown> {
  /** For logs and for people. */
  readonly name: string;
  /** Checks what the configuration says beside the pack's name. Without it nothing may be said. */
  readonly options?: StandardSchemaV1<unknown, Options>;
  /** Called once, before anything is served. Throws an error for people when it cannot work. */
  open(options: Options, host: PackHost): Pack | Promise<Pack>;
}
