/** Carrying requests to the server that something comes from, as they are. */
import type { ProtocolEra } from '@modelcontextprotocol/server';
import type { Fields } from '../json.js';
import type { Cancellation } from './context.js';
import type { ReadContext, ResourceReading } from './resource.js';
import { toReading, withShownUri } from './server/contents.js';
import { orNotFound } from './server/entries.js';
import type { UpstreamFailure } from './upstream/failure.js';

/** What a server wants to know of a question of its, and how it takes it back. */
export interface Question {
  readonly cancellation: Cancellation;
  /** Told how far the host has got, with the server's own token. */
  progress(params: Fields): void;
}

/** A host as a server behind us is told of it. */
export interface Host {
  /** The same for two requests exactly when they may share what a server keeps for one client. */
  readonly key: string;
  readonly era: ProtocolEra;
  /** The newest revision that it asked for. */
  readonly protocolVersion: string;
  readonly clientInfo: Fields;
  readonly capabilities: Fields;
  /** What a server says without being asked: log messages, and what nobody here knows. */
  tell(method: string, params: Fields | undefined): void;
  /** Asks the host what belongs to none of its requests. Rejects with a `ServerError` when it refuses. */
  ask(method: string, params: Fields | undefined, question?: Question): Promise<Fields>;
}

/** The host's side of one request that is carried to a server; `request` of its context. */
export interface Exchange {
  readonly host: Host;
  /** What the host gave when it was asked for input in the course of this: `inputResponses` and `requestState`. */
  readonly input: Fields;
  /** What an older host wants to have logged; a newer one says so in the request. */
  readonly logLevel: string | undefined;
  /** What the server says in the course of it: progress, log messages. */
  tell(method: string, params: Fields | undefined): void;
  /** Asks the host in the course of it. Rejects with a `ServerError` when it refuses. */
  ask(method: string, params: Fields | undefined, question?: Question): Promise<Fields>;
}

/** How a server introduces itself. */
export interface Handshake {
  readonly serverInfo: Fields;
  readonly capabilities: Fields;
  readonly instructions: string | undefined;
  /** All that it said, as it came. */
  readonly result: Fields;
}

/** A server behind us. */
export interface Upstream {
  /** As it is configured. */
  readonly name: string;
  /** At once where it is remembered, else when the server has started; undefined when it cannot be reached. */
  handshake(): Promise<Handshake | undefined>;
  /** Whether it runs, or is about to, and what it lists is known, if only from memory. */
  readonly isListed: boolean;
  /** Resolves when what it lists is known, if only from memory, or when it cannot be reached. */
  listed(): Promise<void>;
  /** Why it cannot be used at the moment; undefined while it can. */
  readonly failure: UpstreamFailure | undefined;
  /** Whether a URI of its may be read that it does not list. */
  readonly readsUnlisted: boolean;
  /**
   * Carries a request over, with the names and URIs that the server knows. Rejects with a `ServerError` for what it answers
   * with an error, and with one of ours when it cannot be reached.
   */
  forward(method: string, params: Fields, context: ReadContext): Promise<Fields>;
  /** Passes a notification of a host on. */
  notify(method: string, params: Fields | undefined, host: Host): void;
  /** Says that a host is there, until what is returned is called. */
  attach(host: Host): () => void;
  /** Has the server tell when a resource changes, as long as somebody wants to know; `watcher` tells them apart. */
  watch(uri: string, watcher: string, context: ReadContext): Promise<Fields>;
  unwatch(uri: string, watcher: string): void;
}

/** Something of a server's, under the name by which hosts know it. */
export interface Forwarded {
  readonly upstream: Upstream;
  /** The server's own name or URI for what hosts call this. */
  original(shown: string): string;
}

/** The input in the parameters of a request: `inputResponses` and `requestState`, as far as they are there. */
export function inputIn(params: Fields | undefined): Fields {
  const { inputResponses, requestState } = params ?? {};
  return { ...(inputResponses !== undefined && { inputResponses }), ...(requestState !== undefined && { requestState }) };
}

/** Reads a resource from its upstream: the answer as it came, with the URI that hosts know. */
export async function forwardRead({ upstream, original }: Forwarded, uri: string, params: Fields, context: ReadContext): Promise<Fields> {
  const own = original(uri);
  return withShownUri(await upstream.forward('resources/read', own === uri ? params : { ...params, uri: own }, context), own, uri);
}

/** The same as content. Throws `NotFound` when the upstream answers that it has no such resource. */
export async function readForwarded(forwarded: Forwarded, uri: string, context: ReadContext): Promise<ResourceReading> {
  try {
    return toReading(await forwardRead(forwarded, uri, { uri, ...inputOf(context) }, context));
  } catch (cause) {
    throw orNotFound(uri, cause);
  }
}

/** What the host gave when it was asked for input in the course of the request, to be handed on. */
export function inputOf({ request }: Pick<ReadContext, 'request'>): Fields {
  return isExchange(request) ? request.input : {};
}

export function isExchange(value: unknown): value is Exchange {
  return typeof value === 'object' && value !== null && 'host' in value && 'ask' in value;
}

/** How a URI begins that names a server, with `+`: what a scheme may hold of its name. */
export function labelOf(name: string): string {
  const label = name.toLowerCase().replace(/[^a-z0-9.-]/g, '-');
  return /^[a-z]/.test(label) ? label : `s${label}`;
}

/** Which of several servers a URI that nobody lists may be of: the one that it names, else any of them. */
export function ownerNamed<C extends Upstream>(
  upstreams: readonly C[],
  uri: string,
): readonly { upstream: C; original(uri: string): string }[] {
  const named = upstreams.length < 2 ? undefined : upstreams.find(({ name }) => uri.toLowerCase().startsWith(`${labelOf(name)}+`));
  if (named === undefined) return upstreams.map((upstream) => ({ upstream, original: (shown) => shown }));
  return [{ upstream: named, original: (shown) => shown.slice(labelOf(named.name).length + 1) }];
}
