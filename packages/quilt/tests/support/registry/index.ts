/**
 * A Quilt stack on loopback: the catalog with its `config.json`, and the registry with its GraphQL and AWS credentials.
 *
 *     const registry = await startRegistry();
 *     registry.state.users.push({ … });                                  // at any time
 *     registry.misbehave('graphql', { kind: 'status', status: 503, retryAfter: 1 });
 *     registry.behave();                                                 // normal again
 *     registry.requests;                                                 // recorded requests
 *     await registry.close();
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { execute, GraphQLError, parse, validate } from 'graphql';
import { bytesOf, listenOnLoopback } from '../loopback.js';
import { answerBadly, type RegistryMisbehaviour, sendJson, sendLoginPage } from './misbehaviour.js';
import { registryRoot, registrySchema } from './schema.js';
import { type RegistryState, registryState, type TokenHolder } from './state.js';

export type { RegistryMisbehaviour } from './misbehaviour.js';
export { ADMIN_TOKEN, type AwsCredentials, MEMBER_TOKEN, type RegistryState } from './state.js';

export interface RegistryOptions {
  /** Default: `registryState()`. */
  readonly state?: RegistryState;
  /** An older schema, in which the uploader is a string. */
  readonly uploaderIsText?: boolean;
  /** Responds with 200 and the GraphQL error UNAUTHENTICATED instead of 401. */
  readonly graphqlErrors401?: boolean;
  /** Allows requests without a token, as an open catalog does; `me` is then null. */
  readonly open?: boolean;
}

/** The endpoints that can misbehave separately. */
export type RegistryPlace = 'graphql' | 'config' | 'credentials';

export interface RegistryRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The GraphQL query, if any. */
  readonly query: string | undefined;
}

export interface RegistryServer {
  /** Of both the catalog and the registry. */
  readonly url: string;
  /** May be changed while the server runs. */
  readonly state: RegistryState;
  readonly requests: readonly RegistryRequest[];
  misbehave(place: RegistryPlace, how: RegistryMisbehaviour): void;
  behave(place?: RegistryPlace): void;
  close(): Promise<void>;
}

const PLACES: Readonly<Record<string, RegistryPlace>> = {
  'POST /graphql': 'graphql',
  'GET /config.json': 'config',
  'GET /api/auth/get_credentials': 'credentials',
};

export async function startRegistry(options: RegistryOptions = {}): Promise<RegistryServer> {
  const { state = registryState(), uploaderIsText = false, graphqlErrors401 = false, open = false } = options;
  const schema = registrySchema(uploaderIsText);
  const requests: RegistryRequest[] = [];
  const bad = new Map<RegistryPlace, { how: RegistryMisbehaviour; left: number }>();

  function takeBad(place: RegistryPlace): RegistryMisbehaviour | undefined {
    const found = bad.get(place);
    if (found === undefined || found.left < 1) return undefined;
    found.left -= 1;
    return found.how;
  }

  async function answerGraphql(
    query: string,
    variables: Record<string, unknown>,
    caller: TokenHolder | undefined,
    response: ServerResponse,
  ) {
    const document = parsed(query);
    const errors = document instanceof GraphQLError ? [document] : validate(schema, document);
    if (document instanceof GraphQLError || errors.length > 0) return sendJson(response, 400, { errors });
    const rootValue = registryRoot(state, caller, uploaderIsText);
    sendJson(response, 200, await execute({ schema, document, rootValue, variableValues: variables }));
  }

  const loopback = await listenOnLoopback(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const asked = inputOf(await bytesOf(request));
    requests.push({ method, path, headers, query: asked?.query });
    if (path === '/login') return sendLoginPage(response);
    const place = PLACES[`${method} ${path}`];
    if (place === undefined) return sendJson(response, 404, { message: 'Not found' });
    const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    const how = takeBad(place);
    if (how !== undefined) return answerBadly(how, bearer ?? '', response);
    if (place === 'config') return sendJson(response, 200, configOf(loopback.url, state));
    if (place === 'credentials' && state.credentials === undefined) return sendJson(response, 404, { message: 'Not found' });
    const caller = bearer === undefined ? undefined : state.tokens.get(bearer);
    if (caller === undefined && !(open && place === 'graphql' && bearer === undefined)) {
      if (place !== 'graphql' || !graphqlErrors401) return sendJson(response, 401, { message: 'Token has expired or is not valid.' });
      const error = { message: 'Not authenticated', extensions: { code: 'UNAUTHENTICATED' } };
      return sendJson(response, 200, { data: null, errors: [error] });
    }
    if (place === 'credentials') return sendJson(response, 200, state.credentials);
    if (asked === undefined) return sendJson(response, 400, { message: 'The body is not a GraphQL request.' });
    await answerGraphql(asked.query, asked.variables, caller, response);
  });

  return {
    url: loopback.url,
    state,
    requests,
    misbehave: (place, how) => void bad.set(place, { how, left: how.times ?? Number.POSITIVE_INFINITY }),
    behave: (place) => (place === undefined ? bad.clear() : void bad.delete(place)),
    close: loopback.close,
  };
}

function parsed(query: string) {
  try {
    return parse(query);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

function inputOf(body: Buffer): { query: string; variables: Record<string, unknown> } | undefined {
  try {
    const input: unknown = JSON.parse(body.toString());
    if (typeof input !== 'object' || input === null || !('query' in input) || typeof input.query !== 'string') return undefined;
    const variables = 'variables' in input && typeof input.variables === 'object' ? input.variables : null;
    return { query: input.query, variables: { ...variables } };
  } catch {
    return undefined;
  }
}

function configOf(url: string, { config }: RegistryState): object {
  return {
    registryUrl: url,
    region: 'us-east-1',
    analyticsBucket: 'demo-analyticsbucket-abc123',
    serviceBucket: 'demo-servicebucket-abc123',
    apiGatewayEndpoint: 'https://abc123.execute-api.us-east-1.amazonaws.com/prod',
    s3Proxy: 'https://demo-s3-proxy.example.com',
    alwaysRequiresAuth: true,
    noDownload: false,
    passwordAuth: 'ENABLED',
    ssoAuth: 'ENABLED',
    ssoProviders: 'okta',
    mode: 'PRODUCT',
    stackVersion: '1.60.0',
    ...config,
  };
}
