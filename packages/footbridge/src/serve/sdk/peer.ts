/** The SDK's server behind the dispatcher: connects it to a transport of its own, and returns its answers as promises. */
import {
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type MessageExtraInfo,
  type RequestId,
  SUBSCRIPTION_ID_META_KEY,
  type Transport,
} from '@modelcontextprotocol/server';
import { isFields } from '../../json.js';
import type { Cancellation } from '../../sources/context.js';
import type { Send } from '../dispatch/scope.js';
import { type Answer, isAnswer, isNotification, notificationOf, requestMeta } from '../messages.js';

interface Pending {
  readonly id: RequestId;
  readonly send: Send;
  resolve(answer: Answer): void;
}

/** The parts of a request's scope that the SDK needs. */
export interface PeerRequest {
  readonly cancellation: Cancellation;
  /** For notifications of a subscription that the request opened. */
  readonly send: Send;
  readonly extra?: MessageExtraInfo | undefined;
}

export class SdkPeer {
  /** Many hosts may share a peer, so requests get ids of our own. */
  readonly #pending = new Map<RequestId, Pending>();
  readonly #channel: Transport;
  readonly #notify: Send;
  #count = 0;

  /** `serve` connects a server of the SDK to the transport it is given; `notify` gets notifications that belong to no request. */
  constructor(serve: (channel: Transport) => unknown, notify: Send, setProtocolVersion: (version: string) => void = () => {}) {
    this.#notify = notify;
    this.#channel = {
      start: async () => {},
      send: (message) => this.#receive(message),
      close: async () => this.#channel.onclose?.(),
      setProtocolVersion,
    };
    serve(this.#channel);
  }

  /** Rejects when the request is cancelled. */
  request(request: JSONRPCRequest, { cancellation, extra, send }: PeerRequest): Promise<Answer> {
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.#pending.delete(id);
        this.notify(notificationOf('notifications/cancelled', { requestId: id, ...envelopeIn(request) }));
        reject(cancellation.reason);
      };
      cancellation.listen(cancel);
      const settle = (answer: Answer) => {
        cancellation.forget(cancel);
        resolve(answer);
      };
      this.#pending.set(id, { id: request.id, send, resolve: settle });
      this.#channel.onmessage?.({ ...request, id }, extra);
    });
  }

  notify(notification: JSONRPCNotification, extra?: MessageExtraInfo): void {
    this.#channel.onmessage?.(notification, extra);
  }

  /** Ends the server of the SDK after its connection. */
  closed(): void {
    this.#channel.onclose?.();
  }

  async #receive(message: JSONRPCMessage): Promise<void> {
    if (isAnswer(message)) {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      pending?.resolve(withSubscription({ ...message, id: pending.id }, pending.id));
    } else if (isNotification(message)) {
      const subscription = requestMeta(message)?.[SUBSCRIPTION_ID_META_KEY];
      if (subscription === undefined) return this.#notify(message);
      const pending = typeof subscription === 'number' ? this.#pending.get(subscription) : undefined;
      await pending?.send({ ...message, params: stamped(message.params, pending.id) });
    }
  }
}

/** A subscription is named after the request that opened it. */
function withSubscription(answer: Answer, id: RequestId): Answer {
  if ('error' in answer || !isFields(answer.result['_meta']) || answer.result['_meta'][SUBSCRIPTION_ID_META_KEY] === undefined)
    return answer;
  return { ...answer, result: stamped(answer.result, id) };
}

function stamped<T extends Record<string, unknown>>(fields: T | undefined, id: RequestId): T & { _meta: Record<string, unknown> } {
  const meta = isFields(fields?.['_meta']) ? fields['_meta'] : {};
  return { ...(fields as T), _meta: { ...meta, [SUBSCRIPTION_ID_META_KEY]: id } };
}

function envelopeIn(request: JSONRPCRequest): { _meta?: Record<string, unknown> } {
  const meta = requestMeta(request);
  return meta === undefined ? {} : { _meta: { ...meta } };
}
