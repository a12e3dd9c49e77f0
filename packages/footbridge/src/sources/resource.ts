/** Resources as the catalog sees them: how they are listed, and how they are read. */
import type {
  AuthInfo,
  BlobResourceContents,
  CacheHint,
  Resource,
  ResourceTemplateType,
  TextResourceContents,
} from '@modelcontextprotocol/server';
import { echo, FootbridgeError } from '../errors.js';
import type { UriTemplate } from '../uri-template.js';
import type { Forwarded } from './forwarding.js';

/** The caller of a request. */
export interface Caller {
  /** Equal for two requests exactly when they come from one caller. May be a secret: it is compared, never shown. */
  readonly id: string;
  /** Equal for one person, regardless of the roles of a request. Default: the id. May be a secret, too. */
  readonly person?: string;
  readonly name: string;
  readonly roles: readonly string[];
  /** Whether resources that need admin rights may be read. */
  readonly admin: boolean;
}

/** The owner of this machine, who sees everything. */
export const OWNER: Caller = { id: '', name: 'owner', roles: ['admin'], admin: true };

/** The request that a read belongs to. */
export interface ReadContext {
  readonly caller: Caller;
  /** Aborted when every waiting caller has cancelled, or on timeout. */
  readonly signal: AbortSignal;
  /** The caller's token, where the transport has one. */
  readonly authInfo?: AuthInfo | undefined;
  /**
   * Called with the size of a content, before it is read where that is known. Wait for what it returns, if anything. Throws or
   * rejects when there is no room for it. `isEarly`: whether it is in memory already.
   */
  readonly admit?: ((bytes: number, isEarly?: boolean) => Promise<void> | undefined) | undefined;
}

/** Fields that only our own surfaces and sources use. */
export interface InternalReadContext extends ReadContext {
  /** For the counters. */
  readonly route?: Route | undefined;
  /** Whether the result is for this request only, such as after input from the host, and must not be shared with other reads. */
  readonly alone?: boolean | undefined;
  /** The request as it came, for a source that forwards it. */
  readonly request?: unknown;
}

/** A tool, or `resources/read`. */
export type Route = 'tool' | 'resource';

export type ResourceContents = TextResourceContents | BlobResourceContents;

/** The content of a resource. */
export interface ResourceReading {
  readonly contents: readonly ResourceContents[];
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  /** Whether its only content is JSON on one line that we stringified, so that it need not be validated. */
  readonly isWritten?: boolean | undefined;
}

/** Properties of a resource apart from its entry. */
export interface ResourceTraits {
  /** Present for an upstream's resource: requests about it are forwarded unchanged. Only our own sources set it. */
  readonly forwarded?: Forwarded;
  /** Where it comes from, for people. Default: the name of the source. */
  readonly origin?: string;
  /** The heading under which discovery shows it. */
  readonly category: string;
  /** Shown in discovery; `authorize` enforces it. */
  readonly requiresAdmin: boolean;
  /** How long a read may take; the catalog's default otherwise. */
  readonly timeoutMs?: number;
  /** How large the content may be; the catalog's default otherwise. */
  readonly maxBytes?: number;
  /** How long content is cached, and for whom. Default: not at all. */
  readonly cacheHint?: CacheHint;
  /** Throws when this caller may not read it. Called before each read, cached or not. */
  authorize?(uri: string, caller: Caller): void;
}

/** A resource with a URI of its own. */
export interface StaticResource extends ResourceTraits {
  /** As `resources/list` shows it. */
  readonly entry: Resource;
  /** The content; undefined when it does not exist. `uri` is as the caller wrote it. */
  read(uri: string, context: ReadContext): Promise<ResourceReading | undefined>;
}

/** Resources whose URIs follow a template. */
export interface TemplateResource extends ResourceTraits {
  /** As `resources/templates/list` shows it. */
  readonly entry: ResourceTemplateType;
  readonly template: UriTemplate;
  /** Values to show, by variable; may be empty. */
  readonly examples: Readonly<Record<string, readonly string[]>>;
  /** Whether `read` throws for a value that is not valid. Default false: the server that has it decides. */
  readonly checksVariables?: boolean;
  /** The content; undefined when it does not exist. The variables are percent-decoded once. */
  read(uri: string, variables: Readonly<Record<string, string>>, context: ReadContext): Promise<ResourceReading | undefined>;
  /** Values of a variable that start with `value`; may be empty. */
  complete(variable: string, value: string, context: ReadContext): Promise<readonly string[]>;
}

/** A server's request for input instead of content, which is passed on to the host. */
export class InputRequired extends Error {
  constructor(readonly result: Readonly<Record<string, unknown>>) {
    super('The server needs input from the host.');
    this.name = 'InputRequired';
  }
}

/** Throws when the caller is not an administrator. `status` is a resource that shows the caller's own permissions. */
export function requireAdmin(uri: string, { admin, roles }: Caller, status?: string): void {
  if (admin) return;
  const own = roles.length === 0 ? 'You have no roles.' : `Your roles: ${echo(roles.join(', '))}.`;
  throw new FootbridgeError('Unauthorized', `Resource '${echo(uri)}' requires admin privileges.`, {
    details: `This resource is restricted to administrators. ${own}`,
    suggestedActions: [
      'Ask the server\'s operator for the role "admin".',
      ...(status === undefined ? [] : [`Check your current permissions with get_resource('${status}').`]),
      'Call get_resource() to check what you may read: requires_admin marks the resources that need admin rights.',
    ],
  });
}

/** Where servers conventionally show a caller's own permissions. */
export const STATUS_URI = 'auth://status';
