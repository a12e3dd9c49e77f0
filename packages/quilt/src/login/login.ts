/** The current login: from the environment, else from the files of `quilt3`. */
import { Failure } from '../failure.js';
import type { Secrets } from '../secrets.js';
import { normalizeUrl, quiltFolder, readAuth, readConfig } from './quilt-files.js';

export interface Login {
  readonly state: 'in' | 'out' | 'expired';
  /** Undefined if no catalog is configured. */
  readonly catalogUrl: string | undefined;
  /** Undefined if only the catalog's config.json has it. */
  readonly registryUrl: string | undefined;
  readonly region: string | undefined;
  readonly token: string | undefined;
  readonly from: 'environment' | 'quilt3' | undefined;
  /** Whether it is the catalog that `quilt3` is configured for. */
  readonly isOfQuilt3: boolean;
  /** Problems with the files or the token. */
  readonly problems: readonly string[];
}

export interface LoginOptions {
  readonly catalog: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly secrets: Secrets;
  /** The registry of a catalog; undefined if the catalog is unreachable. */
  readonly registryOf: (catalogUrl: string) => Promise<string | undefined>;
}

/** A token that expires sooner is treated as expired. */
const MARGIN_MS = 10_000;

/** Read again each time: people log in and out at any time. */
export async function currentLogin({ catalog, environment, registryOf, secrets }: LoginOptions): Promise<Login> {
  const folder = quiltFolder(environment);
  const [config, auth] = await Promise.all([readConfig(folder), readAuth(folder)]);
  const problems = [config.problem, auth.problem].filter((problem) => problem !== undefined);
  const stored = { catalogUrl: normalizeUrl(config.value?.navigator_url), registryUrl: normalizeUrl(config.value?.registryUrl) };
  const catalogUrl = normalizeUrl(catalog) ?? normalizeUrl(environment['QUILT_CATALOG_URL']) ?? stored.catalogUrl;
  // The registry and region of quilt3 apply to its own catalog only.
  const isOfQuilt3 = catalogUrl === stored.catalogUrl;
  const given = environment['QUILT_ACCESS_TOKEN'] || environment['QUILT_API_KEY'];
  const named = normalizeUrl(environment['QUILT_REGISTRY_URL']) ?? (isOfQuilt3 ? stored.registryUrl : undefined);
  // quilt3 stores logins by registry, also for catalogs other than the configured one.
  const isRequested = named === undefined && !given && catalogUrl !== undefined && auth.value !== undefined;
  const registryUrl = isRequested ? await registryOf(catalogUrl) : named;
  if (isRequested && registryUrl === undefined) problems.push(`the catalog ${catalogUrl} did not return its registry`);
  const region = isOfQuilt3 ? (config.value?.region ?? undefined) : undefined;
  const where = { catalogUrl, registryUrl, region, isOfQuilt3, problems };

  const invalidToken = (what: string): Login => {
    problems.push(`${what} is invalid: it contains spaces, line breaks or non-ASCII characters`);
    return { ...where, state: 'out', token: undefined, from: undefined };
  };
  if (given) {
    secrets.add(given);
    if (!TOKEN.test(given)) return invalidToken('the token in the environment');
    return { ...where, state: 'in', token: given, from: 'environment' };
  }
  const [, entry] = Object.entries(auth.value ?? {}).find(([url]) => registryUrl !== undefined && normalizeUrl(url) === registryUrl) ?? [];
  if (entry === undefined) return { ...where, state: 'out', token: undefined, from: undefined };
  secrets.add(entry.access_token, textOf(entry['refresh_token']));
  const { access_token: token, expires_at: expiresAt = Number.POSITIVE_INFINITY } = entry;
  if (!TOKEN.test(token)) return invalidToken("the token in quilt3's file auth.json");
  const isExpired = expiresAt * 1000 < Date.now() + MARGIN_MS;
  return { ...where, state: isExpired ? 'expired' : 'in', token: isExpired ? undefined : token, from: 'quilt3' };
}

/** Valid in an HTTP header. */
const TOKEN = /^[\x21-\x7e]+$/;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function loginSteps({ catalogUrl, isOfQuilt3, state }: Login): readonly string[] {
  const again = state === 'expired' ? ' again' : '';
  const isNamed = catalogUrl !== undefined && isOfQuilt3;
  return [
    ...(isNamed ? [] : [`Set the catalog: \`quilt3 config ${catalogUrl ?? 'https://YOUR-CATALOG'}\`.`]),
    `Log in${again}: \`quilt3 login\`, and follow the page it opens.`,
    'Or set QUILT_CATALOG_URL and QUILT_ACCESS_TOKEN (or QUILT_API_KEY) in the environment of this server.',
  ];
}

export function notLoggedIn(login: Login): Failure {
  const message = login.state === 'expired' ? 'The login to the Quilt catalog has expired.' : 'Not logged in to a Quilt catalog.';
  return new Failure('login', [message, ...login.problems.map((problem) => `${problem}.`)].join(' '), { actions: loginSteps(login) });
}
