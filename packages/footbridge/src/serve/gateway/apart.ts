/** A request that is answered apart from the transport of its session, until there is more to say than the answer. */
import type { JSONRPCMessage, TransportSendOptions } from '@modelcontextprotocol/server';
import type { Answer } from '../messages.js';

type Send = (message: JSONRPCMessage, options?: TransportSendOptions) => Promise<void>;

export class Apart {
  answer: Promise<Answer> = new Promise(() => {});
  readonly #send: Send;
  #waiting: (() => void)[] = [];
  #tellMore: () => void = () => {};
  #handedOver = false;
  #taken = false;
  /** Resolves when there is something to say before the answer. */
  readonly more = new Promise<void>((resolve) => {
    this.#tellMore = resolve;
  });

  constructor(send: Send) {
    this.#send = send;
  }

  get isHandedOver(): boolean {
    return this.#handedOver;
  }

  /** What is to be said before the answer waits until the transport has a stream for it. */
  readonly send: Send = (message, options) => {
    if (this.#taken) return this.#send(message, options);
    this.#tellMore();
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => void this.#send(message, options).then(resolve, reject));
    });
  };

  /** From now on the transport is to answer; it is given the request once more. */
  handOver(): void {
    this.#handedOver = true;
  }

  /** The transport has the request, and a stream for what belongs to it. */
  takeOver(): void {
    this.#taken = true;
    for (const send of this.#waiting.splice(0)) send();
    void this.answer.then((answer) => this.#send(answer)).catch(() => {});
  }
}
