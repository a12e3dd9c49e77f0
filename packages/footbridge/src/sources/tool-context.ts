/** What a tool in this process knows of the call that it answers, and what it can say to the host meanwhile. */
import { randomUUID } from 'node:crypto';
import { type Fields, isFields } from '../json.js';
import { adopt, Cancellation } from './context.js';
import { type Exchange, isExchange } from './forwarding.js';
import { type Caller, InputRequired, type ReadContext } from './resource.js';

/** What came of sending a person somewhere: they went, they refused, they closed the question, or did not answer in time. */
export type VisitOutcome = 'accept' | 'decline' | 'cancel' | 'unanswered';

/** Where a person is to go. */
export interface PersonVisit {
  readonly url: string;
  /** For the person: why they should go there. */
  readonly message: string;
  /** What the tool needs to go on when the call comes again. It travels through the host: not a secret, and not to be trusted. */
  readonly state: string;
  /** Resolves when the person has done there what they were to do; the host is told. */
  readonly finished?: Promise<void>;
}

export interface ToolContext {
  readonly caller: Caller;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** Says how far it has got, where the host wants to know. */
  progress(done: number, total?: number, message?: string): void;
  /** Whether the host can send a person to an address. */
  readonly canVisit: boolean;
  /**
   * Has the host ask a person to go to an address. Hosts of the newer era answer by calling the tool again, so there this
   * throws, and `visited` is there the next time: nothing that must happen once may stand before it.
   */
  visit(visit: PersonVisit): Promise<VisitOutcome>;
  /** What came of the visit that this call was interrupted for. */
  readonly visited?: { readonly outcome: VisitOutcome; readonly state: string };
}

/** Hosts give up on a call after a minute. */
const PATIENCE_MS = 45_000;
/** Our key among the inputs that a host gives. */
const VISIT = 'visit';

/** `params`: of the call, as they came. */
export function toolContext(context: ReadContext, params: Fields): ToolContext {
  const exchange = isExchange(context.request) ? context.request : undefined;
  const meta = isFields(params['_meta']) ? params['_meta'] : {};
  const { progressToken } = meta;
  const visited = visitedBefore(exchange);
  return {
    caller: context.caller,
    get signal() {
      return context.signal;
    },
    progress(done, total, message) {
      if (progressToken === undefined) return;
      const optional = { total, message };
      exchange?.tell('notifications/progress', { progressToken, progress: done, ...optional });
    },
    canVisit: exchange !== undefined && canVisit(exchange),
    async visit(visit) {
      if (exchange === undefined || !canVisit(exchange)) throw new Error('this host cannot send a person anywhere');
      return exchange.host.era === 'modern' ? interrupt(visit) : ask(exchange, visit, context);
    },
    visited,
  };
}

function canVisit({ host }: Exchange): boolean {
  const { elicitation } = host.capabilities;
  return isFields(elicitation) && elicitation['url'] !== undefined;
}

function interrupt({ message, state, url }: PersonVisit): never {
  throw new InputRequired({
    resultType: 'input_required',
    inputRequests: { [VISIT]: { method: 'elicitation/create', params: { mode: 'url', message, url } } },
    requestState: state,
  });
}

function visitedBefore(exchange: Exchange | undefined): ToolContext['visited'] {
  const { inputResponses, requestState } = exchange?.input ?? {};
  if (!isFields(inputResponses) || typeof requestState !== 'string') return undefined;
  return { outcome: outcomeOf(inputResponses[VISIT]), state: requestState };
}

async function ask(exchange: Exchange, { finished, message, url }: PersonVisit, given: ReadContext): Promise<VisitOutcome> {
  const { context, release } = adopt(given);
  const cancellation = new Cancellation();
  const follow = () => cancellation.abort(context.cancellation.reason);
  context.cancellation.listen(follow);
  const timer = setTimeout(() => cancellation.abort(), PATIENCE_MS);
  const elicitationId = randomUUID();
  finished?.then(
    () => exchange.host.tell('notifications/elicitation/complete', { elicitationId }),
    () => {},
  );
  try {
    const params = { mode: 'url', message, url, elicitationId };
    return outcomeOf(await exchange.ask('elicitation/create', params, { cancellation, progress() {} }));
  } catch (cause) {
    if (context.cancellation.aborted) throw cause;
    // Who cannot be asked after all, or does not answer, is told the address in the result.
    return 'unanswered';
  } finally {
    clearTimeout(timer);
    context.cancellation.forget(follow);
    release();
  }
}

function outcomeOf(answer: unknown): VisitOutcome {
  const action = isFields(answer) ? answer['action'] : undefined;
  return action === 'accept' || action === 'decline' ? action : 'cancel';
}
