/** Our tools inside an author's own server, with one call. */
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

/** What servers of either SDK generation have in common: `McpServer` and `Server`, of v1 and v2. */
export interface AnyServer {
  connect(transport: never): Promise<void>;
  close(): Promise<void>;
}

export interface FootbridgeOptions {
  /** Folders of skills to serve as tools too. */
  readonly skills?: readonly string[];
  /** Which of our tools to add; each that has something to offer, unless it is set to false. */
  readonly tools?: ToolChoice;
  /** Categories, and marks of what needs admin rights, for discovery. The server itself decides who may read. */
  readonly resources?: readonly ResourceRule[];
  /** How long our tools wait for a resource. Default 10 s. */
  readonly timeoutMs?: number;
  /** How large a resource our tools carry. Default 16 MiB. */
  readonly maxBytes?: number;
  /** Who the caller is; by default as the transport tells. */
  readonly identity?: Identity;
  /** Default: warnings, to stderr. */
  readonly log?: Log;
}

type Factory = (...given: never[]) => AnyServer | Promise<AnyServer>;

/**
 * Adds `get_resource` and `get_resources` to a server, or to each server that a factory makes, so that a model can read its
 * resources in hosts that have only tools. All else stays as it is. Call it before the server connects.
 */
export function footbridge<S extends AnyServer | Factory>(serverOrFactory: S, options: FootbridgeOptions = {}): S {
  const shared = prepare(options);
  counted.set(serverOrFactory, shared.counters);
  if (typeof serverOrFactory !== 'function') {
    attach(serverOrFactory, shared);
    return serverOrFactory;
  }
  const factory: Factory = serverOrFactory;
  // A factory stays as prompt as it was: only one that gives a promise is waited for.
  const wrapped: Factory = (...given) => {
    const made = factory(...given);
    return 'then' in made ? made.then((server) => attach(server, shared)) : attach(made, shared);
  };
  counted.set(wrapped, shared.counters);
  return Object.assign(wrapped, serverOrFactory);
}

const counted = new WeakMap<object, ReadCounters>();

/** What was read of a server, or of all servers of a factory, by which road; as it was given to `footbridge()` or came back. */
export function countersOf(serverOrFactory: AnyServer | Factory): Counters | undefined {
  return counted.get(serverOrFactory)?.now;
}

/** A key that nobody knows may have been meant to restrict something. */
const OPTIONS: ReadonlySet<string> = new Set(['skills', 'tools', 'resources', 'timeoutMs', 'maxBytes', 'identity', 'log']);

/** What all connections have in common. */
function prepare(options: FootbridgeOptions): RelayOptions {
  const unknown = Object.keys(options).filter((key) => !OPTIONS.has(key));
  if (unknown.length > 0) throw new TypeError(`footbridge() has no option ${unknown.join(', ')}. It has: ${[...OPTIONS].join(', ')}.`);
  const { skills = [], tools = {}, resources = [], timeoutMs, maxBytes, identity, log = createLog('warn') } = options;
  checkChoice(tools);
  const limits = checkLimits({ timeoutMs, maxBytes });
  const told = new Set<string>();
  return {
    // Prompts are reached by the hosts that show them: an author's own tool of that name is not in our way.
    tools: { ...tools, get_prompt: false },
    rules: resources,
    limits,
    counters: new ReadCounters(log),
    identity,
    sources: skills.length === 0 ? [] : [skillFolders({ folders: [...skills], standardFolders: false, log })],
    guard: undefined,
    onTaken(name) {
      if (!told.has(name)) log.warn(`The server has a tool '${name}' of its own, so Footbridge adds none of that name.`);
      told.add(name);
    },
    log,
  };
}

const attached = new WeakSet<object>();

function attach<S extends AnyServer>(server: S, options: RelayOptions): S {
  const target = connectable(server);
  // A factory may give the same server again; it has our tools already.
  if (attached.has(target)) return server;
  attached.add(target);
  if ('transport' in target && target.transport !== undefined)
    options.log.warn('footbridge() came after connect(), so this connection has none of its tools. Call it before.');
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

/** The one that connects: an `McpServer` leaves it to the `Server` inside. */
function connectable(server: AnyServer): Connectable {
  const inner: unknown = 'server' in server ? server.server : undefined;
  const target: unknown = isConnectable(inner) ? inner : server;
  if (isConnectable(target)) return target;
  throw new TypeError('footbridge() takes an McpServer or a Server of the MCP SDK, or a function that makes one.');
}

function isConnectable(value: unknown): value is Connectable {
  return typeof value === 'object' && value !== null && 'connect' in value && typeof value.connect === 'function';
}
