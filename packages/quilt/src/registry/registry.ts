/** A client for the registry of a catalog: GraphQL queries and plain requests. */
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import { type Login, notLoggedIn } from '../login/login.js';
import { isSecure } from '../login/quilt-files.js';
import { truncateWords } from '../secrets.js';
import { type CatalogConfigs, fetchJson, type JsonRequest, type JsonResponse, unexpectedResponse } from './http.js';

const GRAPHQL = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ message: z.string(), extensions: z.object({ code: z.unknown() }).partial().nullish() })).nullish(),
});

/** From the login, else from the catalog. */
async function registryUrlOf(login: Login, configs: CatalogConfigs, signal: AbortSignal): Promise<string | undefined> {
  if (login.registryUrl !== undefined || login.catalogUrl === undefined) return login.registryUrl;
  // A modified response could redirect the token.
  if (!isSecure(login.catalogUrl))
    throw new Failure('failed', `The URL of the catalog, ${login.catalogUrl}, is not https, so its registry cannot be trusted.`, {
      actions: ['Use the https URL of the catalog, or set QUILT_REGISTRY_URL.'],
    });
  return (await configs.of(login.catalogUrl, signal)).registryUrl;
}

export class Registry {
  readonly #configs: CatalogConfigs;

  constructor(configs: CatalogConfigs) {
    this.#configs = configs;
  }

  /** The validated data of a GraphQL query. Throws a failure. */
  async query<T>(login: Login, query: string, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const { response, url } = await this.#send(login, '/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) }, signal);
    const checked = GRAPHQL.safeParse(response.json);
    // Some registries report GraphQL errors with status 400.
    if (!checked.success || (response.status !== 200 && response.status !== 400)) throw unexpectedResponse(SERVER, url, response);
    const { data, errors } = checked.data;
    if (errors && errors.length > 0) throw queryFailure(errors.map(({ extensions, message }) => ({ code: extensions?.code, message })));
    const shaped = schema.safeParse(data);
    if (shaped.success) return shaped.data;
    throw new Failure('failed', 'The registry sent unexpected data; its version may not be supported by this pack.');
  }

  /** Resolves with any status except 401 and 403. */
  async get(login: Login, path: string, signal: AbortSignal): Promise<JsonResponse> {
    return (await this.#send(login, path, { method: 'GET', headers: { accept: 'application/json' } }, signal)).response;
  }

  async #send(login: Login, path: string, request: JsonRequest, signal: AbortSignal): Promise<{ response: JsonResponse; url: string }> {
    if (login.token === undefined) throw notLoggedIn(login);
    const registry = await registryUrlOf(login, this.#configs, signal);
    if (registry === undefined)
      throw new Failure('login', 'The registry of the login is unknown.', {
        actions: ['Set QUILT_CATALOG_URL or QUILT_REGISTRY_URL in addition to the token, or log in with `quilt3 login`.'],
      });
    if (!isSecure(registry))
      throw new Failure('failed', `The URL of the registry, ${registry}, is not https, so the token is not sent.`, {
        actions: ['Use the https URL of the catalog: `quilt3 config https://YOUR-CATALOG`.'],
      });
    const url = `${registry}${path}`;
    const headers = { ...request.headers, authorization: `Bearer ${login.token}` };
    const response = await fetchJson(SERVER, url, { ...request, headers }, signal);
    if (response.status === 401) throw notLoggedIn({ ...login, state: 'expired' });
    if (response.status === 403) throw denied();
    return { response, url };
  }
}

const SERVER = 'The registry';

/** Messages and codes that registries use. */
const DENIED = /\b(?:unauthori[sz]ed|not authori[sz]ed|forbidden|access denied|permission denied|admin(?:istrator)?s? only)\b/i;
/** Other tokens, as of a page or of a query's syntax, have nothing to do with the login. */
const LOGGED_OUT =
  /\b(?:unauthenticated|not authenticated|authentication required|not logged in|(?:access|auth(?:entication)?|bearer|login|refresh|security|session|the|your) token (?:has |is )?(?:expired|invalid))\b|(?:^|: )\s?(?:token (?:has |is )?(?:expired|invalid)|(?:invalid|expired) token)\W*$/i;

/** A field has subfields that the query does not select, or none of those that it does. */
const OTHER_SCHEMA = /subfields|subselection|selection/i;

const MAX_MESSAGE_LENGTH = 300;

/** The registry's schema differs from the one that a query was written for. */
export class SchemaMismatch extends Failure {}

function queryFailure(errors: readonly { readonly code: unknown; readonly message: string }[]): Failure {
  const texts = errors.map(({ code, message }) => `${typeof code === 'string' ? code : ''} ${message}`);
  if (texts.some((text) => LOGGED_OUT.test(text)))
    return new Failure('login', 'The registry rejected the login.', { actions: ['Log in again: `quilt3 login`.'] });
  if (texts.some((text) => DENIED.test(text))) return denied();
  const reason = truncateWords(errors[0]?.message ?? 'no reason', MAX_MESSAGE_LENGTH);
  const Rejection = texts.some((text) => OTHER_SCHEMA.test(text)) ? SchemaMismatch : Failure;
  return new Rejection('failed', `The registry rejected the query: ${reason}`, {
    actions: ['The version of the catalog may not be supported by this pack; report it to its authors.'],
  });
}

function denied(): Failure {
  return new Failure('denied', 'The registry denies this operation to the logged-in user.');
}
