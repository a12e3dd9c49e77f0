/** Adds Footbridge's tools to an author's own server. */
import type { AuthInfo, Transport } from '@modelcontextprotocol/server';
import { type Counters, ReadCounters } from '../catalog/counters.js';
import { FootbridgeError, SEE_RESOURCES } from '../errors.js';
import { isFields } from '../json.js';
import { checkLimits } from '../limits.js';
import { createLog, type Log } from '../log.js';
import type { ResourceRule } from '../sources/server/entries.js';
import { skillFolders } from '../sources/skills/index.js';
import { HostViews } from '../surfaces/hosts/view.js';
import { checkChoice, type ToolChoice } from '../surfaces/tools/index.js';
import { isTemplate, parseUriTemplate } from '../uri-template.js';
import type { Identity } from './identity.js';
import { intercept } from './intercept.js';
import type { RelayOptions } from './relay/caller-catalogs.js';
import { Relay } from './relay/relay.js';
import { RelayScope } from './relay/scope.js';

/** `McpServer` or `Server`, of SDK v1 or v2. */
export interface AnyServer {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

export interface FootbridgeOptions {
  /** Skill folders, served through tools. */
  readonly skills?: readonly string[];
  /** Whether files of skills that are likely to contain secrets, such as `.env` and private keys, are served. Default false. */
  readonly serveSecrets?: boolean;
  /** Set a tool to false to leave it out. Default: every tool that has content to serve. */
  readonly tools?: ToolChoice;
  /** Categories and admin marks for discovery. The server itself authorizes reads. */
  readonly resources?: readonly ResourceRule[];
  /** The timeout of a read through the tools. Default: 10 s. */
  readonly timeoutMs?: number;
  /** The maximum size of a resource read through the tools. Default: 16 MiB. */
  readonly maxBytes?: number;
  /** The caller. Default: from the token of the request. */
  readonly identity?: Identity;
  /** Default: warnings, to stderr. */
  readonly log?: Log;
}

type Factory = (...given: never[]) => AnyServer | Promise<AnyServer>;

/**
 * Adds `get_resource` and `get_resources` to a server, or to each server that a factory creates, so that a model can read its
 * resources in hosts that support only tools. Nothing else changes. Call it before the server connects.
 */
export function footbridge<S extends AnyServer | Factory>(serverOrFactory: S, options: FootbridgeOptions = {}): S {
  const shared = prepare(options);
  counted.set(serverOrFactory, shared.counters);
  if (typeof serverOrFactory !== 'function') {
    attach(serverOrFactory, shared);
    return serverOrFactory;
  }
  const factory: Factory = serverOrFactory;
  // A synchronous factory stays synchronous.
  const wrapped: Factory = (...given) => {
    const made = factory(...given);
    return 'then' in made ? made.then((server) => attach(server, shared)) : attach(made, shared);
  };
  counted.set(wrapped, shared.counters);
  return Object.assign(wrapped, serverOrFactory);
}

const counted = new WeakMap<object, ReadCounters>();

/** Reads by route. Takes a server or factory that was passed to `footbridge()` or returned by it. */
export function countersOf(serverOrFactory: AnyServer | Factory): Counters | undefined {
  return counted.get(serverOrFactory)?.now;
}

/** An unknown option is an error: it may have been meant to restrict something. */
const OPTIONS: ReadonlySet<string> = new Set(['skills', 'serveSecrets', 'tools', 'resources', 'timeoutMs', 'maxBytes', 'identity', 'log']);

/** The options shared by all connections. */
function prepare(options: FootbridgeOptions): RelayOptions {
  const unknown = Object.keys(options).filter((key) => !OPTIONS.has(key));
  if (unknown.length > 0) throw new TypeError(`footbridge() has no option ${unknown.join(', ')}. It has: ${[...OPTIONS].join(', ')}.`);
  const { skills = [], serveSecrets, tools = {}, resources = [], timeoutMs, maxBytes, identity, log = createLog('warn') } = options;
  checkChoice(tools);
  const limits = checkLimits({ timeoutMs, maxBytes });
  const reported = new Set<string>();
  return {
    // Hosts show prompts themselves.
    tools: { ...tools, get_prompt: false },
    hosts: new HostViews(),
    rules: resources,
    limits,
    counters: new ReadCounters(log),
    identity,
    sources: skills.length === 0 ? [] : [skillFolders({ folders: [...skills], standardFolders: false, serveSecrets, log })],
    guard: undefined,
    onTaken(name) {
      if (!reported.has(name)) log.warn(`The server has a tool '${name}', so the built-in tool of that name is disabled.`);
      reported.add(name);
    },
    log,
  };
}

const attached = new WeakSet<object>();

function attach<S extends AnyServer>(server: S, options: RelayOptions): S {
  const target = connectable(server);
  // A factory may return the same server again.
  if (attached.has(target)) return server;
  attached.add(target);
  if ('transport' in target && target.transport !== undefined)
    options.log.warn('footbridge() was called after connect(), so this connection does not have its tools. Call it before connect().');
  const guard = guardScopes(server, options.tools);
  const connect = target.connect.bind(target);
  target.connect = async (transport) => {
    const relayOptions = guard === undefined ? options : { ...options, guard };
    const undo = intercept(transport, (intercepted) => new Relay(intercepted, relayOptions, target));
    try {
      await connect(transport);
    } catch (cause) {
      undo();
      throw cause;
    }
  };
  return server;
}

interface Connectable {
  connect(transport: Transport): Promise<void>;
}

/** An `McpServer` delegates to the `Server` inside. */
function connectable(server: AnyServer): Connectable {
  const inner: unknown = 'server' in server ? server.server : undefined;
  const target: unknown = isConnectable(inner) ? inner : server;
  if (isConnectable(target)) return target;
  throw new TypeError('footbridge() takes an McpServer or a Server of the MCP SDK, or a function that returns one.');
}

function isConnectable(value: unknown): value is Connectable {
  return typeof value === 'object' && value !== null && 'connect' in value && typeof value.connect === 'function';
}

interface Challenged {
  readonly request: { readonly method: string; readonly params?: Readonly<Record<string, unknown>> | undefined };
  readonly authInfo?: AuthInfo;
}
type Resolver = (challenged: Challenged) => unknown;

/** The check for reads through tools; undefined for a server without scopes. Also makes the transports check `get_resource`. */
function guardScopes(server: object, tools: ToolChoice): RelayOptions['guard'] {
  if (!hasResolver(server)) return undefined;
  const resolve = server.resolveScopeChallenge;
  server.resolveScopeChallenge = async (challenged) => {
    const uri = tools['get_resource'] === false || hasOwnTool(server) ? undefined : uriOf(challenged);
    return (await resolve(challenged)) ?? (uri === undefined ? undefined : resolve(asRead(challenged, uri)));
  };
  const check = async (uri: string, challenged: Challenged) => {
    const challenge = await resolve(asRead(challenged, uri));
    if (challenge !== undefined) throw unauthorized(uri, challenge);
  };
  return (uri, { request, authInfo }) => {
    // Only HTTP transports have tokens, and check scopes.
    if (!(request instanceof RelayScope) || request.extra === undefined) return undefined;
    return check(uri, { request: request.message, authInfo });
  };
}

function hasResolver(server: object): server is { resolveScopeChallenge: Resolver } {
  return 'resolveScopeChallenge' in server && typeof server.resolveScopeChallenge === 'function';
}

/** Whether the server has its own `get_resource`. */
function hasOwnTool(server: object): boolean {
  return (
    'toolInputSchemaJson' in server &&
    typeof server.toolInputSchemaJson === 'function' &&
    server.toolInputSchemaJson('get_resource') !== undefined
  );
}

function uriOf({ request: { method, params } }: Challenged): string | undefined {
  const given = method === 'tools/call' && params?.['name'] === 'get_resource' ? params['arguments'] : undefined;
  if (!isFields(given) || typeof given['uri'] !== 'string') return undefined;
  const uri = given['uri'].trim();
  if (!isTemplate(uri) || !isFields(given['variables'])) return uri;
  try {
    const values = Object.entries(given['variables']).filter((each): each is [string, string | number] =>
      /^(?:string|number)$/.test(typeof each[1]),
    );
    return parseUriTemplate(uri).expand(Object.fromEntries(values));
  } catch {
    return uri;
  }
}

function asRead(challenged: Challenged, uri: string): Challenged {
  return { ...challenged, request: { ...challenged.request, method: 'resources/read', params: { uri } } };
}

function unauthorized(uri: string, challenge: unknown): FootbridgeError {
  const scopes = isFields(challenge) && Array.isArray(challenge['scopes']) ? challenge['scopes'].join(', ') : '';
  return new FootbridgeError('Unauthorized', `Resource '${uri}' requires scopes that the token does not have.`, {
    ...(scopes === '' ? {} : { details: `Scopes: ${scopes}` }),
    suggestedActions: ['Sign in again with these scopes.', SEE_RESOURCES],
  });
}
