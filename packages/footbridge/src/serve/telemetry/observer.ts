/** The interface between serving and metrics, traces and logs. */
import { isFields } from '../../json.js';
import type { Middleware } from '../dispatch/compose.js';
import { type Answer, calledTool, requestMeta, requestSubjects, requestTarget } from '../messages.js';

/** A request without content or tokens. */
export interface Operation {
  readonly transport: 'stdio' | 'http';
  readonly method: string;
  /** The tool, prompt or URI. */
  readonly target?: string | undefined;
  /** The tool that the target calls. */
  readonly called?: string | undefined;
  /** The skills and resources that it reads. */
  readonly subjects?: readonly string[] | undefined;
  readonly requestId?: string | number | undefined;
  readonly protocolVersion?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly caller?: string | undefined;
  /** `_meta`, which may contain a trace context. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** How a request ended; empty for success. */
export interface OperationOutcome {
  /** `tool_error`, the code of a JSON-RPC error, or the name of a failure. */
  readonly errorType?: string | undefined;
}

export interface Observer {
  /** Called when a request begins; the function it returns is called when the request has ended. */
  begin(operation: Operation): (outcome: OperationOutcome) => void;
}

export function combineObservers(observers: readonly Observer[]): Observer {
  const [first, ...others] = observers;
  if (first !== undefined && others.length === 0) return first;
  return {
    begin(operation) {
      const ends = observers.map((observer) => observer.begin(operation));
      return (outcome) => {
        for (const end of ends) end(outcome);
      };
    },
  };
}

export function observed(observer: Observer): Middleware {
  return async (request, scope, next) => {
    const { caller, protocolVersion, sessionId, transport } = scope.parts;
    const end = observer.begin({
      transport,
      method: request.method,
      target: requestTarget(request),
      called: calledTool(request),
      subjects: requestSubjects(request),
      requestId: request.id,
      sessionId,
      protocolVersion,
      caller: transport === 'http' ? caller.name : undefined,
      meta: requestMeta(request),
    });
    try {
      const answer = await next();
      end({ errorType: errorTypeOf(answer) });
      return answer;
    } catch (cause) {
      end({ errorType: 'refused' });
      throw cause;
    }
  };
}

function errorTypeOf(answer: Answer): string | undefined {
  if ('error' in answer) return String(answer.error.code);
  return isFields(answer.result) && answer.result['isError'] === true ? 'tool_error' : undefined;
}

/** The protocol's methods: callers can invent others, which must not become labels. */
export const KNOWN_METHODS: ReadonlySet<string> = new Set([
  'completion/complete',
  'initialize',
  'logging/setLevel',
  'notifications/cancelled',
  'notifications/initialized',
  'notifications/progress',
  'notifications/roots/list_changed',
  'ping',
  'prompts/get',
  'prompts/list',
  'resources/directory/read',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'server/discover',
  'skills/get',
  'skills/list',
  'subscriptions/listen',
  'tasks/cancel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/update',
  'tools/call',
  'tools/list',
]);
