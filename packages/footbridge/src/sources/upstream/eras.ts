/** What differs between the protocol's two eras in a request and its result. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUBSCRIPTION_ID_META_KEY,
} from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';

/** The revision without `initialize`. */
export const MODERN = '2026-07-28';

/** Who asks, as each request of the newer era says. */
export interface Envelope {
  readonly clientInfo: Fields;
  readonly capabilities: Fields;
  readonly logLevel?: string | undefined;
}

export function metaOf(params: Fields): Fields | undefined {
  const meta = params['_meta'];
  return isFields(meta) ? meta : undefined;
}

/** Parameters as the newer era has them; those that are so already stay as they are. */
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

/** Parameters as the older era has them: without what the newer one says in each. */
export function toLegacy(params: Fields): Fields {
  const meta = metaOf(params);
  if (meta?.[PROTOCOL_VERSION_META_KEY] === undefined) return params;
  const {
    [PROTOCOL_VERSION_META_KEY]: _version,
    [CLIENT_INFO_META_KEY]: _info,
    [CLIENT_CAPABILITIES_META_KEY]: _capabilities,
    [LOG_LEVEL_META_KEY]: _level,
    ...rest
  } = meta;
  const { _meta, ...others } = params;
  return Object.keys(rest).length === 0 ? others : { ...others, _meta: rest };
}

/** The log level that a request of the newer era asks for. */
export function logLevelOf(params: Fields): string | undefined {
  const level = metaOf(params)?.[LOG_LEVEL_META_KEY];
  return typeof level === 'string' ? level : undefined;
}

/** Methods whose results say how long they may be kept. */
const CACHEABLE: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'server/discover',
]);

/** An older server's result as the newer era has it. */
export function asModernResult(method: string, result: Fields): Fields {
  if (result['resultType'] !== undefined) return result;
  return CACHEABLE.has(method)
    ? { ttlMs: 0, cacheScope: 'private', ...result, resultType: 'complete' }
    : { ...result, resultType: 'complete' };
}

/** A newer server's result as the older era has it. */
export function asLegacyResult(result: Fields): Fields {
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...rest } = result;
  return withoutMeta(rest, SERVER_INFO_META_KEY);
}

function withoutMeta(fields: Fields, key: string): Fields {
  const meta = metaOf(fields);
  if (meta?.[key] === undefined) return fields;
  const { [key]: _, ...rest } = meta;
  const { _meta, ...others } = fields;
  return Object.keys(rest).length === 0 ? others : { ...others, _meta: rest };
}

/** A notification's parameters without the subscription that it came by. */
export function withoutSubscription(params: Fields): Fields {
  return withoutMeta(params, SUBSCRIPTION_ID_META_KEY);
}

/** Which capability of a host a question of a server's needs; undefined for what is not known. */
const NEEDED: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
};

/** Whether a host can be asked this: what is not known it may know. */
export function canBeAsked(capabilities: Fields, method: string): boolean {
  const needed = Object.hasOwn(NEEDED, method) ? NEEDED[method] : undefined;
  return needed === undefined || capabilities[needed] !== undefined;
}

/** The questions that the newer era carries inside a result. */
export function isInputRequest(method: string): boolean {
  return Object.hasOwn(NEEDED, method);
}
