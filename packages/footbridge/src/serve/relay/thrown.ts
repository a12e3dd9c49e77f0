/** Captures errors of handlers of a server in this process, whose answers contain only the message. */
import type { RequestId } from '@modelcontextprotocol/server';
import { isFields } from '../../json.js';

type Handler = (request: unknown, context: unknown) => unknown;
type Report = (id: RequestId, error: unknown) => void;

const READ = 'resources/read';

/**
 * Returns a function that reports errors of the server's current handler of `resources/read` from now on. The handler itself does not
 * change.
 */
export function watchReads(server: object, report: Report): () => void {
  let watched: unknown;
  return () => {
    const handlers: unknown = Reflect.get(server, '_requestHandlers');
    // Without such a map, only the message of an error is known.
    if (!(handlers instanceof Map)) return;
    const handler: unknown = handlers.get(READ);
    if (handler === watched || !isHandler(handler)) return;
    watched = reporting(handler, report);
    handlers.set(READ, watched);
  };
}

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function';
}

function reporting(handler: Handler, report: Report): Handler {
  return (request, context) => {
    const failed = (error: unknown) => {
      const id = requestId(context);
      if (id !== undefined) report(id, error);
    };
    try {
      const result = handler(request, context);
      if (result instanceof Promise) result.catch(failed);
      return result;
    } catch (error) {
      failed(error);
      throw error;
    }
  };
}

/** In SDK v2 `mcpReq.id`, in v1 `requestId`. */
function requestId(context: unknown): RequestId | undefined {
  if (!isFields(context)) return undefined;
  const { requestId: own, mcpReq } = context;
  const id = isFields(mcpReq) ? mcpReq['id'] : own;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
