/** Forwarding requests to upstreams. */
import type { ProtocolEra } from '@modelcontextprotocol/server';
import type { Fields } from '../json.js';
import type { Cancellation } from './context.js';
import type { InternalReadContext, ReadContext, ResourceReading } from './resource.js';
import { parseReading, withShownUri } from './server/channel.js';
import { orNotFound } from './server/entries.js';
import type { UpstreamFailure } from './upstream/failure.js';

/** Options of a request that a server sends to the host. */
export interface HostRequestOptions {
  readonly cancellation: Cancellation;
  /** Called with the host's progress, with the server's own token. */
  progress(params: Fields): void;
}

/** A host as an upstream sees it. */
export interface HostPeer {
  /** Equal for two requests if and only if they may share the state that a server keeps per client. */
  readonly key: string;
  readonly era: ProtocolEra;
  /** The newest revision that it requested. */
  readonly protocolVersion: string;
  readonly clientInfo: Fields;
  readonly capabilities: Fields;
  /** Sends a notification that belongs to no request, such as a log message. */
  notify(method: string, params: Fields | undefined): void;
  /** Sends the host a request that belongs to none of its own. Rejects with a `ServerError` when it refuses. */
  request(method: string, params: Fields | undefined, options?: HostRequestOptions): Promise<Fields>;
}

/** The host's side of one request that is forwarded to an upstream; `request` of its context. */
export interface Exchange {
  readonly host: HostPeer;
  /** The input that the host gave for this request: `inputResponses` and `requestState`. */
  readonly input: Fields;
  /** The log level of a legacy host; a modern one sends it with the request. */
  readonly logLevel: string | undefined;
  /** Sends a notification of this request: progress, log messages. */
  notify(method: string, params: Fields | undefined): void;
  /** Sends the host a request as part of this one. Rejects with a `ServerError` when it refuses. */
  request(method: string, params: Fields | undefined, options?: HostRequestOptions): Promise<Fields>;
}

/** A server's answer to the handshake. */
export interface Handshake {
  readonly serverInfo: Fields;
  readonly capabilities: Fields;
  readonly instructions: string | undefined;
  /** The whole answer. */
  readonly result: Fields;
}

/** Called when a list changed on the connection of one caller alone. */
export type ListFollower = (kind: 'tools' | 'prompts' | 'resources') => void;

/** An MCP server that Footbridge proxies. */
export interface Upstream {
  /** The configured name. */
  readonly name: string;
  /** The server's own description; undefined if it has none, or is not known yet. */
  readonly purpose: string | undefined;
  /** Available at once if cached, otherwise when the server has started; undefined if it cannot be reached. */
  handshake(): Handshake | undefined | Promise<Handshake | undefined>;
  /** Whether its lists are known, if only from the cache, and it is running, starting, or started when it is called. */
  readonly isListed: boolean;
  /** Set while what is known of its lists is not shown to hosts yet: resolves when it is. */
  readonly showing?: Promise<void> | undefined;
  /** Whether it is connected. One that is not is started by the next request. */
  readonly isRunning: boolean;
  /** Resolves when its lists are known, if only from the cache, or when it cannot be reached. */
  listed(): Promise<void>;
  /**
   * For the name of a tool or prompt that is not listed: starts a stopped server that has its prefix, and resolves when its lists have
   * been read again. Undefined where that is no use.
   */
  lookFor?(name: string): Promise<void> | undefined;
  /** Why it cannot be used at the moment; undefined while it can. */
  readonly failure: UpstreamFailure | undefined;
  /** Whether it may have resources that it does not list. */
  readonly readsUnlisted: boolean;
  /**
   * Forwards a request with the upstream's own names and URIs. Rejects with the upstream's error as a `ServerError`, and with
   * one of Footbridge when it cannot be reached.
   */
  forward(method: string, params: Fields, context: ReadContext): Promise<Fields>;
  /** Forwards a notification of a host. */
  notify(method: string, params: Fields | undefined, host: HostPeer): void;
  /** Registers a host; returns a function that removes it. */
  attach(host: HostPeer): () => void;
  /**
   * Reports changes of lists on the caller's own connection, where it has one: lists are of all callers, so a server that changes
   * them for one caller changes nothing that others are shown. Returns a function that ends it.
   */
  followLists(key: string, follower: ListFollower): () => void;
  /** Subscribes to a resource until every `watcher` has unsubscribed. */
  watch(uri: string, watcher: string, context: ReadContext): Promise<Fields>;
  unwatch(uri: string, watcher: string): void;
}

/** Something that an upstream offers, under the name that hosts use. */
export interface Forwarded {
  readonly upstream: Upstream;
  /** The upstream's own name or URI. */
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
    return parseReading(await forwardRead(forwarded, uri, { uri, ...inputOf(context) }, context));
  } catch (cause) {
    throw orNotFound(uri, cause);
  }
}

/** The input that the host gave for a request, to be passed on. */
export function inputOf({ request }: InternalReadContext): Fields {
  return isExchange(request) ? request.input : {};
}

export function isExchange(value: unknown): value is Exchange {
  return typeof value === 'object' && value !== null && 'host' in value && 'notify' in value;
}

/** How many servers are started at most for a request about something unlisted. */
const MAX_STARTED = 8;

/** The upstreams that are asked for something unlisted: all that run, and the first few that do not. */
export function worthAsking<C extends Pick<Upstream, 'isRunning'>>(upstreams: readonly C[]): readonly C[] {
  if (upstreams.length <= MAX_STARTED) return upstreams;
  let started = 0;
  return upstreams.filter(({ isRunning }) => isRunning || ++started <= MAX_STARTED);
}

/** Looks for the name of a tool or prompt that is not listed in the servers that were not running. Undefined where there are none. */
export function lookedFor(upstreams: readonly Upstream[], name: string): Promise<unknown> | undefined {
  const looks: Promise<void>[] = [];
  for (const upstream of upstreams) {
    const look = upstream.lookFor?.(name);
    if (look !== undefined && looks.push(look) === MAX_STARTED) break;
  }
  return looks.length === 0 ? undefined : Promise.all(looks);
}

/** The prefix, followed by `+`, of URIs that name an upstream: its name as far as a scheme allows it. */
export function labelOf(name: string): string {
  const label = name.toLowerCase().replace(/[^a-z0-9.-]/g, '-');
  return /^[a-z]/.test(label) ? label : `s${label}`;
}

/** The upstreams that may have an unlisted URI: the one that it names, else all of them. */
export function ownerNamed<C extends Upstream>(
  upstreams: readonly C[],
  uri: string,
): readonly { upstream: C; original(uri: string): string }[] {
  const named = upstreams.length < 2 ? undefined : upstreams.find(({ name }) => uri.toLowerCase().startsWith(`${labelOf(name)}+`));
  if (named === undefined) return worthAsking(upstreams).map((upstream) => ({ upstream, original: (shown) => shown }));
  return [{ upstream: named, original: (shown) => shown.slice(labelOf(named.name).length + 1) }];
}
