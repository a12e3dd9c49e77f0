/** The host's side of a call that our own server answers, for tools that tell and ask in the course of it. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LATEST_PROTOCOL_VERSION,
  PROTOCOL_VERSION_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import { type Fields, isFields } from '../json.js';
import { type Exchange, inputIn, type Question } from '../sources/forwarding.js';

const Anything = z.looseObject({});

/** An exchange, and the way to know that all is on its way that was told in the course of it. */
export interface OwnExchange {
  readonly exchange: Exchange;
  told(): Promise<unknown>;
}

/** `key`: what requests have in common that come from one host. */
export function ownExchange({ mcpReq }: ServerContext, server: Server, key: string): OwnExchange {
  const { inputResponses } = mcpReq;
  const envelope: Fields | undefined = mcpReq.envelope;
  const requestState = mcpReq.requestState();
  const clientInfo = envelope === undefined ? server.getClientVersion() : envelope[CLIENT_INFO_META_KEY];
  const capabilities = envelope === undefined ? server.getClientCapabilities() : envelope[CLIENT_CAPABILITIES_META_KEY];
  const version = envelope === undefined ? LATEST_PROTOCOL_VERSION : envelope[PROTOCOL_VERSION_META_KEY];
  const ask = (method: string, params: Fields | undefined, question: Question | undefined): Promise<Fields> => {
    const signal = question === undefined ? {} : { signal: question.cancellation.signal };
    return mcpReq.send({ method, params }, Anything, signal);
  };
  // One after the other, and whoever closed the connection hears nothing any more.
  let telling: Promise<unknown> = Promise.resolve();
  const exchange: Exchange = {
    host: {
      key,
      era: envelope === undefined ? 'legacy' : 'modern',
      protocolVersion: String(version),
      clientInfo: isFields(clientInfo) ? clientInfo : {},
      capabilities: isFields(capabilities) ? capabilities : {},
      tell: (method, params) => void server.notification(messageOf(method, params)).catch(() => {}),
      ask,
    },
    input: inputIn({ inputResponses, requestState }),
    logLevel: undefined,
    tell(method, params) {
      telling = telling.then(() => mcpReq.notify(messageOf(method, params))).catch(() => {});
    },
    ask,
  };
  return { exchange, told: () => telling };
}

function messageOf(method: string, params: Fields | undefined): { method: string; params?: Record<string, unknown> } {
  return { method, ...(params === undefined ? {} : { params: { ...params } }) };
}
