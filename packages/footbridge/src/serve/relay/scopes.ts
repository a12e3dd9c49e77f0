/**
 * SDK v2 lets an author ask for scopes per resource, and its HTTP transports check them before the server hears of a read.
 * A read through our tools has to pass the same check.
 */

import type { AuthInfo } from '@modelcontextprotocol/server';
import { FootbridgeError, SEE_RESOURCES } from '../../errors.js';
import { isFields } from '../../json.js';
import type { ReadContext } from '../../sources/resource.js';
import type { ToolChoice } from '../../surfaces/tools/index.js';
import { isTemplate, parseUriTemplate } from '../../uri-template.js';
import { isHostRequest } from './server-requests.js';

interface Challenged {
  readonly request: { readonly method: string; readonly params?: Readonly<Record<string, unknown>> | undefined };
  readonly authInfo?: AuthInfo;
}
type Resolver = (challenged: Challenged) => unknown;

/** A check for reads through our tools; undefined for servers that know no scopes. Also has the transports check `get_resource`. */
export function guardScopes(
  server: object,
  tools: ToolChoice,
): ((uri: string, context: ReadContext) => Promise<void> | undefined) | undefined {
  if (!hasResolver(server)) return undefined;
  const resolve = server.resolveScopeChallenge;
  server.resolveScopeChallenge = async (challenged) => {
    const uri = tools['get_resource'] === false || hasOwnTool(server) ? undefined : uriOf(challenged);
    return (await resolve(challenged)) ?? (uri === undefined ? undefined : resolve(asRead(challenged, uri)));
  };
  const check = async (uri: string, challenged: Challenged) => {
    const challenge = await resolve(asRead(challenged, uri));
    if (challenge !== undefined) throw unauthorized(uri, challenge);
  };
  return (uri, { request, authInfo }) => {
    // Only transports over HTTP check scopes: elsewhere there is no token.
    if (!isHostRequest(request) || request.extra === undefined) return undefined;
    return check(uri, { request: request.request, authInfo });
  };
}

function hasResolver(server: object): server is { resolveScopeChallenge: Resolver } {
  return 'resolveScopeChallenge' in server && typeof server.resolveScopeChallenge === 'function';
}

/** Whether the name is taken by a tool of the server's own. */
function hasOwnTool(server: object): boolean {
  return (
    'toolInputSchemaJson' in server &&
    typeof server.toolInputSchemaJson === 'function' &&
    server.toolInputSchemaJson('get_resource') !== undefined
  );
}

/** The URI that a call of `get_resource` is about. */
function uriOf({ request: { method, params } }: Challenged): string | undefined {
  const given = method === 'tools/call' && params?.['name'] === 'get_resource' ? params['arguments'] : undefined;
  if (!isFields(given) || typeof given['uri'] !== 'string') return undefined;
  const uri = given['uri'].trim();
  if (!isTemplate(uri) || !isFields(given['variables'])) return uri;
  try {
    const values = Object.entries(given['variables']).filter((each): each is [string, string | number] =>
      /^(?:string|number)$/.test(typeof each[1]),
    );
    return parseUriTemplate(uri).expand(Object.fromEntries(values));
  } catch {
    return uri;
  }
}

function asRead(challenged: Challenged, uri: string): Challenged {
  return { ...challenged, request: { ...challenged.request, method: 'resources/read', params: { uri } } };
}

function unauthorized(uri: string, challenge: unknown): FootbridgeError {
  const scopes = isFields(challenge) && Array.isArray(challenge['scopes']) ? challenge['scopes'].join(', ') : '';
  return new FootbridgeError('Unauthorized', `Resource '${uri}' needs more rights than the token gives.`, {
    ...(scopes === '' ? {} : { details: `Scopes: ${scopes}` }),
    suggestedActions: ['Sign in again with these scopes.', SEE_RESOURCES],
  });
}
