/**
 * Calls of our own tools by a host of the older era, answered without the SDK in between, which takes longer than most of them
 * do. Whatever is not exactly that goes to the SDK, so this decides nothing but speed.
 */
import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageExtraInfo,
  ProtocolError,
  type RequestId,
  type TransportSendOptions,
} from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/catalog.js';
import { isFields } from '../json.js';
import { Cancellation, Context } from '../sources/context.js';
import type { Caller } from '../sources/resource.js';
import { isOwnTool } from '../surfaces/tools/index.js';
import type { Answers } from './answers.js';
import type { Between, Wire } from './intercept.js';
import { isModern, isNotification, isRequest, toldOf } from './messages.js';

export interface ShortcutOptions {
  readonly catalog: Catalog;
  readonly answers: Answers;
  readonly caller: Caller;
  /** Told of what is nobody's mistake but ours. */
  unexpected(cause: unknown): void;
}

export class Shortcut implements Between {
  readonly #wire: Wire;
  readonly #options: ShortcutOptions;
  /** The request that opens a connection of the older era, and whether it was answered. */
  #opening: RequestId | undefined;
  #isOpen = false;
  readonly #calls = new Map<RequestId, Cancellation>();

  constructor(wire: Wire, options: ShortcutOptions) {
    this.#wire = wire;
    this.#options = options;
  }

  fromHost(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    if (isRequest(message)) {
      if (this.#isShort(message)) {
        void this.#answer(message);
        return;
      }
      if (message.method === 'initialize') this.#opening = message.id;
    } else if (isNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.['requestId'];
      const call = typeof id === 'string' || typeof id === 'number' ? this.#calls.get(id) : undefined;
      if (call !== undefined) {
        call.abort();
        return;
      }
    }
    this.#wire.toServer(message, extra);
  }

  fromServer(message: JSONRPCMessage, options: TransportSendOptions | undefined): Promise<void> {
    if (!this.#isOpen && 'result' in message && message.id === this.#opening) this.#isOpen = true;
    return this.#wire.toHost(message, options);
  }

  close(): void {
    for (const call of this.#calls.values()) call.abort();
  }

  #isShort(message: JSONRPCRequest): boolean {
    if (message.method !== 'tools/call' || !this.#isOpen || this.#calls.has(message.id) || isModern(message)) return false;
    const name = isFields(message.params) ? message.params['name'] : undefined;
    return typeof name === 'string' && isOwnTool(name) && this.#options.catalog.snapshot.findTool(name) === undefined;
  }

  async #answer({ id, params }: JSONRPCRequest): Promise<void> {
    const { answers, caller, unexpected } = this.#options;
    const cancellation = new Cancellation();
    this.#calls.set(id, cancellation);
    let answer: JSONRPCMessage;
    try {
      const result = await answers.callTool(params, new Context({ caller, route: 'tool' }, cancellation));
      answer = { jsonrpc: '2.0', id, result };
    } catch (error) {
      if (!(error instanceof ProtocolError || cancellation.aborted)) unexpected(error);
      answer = { jsonrpc: '2.0', id, error: toldOf(error) };
    }
    this.#calls.delete(id);
    // Whoever called it off does not wait for an answer.
    if (!cancellation.aborted) await this.#wire.toHost(answer).catch(() => {});
  }
}
