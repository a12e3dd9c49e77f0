/** Routes HTTP requests to packs. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readJson } from '../http/body.js';
import { HttpRefusal } from '../http/reply.js';
import type { PackAnswer, PackRequest, PackRoute } from './pack.js';

export interface RouteMatch {
  readonly route: PackRoute;
  readonly variables: Readonly<Record<string, string>>;
}

export interface Router {
  find(method: string, path: string): RouteMatch | undefined;
  /** The pattern to log instead of a path that resembles a pack's, since its variables may be secrets. */
  patternOf(path: string): string | undefined;
}

/** Most servers have no packs. */
const NO_ROUTES: Router = { find: () => undefined, patternOf: () => undefined };

export function routerOf(routes: readonly PackRoute[]): Router {
  if (routes.length === 0) return NO_ROUTES;
  const compiled = routes.map((route) => ({ route, segments: route.path.split('/') }));
  return {
    find(method, path) {
      const given = path.split('/');
      for (const { route, segments } of compiled) {
        if (route.method !== (method === 'HEAD' ? 'GET' : method)) continue;
        const variables = bind(segments, given);
        if (variables !== undefined) return { route, variables };
      }
      return undefined;
    },
    patternOf(path) {
      return compiled.find(({ segments }) => segments.some(isVariable) && resembles(segments, path))?.route.path;
    },
  };
}

/** Pages for people, with paths relative to the catalog page. */
export function pagesOf(routes: readonly PackRoute[]): readonly { readonly title: string; readonly path: string }[] {
  return routes.flatMap(({ method, path, title }) =>
    title === undefined || method !== 'GET' || path.includes(':') ? [] : [{ title, path: path.slice(1) }],
  );
}

/** Whether `path` contains the pattern up to its first variable, also under a proxy's prefix or with a malformed rest. */
function resembles(segments: readonly string[], path: string): boolean {
  return path.includes(`${segments.slice(0, segments.findIndex(isVariable)).join('/')}/`);
}

function isVariable(segment: string): boolean {
  return segment.startsWith(':');
}

function bind(segments: readonly string[], given: readonly string[]): Readonly<Record<string, string>> | undefined {
  if (segments.length !== given.length) return undefined;
  const variables: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = given[index] ?? '';
    if (!isVariable(segment)) {
      if (segment !== value) return undefined;
    } else if (!/^(?!\.{1,2}$)[\w.~-]+$/.test(value)) return undefined;
    else variables[segment.slice(1)] = value;
  }
  return variables;
}

const MAX_BODY_BYTES = 64 * 1024;

/** Throws a `HttpRefusal` for a body that is too long. */
export async function answerRoute(
  { route, variables }: RouteMatch,
  from: Pick<PackRequest, 'caller' | 'isPrivate'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = request.method === 'POST' ? await bodyOf(request) : undefined;
  send(response, await route.answer({ ...from, variables, body }), request.method === 'HEAD');
}

/** A body that is not JSON counts as missing: the pack reports what it expects. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  try {
    return await readJson(request, MAX_BODY_BYTES);
  } catch (cause) {
    if (cause instanceof HttpRefusal && (cause.status === 400 || cause.status === 415)) return undefined;
    throw cause;
  }
}

function send(response: ServerResponse, { body, headers = {}, status }: PackAnswer, headOnly: boolean): void {
  if (response.destroyed) return;
  const typed = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  const text = body === undefined ? '' : typed && typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(typed || text === '' ? {} : { 'content-type': 'application/json' }),
    ...(status === 204 ? {} : { 'content-length': Buffer.byteLength(text) }),
    ...headers,
  });
  response.end(headOnly ? undefined : text);
}
