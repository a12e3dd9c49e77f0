/** What we ask a server of our own accord, on the connection that a host has with it. */

import { randomUUID } from 'node:crypto';
import type {
  JSONRPCMessage,
  JSONRPCRequest,
  MessageExtraInfo,
  RequestId,
  RequestMeta,
  TransportSendOptions,
} from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import { adopt, type Cancellation, Context } from '../../sources/context.js';
import type { ReadContext } from '../../sources/resource.js';
import { type Channel, ServerError } from '../../sources/server/channel.js';
import { type Answer, requestMeta } from '../messages.js';

/** The host's request that we ask something for. */
export interface HostRequest {
  readonly request: JSONRPCRequest;
  readonly extra: MessageExtraInfo | undefined;
  /** Whether the host is to hear of the progress. */
  readonly progress: boolean;
}

interface Question {
  /** The host's request: what the server sends in the course of ours belongs to it. */
  readonly hostRequest: RequestId;
  readonly cancellation: Cancellation;
  readonly cancel: () => void;
  resolve(result: Fields): void;
  reject(cause: unknown): void;
}

/** Asks with the identity, the envelope and the cancellation of the hostRequest. */
export class ServerRequests implements Channel {
  readonly #open = new Map<RequestId, Question>();
  readonly #prefix = `footbridge-${randomUUID()}-`;
  readonly #deliver: (message: JSONRPCMessage, extra: MessageExtraInfo | undefined) => void;
  #count = 0;

  constructor(deliver: (message: JSONRPCMessage, extra: MessageExtraInfo | undefined) => void) {
    this.#deliver = deliver;
  }

  request(method: string, params: Fields, context: ReadContext): Promise<Fields> {
    const hostRequest = hostRequestOf(context);
    const { cancellation } = context instanceof Context ? context : adopt(context).context;
    if (cancellation.aborted) return Promise.reject(cancellation.reason);
    const id = `${this.#prefix}${++this.#count}`;
    return new Promise<Fields>((resolve, reject) => {
      const cancel = () => {
        this.#open.delete(id);
        this.#deliver(
          { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, ...envelope(hostRequest) } },
          hostRequest.extra,
        );
        reject(cancellation.reason);
      };
      cancellation.listen(cancel);
      this.#open.set(id, { hostRequest: hostRequest.request.id, cancellation, cancel, resolve, reject });
      const forwarded = method === 'resources/read' ? inputOf(hostRequest) : {};
      this.#deliver(
        { jsonrpc: '2.0', id, method, params: { ...params, ...forwarded, ...envelope(hostRequest, method) } },
        hostRequest.extra,
      );
    });
  }

  /** Takes an answer of the server if it is to one of ours. */
  take(id: RequestId, answer: Answer): boolean {
    const question = this.#open.get(id);
    if (question === undefined) return false;
    this.#open.delete(id);
    question.cancellation.forget(question.cancel);
    if ('error' in answer) question.reject(new ServerError(answer.error.code, answer.error.message, answer.error.data));
    // A server in this process may have answered with nothing at all.
    else question.resolve(isFields(answer.result) ? answer.result : {});
    return true;
  }

  /** The options with which a message that belongs to a question goes to the host: as if to the host's own request. */
  related(options: TransportSendOptions | undefined): TransportSendOptions | undefined {
    const question = options?.relatedRequestId === undefined ? undefined : this.#open.get(options.relatedRequestId);
    return question === undefined ? options : { ...options, relatedRequestId: question.hostRequest };
  }

  close(): void {
    for (const { reject } of this.#open.values()) reject(new Error('the connection is closed'));
    this.#open.clear();
  }
}

function hostRequestOf({ request }: ReadContext): HostRequest {
  if (!isHostRequest(request)) throw new Error('a server can only be asked on the hostRequest of a request');
  return request;
}

export function isHostRequest(value: unknown): value is HostRequest {
  return typeof value === 'object' && value !== null && 'request' in value && 'extra' in value;
}

/** Who asks, in which revision. Only the read itself reports its progress. */
function envelope({ request, progress }: HostRequest, method?: string): { _meta?: RequestMeta } {
  const meta = requestMeta(request);
  if (meta === undefined) return {};
  const { progressToken, ...rest } = meta;
  return { _meta: progress && method === 'resources/read' ? meta : rest };
}

/** What the host gave when it was asked for input: it goes back to where the question came from. */
function inputOf({ request }: HostRequest): Fields {
  const { inputResponses, requestState } = request.params ?? {};
  return { inputResponses, requestState };
}
