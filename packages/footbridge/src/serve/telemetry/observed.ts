/** Middleware that reports each request to an observer, from when it comes until it is answered. */
import { isFields } from '../../json.js';
import type { Middleware } from '../dispatch/compose.js';
import { type Answer, requestMeta } from '../messages.js';
import type { Observer } from '../observer.js';
import { requestTarget } from '../work.js';

export function observed(observer: Observer): Middleware {
  return async (request, scope, next) => {
    const { caller, protocolVersion, sessionId, transport } = scope.parts;
    const end = observer.begin({
      transport,
      method: request.method,
      target: requestTarget(request),
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
