/** The context of a tool call: the caller, cancellation, progress and URL elicitation. */
import { randomUUID } from 'node:crypto';
import { type Fields, isFields } from '../json.js';
import { adopt, Cancellation } from './context.js';
import { type Exchange, isExchange } from './forwarding.js';
import { type Caller, InputRequired, type InternalReadContext, type ReadContext } from './resource.js';

/** The result of a URL elicitation; `unanswered` after a timeout or a failure. */
export type UrlOutcome = 'accept' | 'decline' | 'cancel' | 'unanswered';

/** A URL elicitation: a page that the user has to open. */
export interface UrlRequest {
  readonly url: string;
  /** Explains to the user why. */
  readonly message: string;
  /** Returned in `elicited` when the host repeats the call. It passes through the host, so it is neither secret nor trustworthy. */
  readonly state: string;
  /** Resolves when the user has finished on that page; the host is then notified. */
  readonly finished?: Promise<void>;
}

export interface ToolContext {
  readonly caller: Caller;
  /** Aborted when the call is cancelled. */
  readonly signal: AbortSignal;
  /** Sends a progress notification if the host asked for progress. */
  progress(done: number, total?: number, message?: string): void;
  /** Whether the host supports URL elicitation. */
  readonly canElicitUrl: boolean;
  /**
   * Asks the user to open a URL. A host of 2026-07-28 answers by repeating the call: there this throws, and the repeated call has
   * `elicited`. Code before it may therefore run twice.
   */
  elicitUrl(request: UrlRequest): Promise<UrlOutcome>;
  /** The result of the elicitation that interrupted the first call. */
  readonly elicited?: { readonly outcome: UrlOutcome; readonly state: string };
}

/** Below the minute after which hosts cancel a call. */
const ELICITATION_TIMEOUT_MS = 45_000;
/** The key in `inputRequests` and `inputResponses`. */
const INPUT_KEY = 'visit';

/** `params` are those of the call, unchanged. */
export function toolContext(context: InternalReadContext, params: Fields): ToolContext {
  const exchange = isExchange(context.request) ? context.request : undefined;
  const meta = isFields(params['_meta']) ? params['_meta'] : {};
  const { progressToken } = meta;
  const elicited = earlierElicitation(exchange);
  return {
    caller: context.caller,
    get signal() {
      return context.signal;
    },
    progress(done, total, message) {
      if (progressToken === undefined) return;
      const optional = { total, message };
      exchange?.notify('notifications/progress', { progressToken, progress: done, ...optional });
    },
    canElicitUrl: exchange !== undefined && supportsUrls(exchange),
    async elicitUrl(request) {
      if (exchange === undefined || !supportsUrls(exchange)) throw new Error('the host does not support URL elicitation');
      return exchange.host.era === 'modern' ? interrupt(request) : ask(exchange, request, context);
    },
    elicited,
  };
}

function supportsUrls({ host }: Exchange): boolean {
  const { elicitation } = host.capabilities;
  return isFields(elicitation) && elicitation['url'] !== undefined;
}

function interrupt({ message, state, url }: UrlRequest): never {
  throw new InputRequired({
    resultType: 'input_required',
    inputRequests: { [INPUT_KEY]: { method: 'elicitation/create', params: { mode: 'url', message, url } } },
    requestState: state,
  });
}

function earlierElicitation(exchange: Exchange | undefined): ToolContext['elicited'] {
  const { inputResponses, requestState } = exchange?.input ?? {};
  if (!isFields(inputResponses) || typeof requestState !== 'string') return undefined;
  return { outcome: outcomeOf(inputResponses[INPUT_KEY]), state: requestState };
}

async function ask(exchange: Exchange, { finished, message, url }: UrlRequest, given: ReadContext): Promise<UrlOutcome> {
  const { context, release } = adopt(given);
  const cancellation = new Cancellation();
  const follow = () => cancellation.abort(context.cancellation.reason);
  context.cancellation.listen(follow);
  const timer = setTimeout(() => cancellation.abort(), ELICITATION_TIMEOUT_MS);
  const elicitationId = randomUUID();
  finished?.then(
    () => exchange.host.notify('notifications/elicitation/complete', { elicitationId }),
    () => {},
  );
  try {
    const params = { mode: 'url', message, url, elicitationId };
    return outcomeOf(await exchange.request('elicitation/create', params, { cancellation, progress() {} }));
  } catch (cause) {
    if (context.cancellation.aborted) throw cause;
    // The tool then returns the URL in its result.
    return 'unanswered';
  } finally {
    clearTimeout(timer);
    context.cancellation.forget(follow);
    release();
  }
}

function outcomeOf(answer: unknown): UrlOutcome {
  const action = isFields(answer) ? answer['action'] : undefined;
  return action === 'accept' || action === 'decline' ? action : 'cancel';
}
