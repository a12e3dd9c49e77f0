/** The context of a request: everything besides the message itself, and the way back to the host. */
import type { AuthInfo, JSONRPCMessage, JSONRPCRequest, MessageExtraInfo, ProtocolEra } from '@modelcontextprotocol/server';
import type { Fields } from '../../json.js';
import type { MemoryHold } from '../../memory-budget.js';
import { type Cancellation, Context } from '../../sources/context.js';
import { type Exchange, type HostPeer, type HostRequestOptions, inputIn } from '../../sources/forwarding.js';
import type { Caller } from '../../sources/resource.js';
import { notificationOf } from '../messages.js';
import type { PeerRequest } from '../sdk/peer.js';
import type { HostSession } from '../session/host-session.js';

/** Sends a message to the host. */
export type Send = (message: JSONRPCMessage) => Promise<void>;

/** Whose limits a request counts against. */
export interface Account {
  /** The same for one person, whatever roles their tokens have. May be a secret. */
  readonly id: string;
  readonly limited: boolean;
}

export interface ScopeParts {
  readonly caller: Caller;
  readonly authInfo?: AuthInfo | undefined;
  readonly account?: Account | undefined;
  readonly cancellation: Cancellation;
  readonly session: HostSession;
  /** The memory that the request holds. */
  readonly memory?: MemoryHold | undefined;
  /** Sends the host messages that belong to the request, before its answer. */
  readonly send: Send;
  readonly transport: 'stdio' | 'http';
  readonly sessionId?: string | undefined;
  /** The version that the transport negotiated. A modern request contains it. */
  readonly protocolVersion?: string | undefined;
  /** What a transport of the SDK knows about the message. */
  readonly extra?: MessageExtraInfo | undefined;
}

/** One request while it is answered. Upstreams see it as the `Exchange` that they send notifications and requests through. */
export class RequestScope implements Exchange {
  readonly message: JSONRPCRequest;
  readonly era: ProtocolEra;
  readonly parts: ScopeParts;
  #host: HostPeer | undefined;

  constructor(message: JSONRPCRequest, era: ProtocolEra, parts: ScopeParts) {
    this.message = message;
    this.era = era;
    this.parts = parts;
  }

  get caller(): Caller {
    return this.parts.caller;
  }

  get cancellation(): Cancellation {
    return this.parts.cancellation;
  }

  get session(): HostSession {
    return this.parts.session;
  }

  /** The client behind the request: from the request in 2026-07-28, else from `initialize`. */
  get host(): HostPeer {
    this.#host ??= this.session.hostOf(this.message, this.era, this.caller);
    return this.#host;
  }

  get memory(): MemoryHold | undefined {
    return this.parts.memory;
  }

  /** `clientInfo.name`, if known. */
  get clientName(): string | undefined {
    return this.session.clientName(this.message, this.era);
  }

  /** Whether the host started us, so that it runs on this machine and in our working folder. */
  get isLocal(): boolean {
    return this.parts.transport === 'stdio' && this.parts.extra?.request === undefined;
  }

  get input(): Fields {
    return inputIn(this.message.params);
  }

  get logLevel(): string | undefined {
    return this.session.logLevel;
  }

  /** For methods that the SDK answers. */
  get peer(): PeerRequest {
    return this.parts;
  }

  /** For reads and calls on behalf of the request. */
  context(): Context {
    const { params, method } = this.message;
    const { authInfo, caller, cancellation } = this.parts;
    const alone = params?.['inputResponses'] !== undefined || params?.['requestState'] !== undefined;
    const route = method === 'tools/call' ? 'tool' : 'resource';
    return new Context({ caller, authInfo, route, alone, request: this, admit: this.#admit }, cancellation);
  }

  readonly #admit = (bytes: number, isEarly?: boolean) => this.parts.memory?.takeContent(bytes, this.parts.cancellation, isEarly);

  notify(method: string, params: Fields | undefined): void {
    if (this.session.wants(method, params)) this.parts.send(notificationOf(method, params)).catch(() => {});
  }

  request(method: string, params: Fields | undefined, options?: HostRequestOptions): Promise<Fields> {
    return this.session.request(method, params, options, this.parts.send);
  }
}
