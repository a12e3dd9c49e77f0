/**
 * An older server sends requests in the middle of a call; a newer host receives them in the result, and repeats the call with the
 * answers. Meanwhile the server's call is kept here, still pending.
 */
import { randomUUID } from 'node:crypto';
import { type Fields, isFields } from '../../json.js';
import { adopt, Cancellation } from '../context.js';
import type { Exchange } from '../forwarding.js';
import type { ReadContext } from '../resource.js';
import { ServerError } from '../server/channel.js';
import { canBeAsked, isInputRequest } from './eras.js';
import { type Pending, type RequestOutcome, targetOf } from './json-rpc.js';
import { MAX_QUESTIONS, type OpenQuestions } from './open-questions.js';

/** How long the host may take to return. */
const RETURN_TIMEOUT_MS = 10 * 60_000;
const MARK = 'footbridge:';
/** Methods whose result may be a request for input. */
const INTERRUPTIBLE: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

export function isInterruptible({ method }: Pick<Pending, 'method'>): boolean {
  return INTERRUPTIBLE.has(method);
}

/** An unanswered request of the server. */
interface Question {
  readonly id: unknown;
  readonly method: string;
  readonly params: Fields | undefined;
  /** Releases its place. */
  readonly close: () => void;
}

interface Suspension {
  readonly state: string;
  readonly pending: Pending;
  /** Unanswered requests of the server, by the key that the host sees. */
  readonly questions: Map<string, Question>;
  /** Settles the host's call; undefined while it is suspended. */
  deliver: ((outcome: RequestOutcome) => void) | undefined;
  /** How the call ended while suspended. */
  outcome: RequestOutcome | undefined;
  /** Releases the place of the outcome. */
  closeOutcome: (() => void) | undefined;
  timer: NodeJS.Timeout | undefined;
}

export class Suspensions {
  readonly #byState = new Map<string, Suspension>();
  readonly #byPending = new Map<Pending, Suspension>();
  readonly #send: (message: Fields) => void;
  readonly #abandon: (pending: Pending) => void;
  readonly #open: OpenQuestions;
  #count = 0;

  /** `abandon` cancels a call whose host did not return. */
  constructor(send: (message: Fields) => void, abandon: (pending: Pending) => void, open: OpenQuestions) {
    this.#send = send;
    this.#abandon = abandon;
    this.#open = open;
  }

  isSuspended(pending: Pending): boolean {
    const suspension = this.#byPending.get(pending);
    return suspension !== undefined && suspension.deliver === undefined;
  }

  /** Answers the host's call with the server's request; false where that is not possible. */
  suspend(pending: Pending | undefined, question: Question): boolean {
    if (pending === undefined || !isInterruptible(pending) || !isInputRequest(question.method)) return false;
    const suspension = this.#byPending.get(pending) ?? this.#begin(pending);
    suspension.questions.set(`question-${++this.#count}`, question);
    this.#interrupt(suspension);
    return true;
  }

  /** Passes the host's answers to the server; undefined for a call that was not suspended. */
  resume(method: string, { requestState: state, inputResponses: responses, ...params }: Fields, callerId: string): Pending | undefined {
    if (typeof state !== 'string' || !state.startsWith(MARK)) return undefined;
    const suspension = this.#byState.get(state);
    const isOf = ({ pending }: Suspension) =>
      pending.callerId === callerId && pending.method === method && pending.target === targetOf(params);
    if (suspension === undefined || suspension.deliver !== undefined || !isOf(suspension))
      throw new ServerError(-32602, 'Invalid or expired requestState. Call again without it.', { reason: 'invalid_request_state' });
    for (const [key, { id, close }] of [...suspension.questions]) {
      const response = isFields(responses) ? responses[key] : undefined;
      if (!isFields(response)) continue;
      suspension.questions.delete(key);
      close();
      this.#send({ jsonrpc: '2.0', id, result: response });
    }
    return suspension.pending;
  }

  /** The host waits again: it gets the next request, or the outcome if that is known. */
  proceed(pending: Pending): void {
    const suspension = this.#byPending.get(pending);
    if (suspension === undefined) return;
    clearTimeout(suspension.timer);
    this.#stand(suspension);
    if (suspension.outcome !== undefined) pending.settle(suspension.outcome);
    else this.#interrupt(suspension);
  }

  /** Makes room by abandoning the call that has waited longest for its host; false if no call waits. */
  giveUpOldest(): boolean {
    for (const suspension of this.#byState.values()) {
      if (suspension.deliver !== undefined) continue;
      this.#giveUp(suspension);
      return true;
    }
    return false;
  }

  /** The host cancelled the call. */
  drop(pending: Pending): void {
    const suspension = this.#byPending.get(pending);
    if (suspension !== undefined) this.#forget(suspension);
  }

  /** The server cancelled its request. */
  withdraw(id: unknown): void {
    for (const { questions } of this.#byState.values())
      for (const [key, question] of questions) {
        if (question.id !== id) continue;
        questions.delete(key);
        question.close();
      }
  }

  close(): void {
    for (const { timer } of this.#byState.values()) clearTimeout(timer);
    this.#byState.clear();
    this.#byPending.clear();
  }

  #begin(pending: Pending): Suspension {
    if (this.#byState.size >= MAX_QUESTIONS) this.giveUpOldest();
    const state = `${MARK}${randomUUID()}`;
    const suspension: Suspension = {
      state,
      pending,
      questions: new Map(),
      deliver: undefined,
      outcome: undefined,
      closeOutcome: undefined,
      timer: undefined,
    };
    this.#byPending.set(pending, suspension);
    this.#byState.set(state, suspension);
    this.#stand(suspension);
    return suspension;
  }

  /** Intercepts the outcome of the call. */
  #stand(suspension: Suspension): void {
    const { pending } = suspension;
    suspension.deliver = pending.settle;
    pending.settle = (outcome) => {
      const { deliver } = suspension;
      if (deliver === undefined) {
        this.#keep(suspension, outcome);
        return;
      }
      this.#forget(suspension);
      deliver(outcome);
    };
  }

  /** Keeps the outcome until the host returns. */
  #keep(suspension: Suspension, outcome: RequestOutcome): void {
    suspension.closeOutcome = this.#open.keep('result' in outcome ? outcome.result : undefined);
    suspension.outcome = suspension.closeOutcome === undefined ? { error: dropped() } : outcome;
  }

  #interrupt(suspension: Suspension): void {
    const { deliver, questions, state } = suspension;
    if (deliver === undefined || questions.size === 0) return;
    const inputRequests = Object.fromEntries([...questions].map(([key, { method, params }]) => [key, { method, params }]));
    suspension.deliver = undefined;
    suspension.timer = setTimeout(() => this.#giveUp(suspension), RETURN_TIMEOUT_MS).unref();
    deliver({ result: { resultType: 'input_required', inputRequests, requestState: state } });
  }

  #giveUp(suspension: Suspension): void {
    this.#forget(suspension);
    for (const { id } of suspension.questions.values())
      this.#send({ jsonrpc: '2.0', id, error: { code: -32603, message: 'The host did not answer in time.' } });
    this.#abandon(suspension.pending);
  }

  #forget(suspension: Suspension): void {
    clearTimeout(suspension.timer);
    this.#byState.delete(suspension.state);
    this.#byPending.delete(suspension.pending);
    suspension.closeOutcome?.();
    for (const { close } of suspension.questions.values()) close();
  }
}

function dropped(): ServerError {
  return new ServerError(-32000, 'The result was dropped: too many results wait for the host to return. Call again.', undefined);
}

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
    if (entries.length > MAX_QUESTIONS)
      throw new ServerError(-32603, `The server requested more than ${MAX_QUESTIONS} inputs at once.`, undefined);
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
