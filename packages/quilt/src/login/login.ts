/** Who is logged in to which catalog: by the environment, else by what `quilt3` keeps. */
import { Failure } from '../failure.js';
import type { Secrets } from '../secrets.js';
import { addressOf } from './address.js';
import { quiltFolder, readAuth, readConfig } from './quilt-files.js';

export interface Login {
  /** `expired`: there is a token that is not good any more. */
  readonly state: 'in' | 'out' | 'expired';
  /** The catalog's page; undefined where none is configured. */
  readonly catalogUrl: string | undefined;
  /** Undefined where only the catalog knows it. */
  readonly registryUrl: string | undefined;
  readonly region: string | undefined;
  readonly token: string | undefined;
  readonly from: 'environment' | 'quilt3' | undefined;
  /** Whether it is the catalog that `quilt3` logs in to. */
  readonly isOfQuilt3: boolean;
  /** What is wrong with the files, where something is. */
  readonly problems: readonly string[];
}

export interface LoginOptions {
  readonly catalog: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly secrets: Secrets;
  /** The registry that a catalog names; undefined where it cannot be asked. */
  readonly registryOf: (catalogUrl: string) => Promise<string | undefined>;
}

/** A token that ends sooner is of no use: the answer may come after it. */
const MARGIN_MS = 10_000;

/** As it is now: somebody may log in or out at any time. */
export async function currentLogin({ catalog, environment, registryOf, secrets }: LoginOptions): Promise<Login> {
  const folder = quiltFolder(environment);
  const [config, auth] = await Promise.all([readConfig(folder), readAuth(folder)]);
  const problems = [config.problem, auth.problem].filter((problem) => problem !== undefined);
  const kept = { catalogUrl: addressOf(config.value?.navigator_url), registryUrl: addressOf(config.value?.registryUrl) };
  const catalogUrl = addressOf(catalog) ?? addressOf(environment['QUILT_CATALOG_URL']) ?? kept.catalogUrl;
  // What quilt3 knows of one catalog is nothing to another.
  const isKept = catalogUrl === kept.catalogUrl;
  const given = environment['QUILT_ACCESS_TOKEN'] || environment['QUILT_API_KEY'];
  const named = addressOf(environment['QUILT_REGISTRY_URL']) ?? (isKept ? kept.registryUrl : undefined);
  // quilt3 keeps logins by their registry, also those of catalogs that it is not configured for just now.
  const isAsked = named === undefined && !given && catalogUrl !== undefined && auth.value !== undefined;
  const registryUrl = isAsked ? await registryOf(catalogUrl) : named;
  if (isAsked && registryUrl === undefined) problems.push(`the catalog ${catalogUrl} did not say which registry it has`);
  const region = isKept ? (config.value?.region ?? undefined) : undefined;
  const where = { catalogUrl, registryUrl, region, isOfQuilt3: isKept, problems };

  const broken = (what: string): Login => {
    problems.push(`${what} is none: it has blanks, line ends or letters that no token has`);
    return { ...where, state: 'out', token: undefined, from: undefined };
  };
  if (given) {
    secrets.add(given);
    if (!TOKEN.test(given)) return broken('the token in the environment');
    return { ...where, state: 'in', token: given, from: 'environment' };
  }
  const [, entry] = Object.entries(auth.value ?? {}).find(([url]) => registryUrl !== undefined && addressOf(url) === registryUrl) ?? [];
  if (entry === undefined) return { ...where, state: 'out', token: undefined, from: undefined };
  secrets.add(entry.access_token, textOf(entry['refresh_token']));
  const { access_token: token, expires_at: expiresAt = Number.POSITIVE_INFINITY } = entry;
  if (!TOKEN.test(token)) return broken("the token in quilt3's file auth.json");
  const isOver = expiresAt * 1000 < Date.now() + MARGIN_MS;
  return { ...where, state: isOver ? 'expired' : 'in', token: isOver ? undefined : token, from: 'quilt3' };
}

/** What can be sent in a header. */
const TOKEN = /^[\x21-\x7e]+$/;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** What to do to be logged in. */
export function howToLogIn({ catalogUrl, isOfQuilt3, state }: Login): readonly string[] {
  const again = state === 'expired' ? ' again' : '';
  const isNamed = catalogUrl !== undefined && isOfQuilt3;
  return [
    ...(isNamed ? [] : [`Name the catalog: \`quilt3 config ${catalogUrl ?? 'https://YOUR-CATALOG'}\`.`]),
    `Log in${again}: \`quilt3 login\`, and follow the page that it opens.`,
    'Or set QUILT_CATALOG_URL and QUILT_ACCESS_TOKEN (or QUILT_API_KEY) in the environment of this server.',
  ];
}

/** Nobody is logged in. */
export function notLoggedIn(login: Login): Failure {
  const message = login.state === 'expired' ? 'The login to the Quilt catalog has expired.' : 'Nobody is logged in to a Quilt catalog.';
  return new Failure('login', [message, ...login.problems.map((problem) => `${problem}.`)].join(' '), { actions: howToLogIn(login) });
}
