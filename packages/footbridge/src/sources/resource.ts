/** What a resource is to the catalog: how it is listed, and the way to its content. */
import type {
  AuthInfo,
  BlobResourceContents,
  CacheHint,
  Resource,
  ResourceTemplateType,
  TextResourceContents,
} from '@modelcontextprotocol/server';
import type { UriTemplate } from '../uri-template.js';
import type { Forwarded } from './forwarding.js';

/** Who asks. */
export interface Caller {
  /** The same for two requests exactly when they come from one caller. May be a secret: it is compared, never shown. */
  readonly id: string;
  /** The same for one person, whatever roles a request of theirs has. Default: the id. May be a secret as well. */
  readonly person?: string;
  readonly name: string;
  readonly roles: readonly string[];
  /** Whether resources that need admin rights may be read. */
  readonly admin: boolean;
}

/** The owner of this machine, who may see everything. */
export const OWNER: Caller = { id: '', name: 'owner', roles: ['admin'], admin: true };

/** The request that a read belongs to. */
export interface ReadContext {
  readonly caller: Caller;
  /** Aborted when nobody waits for the content any more, or when it took too long. */
  readonly signal: AbortSignal;
  /** What the transport knows of the caller's token, where it has one. */
  readonly authInfo?: AuthInfo | undefined;
  /** Which way the caller came; for the counters. */
  readonly route?: Route | undefined;
  /** Whether the answer is for this request only, as after a host was asked for input: it is not shared with other reads. */
  readonly alone?: boolean | undefined;
  /** The message as it came, for a source that asks a server in the caller's name. */
  readonly request?: unknown;
}

/** A tool, or the protocol's own `resources/read`. */
export type Route = 'tool' | 'resource';

export type ResourceContents = TextResourceContents | BlobResourceContents;

/** What reading a resource gave. */
export interface ResourceReading {
  readonly contents: readonly ResourceContents[];
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
  /** Whether its one content is JSON on one line that was written from a value: it need not be looked at to be sure. */
  readonly isWritten?: boolean | undefined;
}

/** What a source says of a resource beside its entry in the list. */
export interface ResourceTraits {
  /** Present for what a server behind us has: the protocol's own requests about it are carried over as they are. */
  readonly forwarded?: Forwarded;
  /** Where it comes from, in words a person knows. Default: the name of the source. */
  readonly origin?: string;
  /** The heading under which discovery shows it. */
  readonly category: string;
  /** Shown in discovery; `authorize` is what refuses. */
  readonly requiresAdmin: boolean;
  /** How long a read may take; the catalog's default otherwise. */
  readonly timeoutMs?: number;
  /** How large the content may be; the catalog's default otherwise. */
  readonly maxBytes?: number;
  /** How long content is kept, and for whom; not at all otherwise. */
  readonly cacheHint?: CacheHint;
  /** Throws when this caller may not read it. Asked before anything is read or taken from what is kept. */
  authorize?(uri: string, caller: Caller): void;
}

/** A resource with a URI of its own. */
export interface StaticResource extends ResourceTraits {
  /** As `resources/list` shows it. */
  readonly entry: Resource;
  /** The content; undefined when it is not there. `uri` is as the caller wrote it. */
  read(uri: string, context: ReadContext): Promise<ResourceReading | undefined>;
}

/** Resources whose URIs follow a template. */
export interface TemplateResource extends ResourceTraits {
  /** As `resources/templates/list` shows it. */
  readonly entry: ResourceTemplateType;
  readonly template: UriTemplate;
  /** Values to show, by variable; may be empty. */
  readonly examples: Readonly<Record<string, readonly string[]>>;
  /** The content; undefined when there is none for these variables, which are percent-decoded once. */
  read(uri: string, variables: Readonly<Record<string, string>>, context: ReadContext): Promise<ResourceReading | undefined>;
  /** Values of a variable that begin like `value`; empty where nothing is known. */
  complete(variable: string, value: string, context: ReadContext): Promise<readonly string[]>;
}

/** What a server answers instead of content: the host has to go on with it, and nobody else. */
export class InputRequired extends Error {
  constructor(readonly result: Readonly<Record<string, unknown>>) {
    super('the server needs input from the host');
    this.name = 'InputRequired';
  }
}
