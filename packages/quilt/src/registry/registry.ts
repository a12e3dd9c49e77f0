/** The registry of a catalog: what is asked of it in GraphQL, and the credentials for AWS that it lends. */
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import { isPrivate } from '../login/address.js';
import { type Login, notLoggedIn } from '../login/login.js';
import { cutBetweenWords } from '../secrets.js';
import type { CatalogConfigs } from './catalog-config.js';
import { type Answer, fetchJson, type Question, unexpected } from './fetch-json.js';

const GRAPHQL = z.object({
  /** Not there where the query was refused as a whole. */
  data: z.unknown().optional(),
  errors: z.array(z.object({ message: z.string(), extensions: z.object({ code: z.unknown() }).partial().nullish() })).nullish(),
});

/** Where the registry is; asks the catalog where nobody else said so. */
export async function registryUrlOf(login: Login, configs: CatalogConfigs, signal: AbortSignal): Promise<string | undefined> {
  if (login.registryUrl !== undefined || login.catalogUrl === undefined) return login.registryUrl;
  // Whoever can change what such a catalog says could have the token sent to themselves.
  if (!isPrivate(login.catalogUrl))
    throw new Failure(
      'failed',
      `The address of the catalog, ${login.catalogUrl}, is not https: it is not believed where its registry is.`,
      {
        actions: ['Use the https address of the catalog, or set QUILT_REGISTRY_URL.'],
      },
    );
  return (await configs.of(login.catalogUrl, signal)).registryUrl;
}

export class Registry {
  readonly #configs: CatalogConfigs;

  constructor(configs: CatalogConfigs) {
    this.#configs = configs;
  }

  /** The data of a query, checked. Throws a failure for whatever else there is. */
  async query<T>(login: Login, query: string, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const { answer, url } = await this.#ask(login, '/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) }, signal);
    const checked = GRAPHQL.safeParse(answer.json);
    // What is wrong with a query, some registries tell with status 400.
    if (!checked.success || (answer.status !== 200 && answer.status !== 400)) throw unexpected(WHO, url, answer);
    const { data, errors } = checked.data;
    if (errors && errors.length > 0) throw refusal(errors.map(({ extensions, message }) => ({ code: extensions?.code, message })));
    const shaped = schema.safeParse(data);
    if (shaped.success) return shaped.data;
    throw new Failure('failed', 'The registry answered without what was asked for; its version may not be one that this pack knows.');
  }

  /** What the registry answers to a plain request, whatever its status. */
  async get(login: Login, path: string, signal: AbortSignal): Promise<Answer> {
    return (await this.#ask(login, path, { method: 'GET', headers: { accept: 'application/json' } }, signal)).answer;
  }

  async #ask(login: Login, path: string, question: Question, signal: AbortSignal): Promise<{ answer: Answer; url: string }> {
    if (login.token === undefined) throw notLoggedIn(login);
    const registry = await registryUrlOf(login, this.#configs, signal);
    if (registry === undefined)
      throw new Failure('login', 'It is not known which registry belongs to the login.', {
        actions: ['Set QUILT_CATALOG_URL or QUILT_REGISTRY_URL beside the token, or log in with `quilt3 login`.'],
      });
    if (!isPrivate(registry))
      throw new Failure('failed', `The address of the registry, ${registry}, is not https: a token is not sent there.`, {
        actions: ['Use the https address of the catalog: `quilt3 config https://YOUR-CATALOG`.'],
      });
    const url = `${registry}${path}`;
    const headers = { ...question.headers, authorization: `Bearer ${login.token}` };
    const answer = await fetchJson(WHO, url, { ...question, headers }, signal);
    if (answer.status === 401) throw notLoggedIn({ ...login, state: 'expired' });
    if (answer.status === 403) throw new Failure('denied', 'The registry does not allow that to whoever is logged in.');
    return { answer, url };
  }
}

const WHO = 'The registry';

/** How registries say that somebody may not, or is not logged in. */
const DENIED = /\b(?:unauthori[sz]ed|not authori[sz]ed|forbidden|access denied|permission denied|admin(?:istrator)?s? only)\b/i;
const LOGGED_OUT = /\b(?:unauthenticated|not authenticated|authentication required|token (?:has )?expired|invalid token|not logged in)\b/i;

const LONGEST_REASON = 300;

function refusal(errors: readonly { readonly code: unknown; readonly message: string }[]): Failure {
  const texts = errors.map(({ code, message }) => `${typeof code === 'string' ? code : ''} ${message}`);
  if (texts.some((text) => LOGGED_OUT.test(text)))
    return new Failure('login', 'The registry does not know the login any more.', { actions: ['Log in again: `quilt3 login`.'] });
  if (texts.some((text) => DENIED.test(text))) return new Failure('denied', 'The registry does not allow that to whoever is logged in.');
  const [first] = errors;
  return new Failure(
    'failed',
    `The registry refused the query: ${first === undefined ? 'no reason' : cutBetweenWords(first.message, LONGEST_REASON)}`,
    {
      actions: ['The version of the catalog may not be one that this pack knows; tell its authors.'],
    },
  );
}
