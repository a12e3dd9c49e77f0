/** The differences between the protocol eras in requests and results. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUBSCRIPTION_ID_META_KEY,
} from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import { ServerError } from '../server/channel.js';

/** The first protocol version without `initialize`. */
export const MODERN = '2026-07-28';

/** Log levels, from the least severe. */
export const LEVELS: readonly string[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** The client info that each modern request carries. */
export interface Envelope {
  readonly clientInfo: Fields;
  readonly capabilities: Fields;
  readonly logLevel?: string | undefined;
}

export function metaOf(params: Fields): Fields | undefined {
  const meta = params['_meta'];
  return isFields(meta) ? meta : undefined;
}

/** Adds the modern era's `_meta`, unless it is there already. */
export function toModern(params: Fields, { clientInfo, capabilities, logLevel }: Envelope): Fields {
  const meta = metaOf(params);
  if (meta?.[PROTOCOL_VERSION_META_KEY] !== undefined) return params;
  return {
    ...params,
    _meta: {
      ...meta,
      [PROTOCOL_VERSION_META_KEY]: MODERN,
      [CLIENT_INFO_META_KEY]: clientInfo,
      [CLIENT_CAPABILITIES_META_KEY]: capabilities,
      ...(logLevel === undefined ? {} : { [LOG_LEVEL_META_KEY]: logLevel }),
    },
  };
}

/** Removes the modern era's `_meta`. */
export function toLegacy(params: Fields): Fields {
  if (metaOf(params)?.[PROTOCOL_VERSION_META_KEY] === undefined) return params;
  return withoutMeta(params, PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY, LOG_LEVEL_META_KEY);
}

/** The log level of a modern request. */
export function logLevelOf(params: Fields): string | undefined {
  const level = metaOf(params)?.[LOG_LEVEL_META_KEY];
  return typeof level === 'string' ? level : undefined;
}

/** Methods whose results carry caching hints. */
export const CACHEABLE_METHODS: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'server/discover',
]);

/** Converts the result of a legacy server. */
export function asModernResult(method: string, result: Fields): Fields {
  if (result['resultType'] !== undefined) return result;
  return CACHEABLE_METHODS.has(method)
    ? { ttlMs: 0, cacheScope: 'private', ...result, resultType: 'complete' }
    : { ...result, resultType: 'complete' };
}

/** "Resource not found" of the legacy era; the modern era has invalid params instead. */
const LEGACY_NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;

/** Converts the error of a legacy server. */
export function asModernError(method: string, cause: unknown): unknown {
  if (!(cause instanceof ServerError) || cause.code !== LEGACY_NOT_FOUND || !method.startsWith('resources/')) return cause;
  return new ServerError(INVALID_PARAMS, cause.message, cause.data);
}

/** Converts the result of a modern server. */
export function asLegacyResult(result: Fields): Fields {
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...rest } = result;
  return withoutMeta(rest, SERVER_INFO_META_KEY);
}

function withoutMeta(fields: Fields, ...keys: readonly string[]): Fields {
  const meta = metaOf(fields);
  if (meta === undefined || !keys.some((key) => meta[key] !== undefined)) return fields;
  const rest = Object.entries(meta).filter(([key]) => !keys.includes(key));
  const { _meta, ...others } = fields;
  return rest.length === 0 ? others : { ...others, _meta: Object.fromEntries(rest) };
}

/** Removes the subscription id. */
export function withoutSubscription(params: Fields): Fields {
  return withoutMeta(params, SUBSCRIPTION_ID_META_KEY);
}

/** The host capability that a request of a server needs. */
const NEEDED: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
};

/** Whether a host supports a request; unknown methods are passed on. */
export function canBeAsked(capabilities: Fields, method: string): boolean {
  const needed = Object.hasOwn(NEEDED, method) ? NEEDED[method] : undefined;
  return needed === undefined || capabilities[needed] !== undefined;
}

/** Requests that the modern era carries inside a result. */
export function isInputRequest(method: string): boolean {
  return Object.hasOwn(NEEDED, method);
}
