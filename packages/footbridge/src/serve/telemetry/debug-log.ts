/** Middleware that logs discovery and rejected requests at the level `debug`. Reads are logged where they are counted. */
import { echo } from '../../errors.js';
import { isFields } from '../../json.js';
import type { Log } from '../../log.js';
import { redact } from '../../redact.js';
import type { Middleware } from '../dispatch/compose.js';
import { type Answer, requestTarget } from '../messages.js';

export function debugLogged(log: Log): Middleware {
  return async (request, _scope, next) => {
    const begin = performance.now();
    const answer = await next();
    const rejection = rejectionOf(answer);
    if (rejection === undefined && !isDiscovery(request)) return answer;
    const target = requestTarget(request);
    const what = `${rejection === undefined ? 'discovery' : 'rejected'}: ${request.method}${target === undefined ? '' : ` ${target}`}`;
    const reason = rejection === undefined ? '' : `, ${rejection}`;
    log.debug(`${redact(echo(what))}${redact(echo(reason))}, ${(performance.now() - begin).toFixed(2)} ms`);
    return answer;
  };
}

/** The first line of the reason. */
function rejectionOf(answer: Answer): string | undefined {
  if ('error' in answer) return answer.error.message;
  if (!isFields(answer.result) || answer.result['isError'] !== true) return undefined;
  const { content } = answer.result;
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  return isFields(first) && typeof first['text'] === 'string' ? (first['text'].split('\n', 1)[0] ?? '') : 'error';
}

const LISTS: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/directory/read',
  'skills/list',
]);

function isDiscovery({ method, params }: { readonly method: string; readonly params?: unknown }): boolean {
  if (LISTS.has(method)) return true;
  if (method !== 'tools/call' || !isFields(params)) return false;
  if (params['name'] === 'list_skills') return true;
  const given = isFields(params['arguments']) ? params['arguments']['uri'] : undefined;
  return params['name'] === 'get_resource' && (typeof given !== 'string' || given.trim() === '');
}
