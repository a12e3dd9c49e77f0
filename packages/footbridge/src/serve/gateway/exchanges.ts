/** A host as the servers behind us see it, and its requests. */
import type { JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, TransportSendOptions } from '@modelcontextprotocol/server';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import { type Exchange, type Host, inputIn } from '../../sources/forwarding.js';
import { ServerError } from '../../sources/server/channel.js';
import { LEVELS } from '../../sources/upstream/log-levels.js';
import { metaOf } from '../messages.js';
import { Questions } from './questions.js';

type ToHost = (message: JSONRPCMessage, options?: TransportSendOptions) => Promise<void>;

/** One connection of a host. */
export class HostConnection {
  readonly #toHost: ToHost;
  readonly #questions: Questions;
  #host: Host | undefined;
  /** What it wants to have logged; all that servers say unless it said so. */
  logLevel: string | undefined;

  /** What waits until the host has said that it is ready. */
  #waiting: (() => void)[] | undefined;

  constructor(
    readonly key: string,
    toHost: ToHost,
    questions: Questions,
  ) {
    this.#toHost = toHost;
    this.#questions = questions;
  }

  /** Who connected, as far as that is known. */
  get host(): Host | undefined {
    return this.#host;
  }

  /** Takes an older host's `initialize`. */
  greet({ params }: JSONRPCRequest): Host {
    const { protocolVersion, clientInfo, capabilities } = params ?? {};
    this.#waiting ??= [];
    this.#host = this.#hostOf('legacy', typeof protocolVersion === 'string' ? protocolVersion : '', clientInfo, capabilities);
    return this.#host;
  }

  /** The host is ready to be asked and told. */
  begin(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const send of waiting) send();
  }

  /** The host of a request: of a newer one each says who it is. */
  hostOf(request: JSONRPCRequest): Host {
    const meta = metaOf(request);
    const version = meta?.[PROTOCOL_VERSION_META_KEY];
    if (typeof version !== 'string') {
      this.#host ??= this.#hostOf('legacy', '', undefined, undefined);
      return this.#host;
    }
    const host = this.#hostOf('modern', version, meta?.[CLIENT_INFO_META_KEY], meta?.[CLIENT_CAPABILITIES_META_KEY]);
    this.#host ??= host;
    return host;
  }

  /** `toHost`: how what belongs to the request gets there, if not as all else. */
  exchangeOf(request: JSONRPCRequest, toHost = this.#toHost): Exchange {
    const options = { relatedRequestId: request.id };
    return {
      host: this.hostOf(request),
      logLevel: this.logLevel,
      input: inputIn(request.params),
      tell: (method, params) => {
        if (this.#wants(method, params)) toHost(notificationOf(method, params), options).catch(() => {});
      },
      ask: (method, params, question) => this.#questions.ask(method, params, question, (message) => toHost(message, options)),
    };
  }

  #hostOf(era: Host['era'], protocolVersion: string, clientInfo: unknown, capabilities: unknown): Host {
    return {
      key: this.key,
      era,
      protocolVersion,
      clientInfo: isFields(clientInfo) ? clientInfo : UNKNOWN,
      capabilities: isFields(capabilities) ? capabilities : {},
      tell: (method, params) => {
        if (this.#wants(method, params)) this.#send(notificationOf(method, params)).catch(() => {});
      },
      ask: (method, params, question) => this.#questions.ask(method, params, question, (message) => this.#send(message)),
    };
  }

  #send(message: JSONRPCMessage): Promise<void> {
    const waiting = this.#waiting;
    if (waiting === undefined) return this.#toHost(message);
    return new Promise((resolve, reject) => {
      waiting.push(() => void this.#toHost(message).then(resolve, reject));
    });
  }

  /** Several hosts may share a server, each with a level of its own. */
  #wants(method: string, params: Fields | undefined): boolean {
    if (method !== 'notifications/message' || this.logLevel === undefined) return true;
    return LEVELS.indexOf(String(params?.['level'])) >= LEVELS.indexOf(this.logLevel);
  }
}

function notificationOf(method: string, params: Fields | undefined): JSONRPCNotification {
  return { jsonrpc: '2.0', method, params };
}

const UNKNOWN: Fields = { name: 'unknown', version: '0' };

/** The exchange of a request that has no connection: nothing can be said before its answer. */
export function looseExchange(request: JSONRPCRequest, key: string): Exchange {
  return new HostConnection(key, unheard, new Questions()).exchangeOf(request);
}

function unheard(): Promise<void> {
  return Promise.reject(new ServerError(ProtocolErrorCode.MethodNotFound, 'The host cannot be asked here.', undefined));
}
