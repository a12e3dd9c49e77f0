/** For authors of packs: the module that a package exports by default is made here. It loads next to nothing. */
import type { PackDefinition } from './serve/packs/pack.js';

export { type ErrorCode, FootbridgeError, type FootbridgeErrorOptions, systemCode } from './errors.js';
export { parseJson } from './json.js';
export type { Log } from './log.js';
export { networkProblem, outgoingAgent, proxyFor } from './outgoing/agent.js';
export { BodyTooLongError, outgoingFetch } from './outgoing/fetch.js';
export { isInternalAddress } from './outgoing/internal-addresses.js';
export { encodingsOf } from './secrets/encodings.js';
export type { Pack, PackAnswer, PackDefinition, PackHost, PackRequest, PackRoute, RouteAddress } from './serve/packs/pack.js';
export { defineResource } from './sources/define/definition.js';
export { defineTool, type ToolDefinition } from './sources/define/tool.js';
export type { Caller, ReadContext } from './sources/resource.js';
export type { ToolContext, UrlOutcome, UrlRequest } from './sources/tool-context.js';

/** Writes a pack down; the type of its options comes from their schema. */
export function definePack<Options>(definition: PackDefinition<Options>): PackDefinition<Options> {
  return definition;
}
