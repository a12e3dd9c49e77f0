/** Requests of upstreams to the host, under ids of our own. */
import type { RequestId } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import type { HostRequestOptions } from '../../sources/forwarding.js';
import { ServerError } from '../../sources/server/channel.js';
import type { Send } from '../dispatch/scope.js';
import type { Answer } from '../messages.js';

interface Pending {
  progress(params: Fields): void;
  settle(): void;
  resolve(result: Fields): void;
  reject(cause: unknown): void;
}

export class HostRequests {
  readonly #pending = new Map<RequestId, Pending>();
  #count = 0;

  /** Resolves with the host's result; rejects with a `ServerError` when it answers with an error. */
  send(method: string, params: Fields | undefined, question: HostRequestOptions | undefined, send: Send): Promise<Fields> {
    const cancellation = question?.cancellation;
    const id = `footbridge-${++this.#count}`;
    const meta = isFields(params?.['_meta']) ? params['_meta'] : undefined;
    const progressToken = meta?.['progressToken'];
    // Two upstreams may use the same token.
    const sent = progressToken === undefined ? params : { ...params, _meta: { ...meta, progressToken: id } };
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.#pending.delete(id);
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }).catch(() => {});
        reject(cancellation?.reason);
      };
      const settle = () => {
        this.#pending.delete(id);
        cancellation?.forget(cancel);
      };
      cancellation?.listen(cancel);
      const progress = (update: Fields) => question?.progress({ ...update, progressToken });
      this.#pending.set(id, { progress, settle, resolve, reject });
      send({ jsonrpc: '2.0', id, method, params: sent }).catch((cause: unknown) => {
        settle();
        reject(cause);
      });
    });
  }

  /** Settles the request that an answer of the host belongs to. False when it belongs to no request. */
  settle(answer: Answer): boolean {
    const pending = this.#pending.get(answer.id);
    if (pending === undefined) return false;
    pending.settle();
    if ('error' in answer) pending.reject(new ServerError(answer.error.code, answer.error.message, answer.error.data));
    else pending.resolve(isFields(answer.result) ? answer.result : {});
    return true;
  }

  /** Forwards a progress notification of the host to the upstream that waits. */
  progress(params: Fields): void {
    const token = params['progressToken'];
    if (typeof token === 'string') this.#pending.get(token)?.progress(params);
  }

  close(): void {
    for (const { reject } of this.#pending.values()) reject(new Error('the connection is closed'));
    this.#pending.clear();
  }
}
