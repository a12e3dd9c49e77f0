/** Converts requests for input between the protocol eras. */
import { randomUUID } from 'node:crypto';
import { type Fields, isFields } from '../../json.js';
import { adopt, Cancellation } from '../context.js';
import type { Exchange } from '../forwarding.js';
import type { ReadContext } from '../resource.js';
import { ServerError } from '../server/channel.js';
import { canBeAsked } from './eras.js';

/** Sends all requests for input to a legacy host at once. When one fails or the call is cancelled, the others are cancelled. */
export async function askAll(inputRequests: Fields, exchange: Exchange | undefined, given: ReadContext): Promise<Fields> {
  const { context, release } = adopt(given);
  const { cancellation: outer } = context;
  const cancellation = new Cancellation();
  const follow = () => cancellation.abort(outer.reason);
  if (outer.aborted) throw outer.reason;
  outer.listen(follow);
  try {
    const entries = Object.entries(inputRequests);
    const answers = await Promise.all(entries.map(async ([key, question]) => [key, await ask(question, exchange, cancellation)] as const));
    return Object.fromEntries(answers);
  } catch (cause) {
    cancellation.abort();
    throw cause;
  } finally {
    outer.forget(follow);
    release();
  }
}

async function ask(question: unknown, exchange: Exchange | undefined, cancellation: Cancellation): Promise<Fields> {
  const method = isFields(question) ? question['method'] : undefined;
  if (!isFields(question) || typeof method !== 'string' || exchange === undefined)
    throw new ServerError(-32603, 'The server requested input that no host can provide.', undefined);
  if (!canBeAsked(exchange.host.capabilities, method))
    throw new ServerError(-32603, `The server needs ${method}, which the host does not support.`, undefined);
  const params = isFields(question['params']) ? question['params'] : undefined;
  // The legacy era requires an id for each URL.
  const named = params?.['mode'] === 'url' && params['elicitationId'] === undefined ? { ...params, elicitationId: randomUUID() } : params;
  return exchange.request(method, named, { cancellation, progress: () => {} });
}

const URL_ELICITATION_REQUIRED = -32042;

/** Converts the legacy error that the user has to visit URLs first. */
export function urlsRequired(cause: unknown): Fields | undefined {
  if (!(cause instanceof ServerError) || cause.code !== URL_ELICITATION_REQUIRED || !isFields(cause.data)) return undefined;
  const { elicitations } = cause.data;
  if (!Array.isArray(elicitations)) return undefined;
  const requests = elicitations.filter(isFields).map((params, index) => [`visit-${index + 1}`, { method: 'elicitation/create', params }]);
  return requests.length === 0 ? undefined : { resultType: 'input_required', inputRequests: Object.fromEntries(requests) };
}
