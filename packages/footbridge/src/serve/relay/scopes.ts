/** SDK v2 lets authors require scopes per resource, checked by its HTTP transports. Reads through tools must pass the same check. */
import type { AuthInfo } from '@modelcontextprotocol/server';
import { FootbridgeError, SEE_RESOURCES } from '../../errors.js';
import { isFields } from '../../json.js';
import type { ToolChoice } from '../../surfaces/tools/index.js';
import { isTemplate, parseUriTemplate } from '../../uri-template.js';
import type { RelayOptions } from './caller-catalogs.js';
import { isHostRequest } from './server-requests.js';

interface Challenged {
  readonly request: { readonly method: string; readonly params?: Readonly<Record<string, unknown>> | undefined };
  readonly authInfo?: AuthInfo;
}
type Resolver = (challenged: Challenged) => unknown;

/** The check for reads through tools; undefined for a server without scopes. Also makes the transports check `get_resource`. */
export function guardScopes(server: object, tools: ToolChoice): RelayOptions['guard'] {
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
    // Only HTTP transports have tokens, and check scopes.
    if (!isHostRequest(request) || request.extra === undefined) return undefined;
    return check(uri, { request: request.request, authInfo });
  };
}

function hasResolver(server: object): server is { resolveScopeChallenge: Resolver } {
  return 'resolveScopeChallenge' in server && typeof server.resolveScopeChallenge === 'function';
}

/** Whether the server has its own `get_resource`. */
function hasOwnTool(server: object): boolean {
  return (
    'toolInputSchemaJson' in server &&
    typeof server.toolInputSchemaJson === 'function' &&
    server.toolInputSchemaJson('get_resource') !== undefined
  );
}

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
  return new FootbridgeError('Unauthorized', `Resource '${uri}' requires scopes that the token does not have.`, {
    ...(scopes === '' ? {} : { details: `Scopes: ${scopes}` }),
    suggestedActions: ['Sign in again with these scopes.', SEE_RESOURCES],
  });
}
