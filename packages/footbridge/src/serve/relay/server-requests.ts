/** Requests of Footbridge to the server, on the connection of a host. */
import { randomUUID } from 'node:crypto';
import type { RequestId, RequestMeta, TransportSendOptions } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import { adopt, type Cancellation, Context, passedReason } from '../../sources/context.js';
import type { InternalReadContext } from '../../sources/resource.js';
import { type Channel, ServerError } from '../../sources/server/channel.js';
import type { InterceptedTransport } from '../intercept.js';
import { type Answer, requestMeta } from '../messages.js';
import { RelayScope } from './scope.js';
import { watchReads } from './thrown.js';

interface PendingRequest {
  /** Related messages of the server are sent to the host under this ID. */
  readonly hostRequest: RequestId;
  readonly cancellation: Cancellation;
  readonly cancel: () => void;
  /** What the server's handler threw, if that is known. */
  thrown?: unknown;
  resolve(result: Fields): void;
  reject(cause: unknown): void;
}

/** Requests have the identity, envelope and cancellation of the host request. */
export class ServerRequests implements Channel {
  readonly #open = new Map<RequestId, PendingRequest>();
  readonly #prefix = `footbridge-${randomUUID()}-`;
  readonly #deliver: InterceptedTransport['toServer'];
  readonly #watch: () => void;
  #count = 0;

  constructor(deliver: InterceptedTransport['toServer'], server: object) {
    this.#deliver = deliver;
    this.#watch = watchReads(server, (id, error) => {
      const pending = this.#open.get(id);
      if (pending !== undefined) pending.thrown = error;
    });
  }

  request(method: string, params: Fields, context: InternalReadContext): Promise<Fields> {
    const { request: scope } = context;
    if (!(scope instanceof RelayScope)) throw new Error('A request to the server needs a request of the host.');
    const { cancellation } = context instanceof Context ? context : adopt(context).context;
    if (cancellation.aborted) return Promise.reject(cancellation.reason);
    const id = `${this.#prefix}${++this.#count}`;
    return new Promise<Fields>((resolve, reject) => {
      const cancel = () => {
        this.#open.delete(id);
        const params = { requestId: id, ...passedReason(cancellation), ...envelope(scope) };
        this.#deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params }, scope.extra);
        reject(cancellation.reason);
      };
      cancellation.listen(cancel);
      this.#open.set(id, { hostRequest: scope.message.id, cancellation, cancel, resolve, reject });
      if (method === 'resources/read') this.#watch();
      this.#deliver({ jsonrpc: '2.0', id, method, params: withOwn(scope, method, params) }, scope.extra);
    });
  }

  /** Returns whether the answer belongs to a request made here. */
  take(id: RequestId, answer: Answer): boolean {
    const pending = this.#open.get(id);
    if (pending === undefined) return false;
    this.#open.delete(id);
    pending.cancellation.forget(pending.cancel);
    if ('error' in answer) pending.reject(new ServerError(answer.error.code, answer.error.message, answer.error.data, pending.thrown));
    // A server in this process may send an answer without a result.
    else pending.resolve(isFields(answer.result) ? answer.result : {});
    return true;
  }

  /** Relates a message of the server to the host request instead of the one made here. */
  related(options: TransportSendOptions | undefined): TransportSendOptions | undefined {
    const pending = options?.relatedRequestId === undefined ? undefined : this.#open.get(options.relatedRequestId);
    return pending === undefined ? options : { ...options, relatedRequestId: pending.hostRequest };
  }

  close(): void {
    for (const { reject } of this.#open.values()) reject(new Error('the connection is closed'));
    this.#open.clear();
  }
}

/** Adds the envelope of the host request, and to a read the host's input. A field that is absent there is not set. */
function withOwn(scope: RelayScope, method: string, params: Fields): Fields {
  const sent: Record<string, unknown> = { ...params };
  const { inputResponses, requestState } = scope.message.params ?? {};
  if (inputResponses !== undefined && method === 'resources/read') sent['inputResponses'] = inputResponses;
  if (requestState !== undefined && method === 'resources/read') sent['requestState'] = requestState;
  const { _meta } = envelope(scope, method);
  if (_meta !== undefined) sent['_meta'] = _meta;
  return sent;
}

/** The `_meta` of the host request; with its progress token only for the read itself. */
function envelope({ message }: RelayScope, method?: string): { _meta?: RequestMeta } {
  const meta = requestMeta(message);
  if (meta === undefined) return {};
  const { progressToken, ...rest } = meta;
  return { _meta: method === 'resources/read' && message.params?.['name'] === 'get_resource' ? meta : rest };
}
