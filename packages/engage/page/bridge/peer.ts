/** JSON-RPC with the parent window. */
import { type Fields, isFields, textIn } from '../../../footbridge/page/json.js';
import { PageFailure } from '../workflow/failure.js';
import type { CallOptions } from './bridge.js';
import { progressOf } from './outcome.js';

export interface Peer {
  request(method: string, params: Fields, options?: CallOptions): Promise<Fields>;
  notify(method: string, params?: Fields): void;
}

interface Waiting {
  readonly settle: (message: Fields) => void;
  readonly onProgress: CallOptions['onProgress'];
}

/** `hear` gets every notification. All requests, such as ping or teardown, get an empty result. */
export function createPeer(other: Window, hear: (method: string, params: Fields) => void): Peer {
  const waiting = new Map<unknown, Waiting>();
  let last = 0;
  // The origin of the host is unknown; its window identifies it.
  const send = (message: Fields) => other.postMessage({ jsonrpc: '2.0', ...message }, '*');

  window.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    if (source !== other || !isFields(data) || data['jsonrpc'] !== '2.0') return;
    const { id, method } = data;
    const params = isFields(data['params']) ? data['params'] : {};
    if (typeof method !== 'string') waiting.get(id)?.settle(data);
    else if (id !== undefined) send({ id, result: {} });
    else if (method === 'notifications/progress') waiting.get(params['progressToken'])?.onProgress?.(progressOf(params));
    else hear(method, params);
  });

  return {
    notify: (method, params = {}) => send({ method, params }),
    request: (method, params, { onProgress, signal } = {}) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        const abort = () => {
          waiting.delete(id);
          send({ method: 'notifications/cancelled', params: { requestId: id } });
          reject(new DOMException('The call was aborted.', 'AbortError'));
        };
        const settle = ({ result, error }: Fields) => {
          waiting.delete(id);
          signal?.removeEventListener('abort', abort);
          if (isFields(result)) resolve(result);
          else
            reject(
              new PageFailure(
                'refused',
                (isFields(error) ? textIn(error, 'message') : undefined) ?? 'The host rejected the call.',
                'Try again.',
              ),
            );
        };
        waiting.set(id, { settle, onProgress });
        signal?.addEventListener('abort', abort, { once: true });
        send({ id, method, params: onProgress === undefined ? params : { ...params, _meta: { progressToken: id } } });
      }),
  };
}
