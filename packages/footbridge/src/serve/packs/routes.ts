/** HTTP requests to what packs have beside MCP. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readJson } from '../http/body.js';
import { Refusal } from '../http/reply.js';
import type { PackAnswer, PackRequest, PackRoute } from './pack.js';

/** A route that a request goes to, and what its path says. */
export interface RouteMatch {
  readonly route: PackRoute;
  readonly variables: Readonly<Record<string, string>>;
}

export interface Router {
  /** The route of a request; undefined when there is none. */
  find(method: string, path: string): RouteMatch | undefined;
  /** What may be told of a path that looks like a pack's, whatever was to be done there: its variables may be keys. */
  patternOf(path: string): string | undefined;
}

/** Most servers have no packs, and spare each request the looking. */
const NOWHERE: Router = { find: () => undefined, patternOf: () => undefined };

export function routerOf(routes: readonly PackRoute[]): Router {
  if (routes.length === 0) return NOWHERE;
  const compiled = routes.map((route) => ({ route, segments: route.path.split('/') }));
  return {
    find(method, path) {
      const given = path.split('/');
      for (const { route, segments } of compiled) {
        // A browser that only wants to know the headers is told as much.
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

/** Up to its first variable, wherever a proxy has put that; whatever follows may be a key that was copied with too much or too little. */
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

/** Nothing that a pack takes is longer. */
const LARGEST_BODY = 64 * 1024;

/** Answers one request. Throws a refusal for what is too long. */
export async function answerRoute(
  { route, variables }: RouteMatch,
  from: Pick<PackRequest, 'caller' | 'isPrivate'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = request.method === 'POST' ? await bodyOf(request) : undefined;
  send(response, await route.answer({ ...from, variables, body }), request.method === 'HEAD');
}

/** What is no JSON is nothing: the pack says what it wants instead. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  try {
    return await readJson(request, LARGEST_BODY);
  } catch (cause) {
    if (cause instanceof Refusal && (cause.status === 400 || cause.status === 415)) return undefined;
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
