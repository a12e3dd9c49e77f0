/**
 * An older server asks in the middle of a call; a newer host is asked by the call's result, and calls again with the answer.
 * Meanwhile the server's call is kept here, still under way.
 */
import { randomUUID } from 'node:crypto';
import { type Fields, isFields } from '../../json.js';
import { ServerError } from '../server/channel.js';
import { isInputRequest } from './eras.js';
import { type Outcome, type Pending, targetOf } from './json-rpc.js';

/** How long a person may think. */
const PATIENCE_MS = 10 * 60_000;
const MARK = 'footbridge:';
/** What a host may be asked for by a result. */
const INTERRUPTIBLE: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Whether a request can be answered with a question. */
export function isInterruptible({ method }: Pick<Pending, 'method'>): boolean {
  return INTERRUPTIBLE.has(method);
}

interface Suspension {
  readonly state: string;
  readonly pending: Pending;
  /** Questions that have no answer yet, by the key that the host knows them by. */
  readonly questions: Map<string, { readonly id: unknown; readonly method: string; readonly params: Fields | undefined }>;
  /** Gives whoever waits for the call what came of it; undefined while nobody does. */
  deliver: ((outcome: Outcome) => void) | undefined;
  /** How the call ended while nobody waited. */
  outcome: Outcome | undefined;
  timer: NodeJS.Timeout | undefined;
}

export class Suspensions {
  readonly #byState = new Map<string, Suspension>();
  readonly #byPending = new Map<Pending, Suspension>();
  readonly #send: (message: Fields) => void;
  readonly #abandon: (pending: Pending) => void;
  #count = 0;

  /** `abandon` calls off a request for which nobody has come back. */
  constructor(send: (message: Fields) => void, abandon: (pending: Pending) => void) {
    this.#send = send;
    this.#abandon = abandon;
  }

  /** Whether a request was answered with a question, and nobody has come back yet. */
  isSuspended(pending: Pending): boolean {
    const suspension = this.#byPending.get(pending);
    return suspension !== undefined && suspension.deliver === undefined;
  }

  /** Answers the host's call with the server's question; false when there is no call to do so. */
  suspend(pending: Pending | undefined, id: unknown, method: string, params: Fields | undefined): boolean {
    if (pending === undefined || !isInterruptible(pending) || !isInputRequest(method)) return false;
    const suspension = this.#byPending.get(pending) ?? this.#begin(pending);
    suspension.questions.set(`question-${++this.#count}`, { id, method, params });
    this.#interrupt(suspension);
    return true;
  }

  /** Gives the server what the host answered; undefined for a call that was not suspended here. */
  resume(method: string, { requestState: state, inputResponses: responses, ...params }: Fields, callerId: string): Pending | undefined {
    if (typeof state !== 'string' || !state.startsWith(MARK)) return undefined;
    const suspension = this.#byState.get(state);
    const isOf = ({ pending }: Suspension) =>
      pending.callerId === callerId && pending.method === method && pending.target === targetOf(params);
    if (suspension === undefined || suspension.deliver !== undefined || !isOf(suspension))
      throw new ServerError(-32602, 'Invalid or expired requestState. Call again without it.', { reason: 'invalid_request_state' });
    for (const [key, { id }] of [...suspension.questions]) {
      const response = isFields(responses) ? responses[key] : undefined;
      if (!isFields(response)) continue;
      suspension.questions.delete(key);
      this.#send({ jsonrpc: '2.0', id, result: response });
    }
    return suspension.pending;
  }

  /** Somebody waits for the call again: they get the next question, or what came of it, if that is known. */
  proceed(pending: Pending): void {
    const suspension = this.#byPending.get(pending);
    if (suspension === undefined) return;
    clearTimeout(suspension.timer);
    this.#stand(suspension);
    if (suspension.outcome !== undefined) pending.settle(suspension.outcome);
    else this.#interrupt(suspension);
  }

  /** The host does not want to know any more. */
  drop(pending: Pending): void {
    const suspension = this.#byPending.get(pending);
    if (suspension !== undefined) this.#forget(suspension);
  }

  /** The server does not want to know any more. */
  withdraw(id: unknown): void {
    for (const { questions } of this.#byState.values())
      for (const [key, question] of questions) if (question.id === id) questions.delete(key);
  }

  close(): void {
    for (const { timer } of this.#byState.values()) clearTimeout(timer);
    this.#byState.clear();
    this.#byPending.clear();
  }

  #begin(pending: Pending): Suspension {
    const state = `${MARK}${randomUUID()}`;
    const suspension: Suspension = { state, pending, questions: new Map(), deliver: undefined, outcome: undefined, timer: undefined };
    this.#byPending.set(pending, suspension);
    this.#byState.set(state, suspension);
    this.#stand(suspension);
    return suspension;
  }

  /** Stands between the call and whoever waits for it. */
  #stand(suspension: Suspension): void {
    const { pending } = suspension;
    suspension.deliver = pending.settle;
    pending.settle = (outcome) => {
      const { deliver } = suspension;
      if (deliver === undefined) {
        suspension.outcome = outcome;
        return;
      }
      this.#forget(suspension);
      deliver(outcome);
    };
  }

  #interrupt(suspension: Suspension): void {
    const { deliver, questions, state } = suspension;
    if (deliver === undefined || questions.size === 0) return;
    const inputRequests = Object.fromEntries([...questions].map(([key, { method, params }]) => [key, { method, params }]));
    suspension.deliver = undefined;
    suspension.timer = setTimeout(() => this.#giveUp(suspension), PATIENCE_MS).unref();
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
  }
}
