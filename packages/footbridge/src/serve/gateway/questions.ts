/** What servers behind us ask a host, under ids of our own. */
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import type { Question } from '../../sources/forwarding.js';
import { ServerError } from '../../sources/server/channel.js';
import type { Answer } from '../messages.js';

interface Open {
  progress(params: Fields): void;
  settle(): void;
  resolve(result: Fields): void;
  reject(cause: unknown): void;
}

type Send = (message: JSONRPCMessage) => Promise<void>;

export class Questions {
  readonly #open = new Map<RequestId, Open>();
  #count = 0;

  /** Resolves with the host's answer; rejects with a `ServerError` when it refuses. */
  ask(method: string, params: Fields | undefined, question: Question | undefined, send: Send): Promise<Fields> {
    const cancellation = question?.cancellation;
    const id = `footbridge-${++this.#count}`;
    const meta = isFields(params?.['_meta']) ? params['_meta'] : undefined;
    const progressToken = meta?.['progressToken'];
    // Several servers may use one token each.
    const sent = progressToken === undefined ? params : { ...params, _meta: { ...meta, progressToken: id } };
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.#open.delete(id);
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }).catch(() => {});
        reject(cancellation?.reason);
      };
      const settle = () => {
        this.#open.delete(id);
        cancellation?.forget(cancel);
      };
      cancellation?.listen(cancel);
      const progress = (told: Fields) => question?.progress({ ...told, progressToken });
      this.#open.set(id, { progress, settle, resolve, reject });
      send({ jsonrpc: '2.0', id, method, params: sent }).catch((cause: unknown) => {
        settle();
        reject(cause);
      });
    });
  }

  /** Takes the host's answer, if it is to one of these. */
  take(id: RequestId, answer: Answer): boolean {
    const open = this.#open.get(id);
    if (open === undefined) return false;
    open.settle();
    if ('error' in answer) open.reject(new ServerError(answer.error.code, answer.error.message, answer.error.data));
    else open.resolve(isFields(answer.result) ? answer.result : {});
    return true;
  }

  /** Tells the server that asked how far the host has got. */
  progress(params: Fields): void {
    const token = params['progressToken'];
    if (typeof token === 'string') this.#open.get(token)?.progress(params);
  }

  close(): void {
    for (const { reject } of this.#open.values()) reject(new Error('the connection is closed'));
    this.#open.clear();
  }
}
