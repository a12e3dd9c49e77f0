/** The API of packs: npm packages that add skills, resources, tools and HTTP routes. */
import type { StandardSchemaV1 } from '@modelcontextprotocol/server';
import type { Log } from '../../log.js';
import type { AnyDefinition } from '../../sources/define/definition.js';
import type { AnyToolDefinition } from '../../sources/define/tool.js';
import type { Caller } from '../../sources/resource.js';
import type { ToolMeta } from '../../sources/source.js';

export interface Pack {
  /** Skill folders. They take precedence over those of the project. */
  readonly skills?: readonly string[];
  /** Made with `defineResource`. */
  readonly resources?: readonly AnyDefinition[];
  /** Made with `defineTool`. */
  readonly tools?: readonly AnyToolDefinition[];
  /** `_meta` for Footbridge's own tools, by tool name. */
  readonly toolMeta?: ToolMeta;
  /** HTTP routes next to the MCP endpoint. */
  readonly routes?: readonly PackRoute[];
  close?(): Promise<void>;
}

export interface PackRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Segments may be variables, as in `/api/things/:id`. */
  readonly path: string;
  /** `open`: no authentication. `caller`: for authenticated callers who, if `tool` is set, may call that tool. */
  readonly access: 'open' | 'caller';
  readonly tool?: string;
  /** The title of a page for people: it is announced when the server starts, and linked on the catalog page. */
  readonly title?: string;
  /** Whether the route needs the MCP endpoint next to it; if so, it is not served over stdio. Default: false. */
  readonly needsMcp?: boolean;
  answer(request: PackRequest): PackAnswer | Promise<PackAnswer>;
}

export interface PackRequest {
  readonly variables: Readonly<Record<string, string>>;
  /** Undefined for an `open` route. */
  readonly caller: Caller | undefined;
  /** The parsed JSON body; undefined without one. */
  readonly body: unknown;
  /** Whether the request came over a confidential channel: from this machine, or to the server's public https URL. */
  readonly isPrivate: boolean;
}

export interface PackAnswer {
  readonly status: number;
  /** Sent as JSON, or unchanged if `headers` set a content type. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What Footbridge provides to a pack. */
export interface PackHost {
  readonly log: Log;
  /** The base of relative paths in the options: the folder of the configuration, or the working directory. */
  readonly folder: string;
  /** Whether only this machine is served: over stdio, or HTTP on loopback. */
  readonly isLocal: boolean;
  /** Reports that the content of a resource has changed. */
  updated(uri: string): void;
  /** The URL of the open routes for the user's browser. Over stdio they are served on loopback until `release` is called. */
  reach(): Promise<RouteAddress>;
}

export interface RouteAddress {
  /** Without a trailing slash. */
  readonly url: string;
  release(): void;
}

/** The default export of a pack's package. */
export interface PackDefinition<Options = unknown> {
  /** For logs and messages. */
  readonly name: string;
  /** Validates the options in the configuration. Without it the pack has no options. */
  readonly options?: StandardSchemaV1<unknown, Options>;
  /** Called once, before anything is served. Its errors are shown to the user. */
  open(options: Options, host: PackHost): Pack | Promise<Pack>;
}
