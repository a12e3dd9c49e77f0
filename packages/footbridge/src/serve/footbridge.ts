/** Adds Footbridge's tools to an author's own server. */
import type { Transport } from '@modelcontextprotocol/server';
import { type Counters, ReadCounters } from '../catalog/counters.js';
import { checkLimits } from '../limits.js';
import { createLog, type Log } from '../log.js';
import type { ResourceRule } from '../sources/server/rules.js';
import { skillFolders } from '../sources/skills/index.js';
import { checkChoice, type ToolChoice } from '../surfaces/tools/index.js';
import type { Identity } from './identity.js';
import { intercept } from './intercept.js';
import type { RelayOptions } from './relay/caller-catalogs.js';
import { Relay } from './relay/relay.js';
import { guardScopes } from './relay/scopes.js';

/** `McpServer` or `Server`, of SDK v1 or v2. */
export interface AnyServer {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

export interface FootbridgeOptions {
  /** Skill folders, served through tools. */
  readonly skills?: readonly string[];
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
const OPTIONS: ReadonlySet<string> = new Set(['skills', 'tools', 'resources', 'timeoutMs', 'maxBytes', 'identity', 'log']);

/** The options shared by all connections. */
function prepare(options: FootbridgeOptions): RelayOptions {
  const unknown = Object.keys(options).filter((key) => !OPTIONS.has(key));
  if (unknown.length > 0) throw new TypeError(`footbridge() has no option ${unknown.join(', ')}. It has: ${[...OPTIONS].join(', ')}.`);
  const { skills = [], tools = {}, resources = [], timeoutMs, maxBytes, identity, log = createLog('warn') } = options;
  checkChoice(tools);
  const limits = checkLimits({ timeoutMs, maxBytes });
  const reported = new Set<string>();
  return {
    // Hosts show prompts themselves.
    tools: { ...tools, get_prompt: false },
    rules: resources,
    limits,
    counters: new ReadCounters(log),
    identity,
    sources: skills.length === 0 ? [] : [skillFolders({ folders: [...skills], standardFolders: false, log })],
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
    const undo = intercept(transport, (intercepted) => new Relay(intercepted, relayOptions));
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
