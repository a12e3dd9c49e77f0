/** The registry of a package and the credentials for it, as npm finds them: the environment, then `.npmrc`. */
import { join } from 'node:path';
import { safeUrlOf } from '../download.js';
import type { FetchSurroundings } from '../kind.js';
import { readBounded } from '../read-bounded.js';

/** The maximum size of a `.npmrc`. */
const LARGEST = 1024 * 1024;
const PUBLIC = 'https://registry.npmjs.org/';

export interface Registry {
  /** Ends with `/`. */
  readonly url: string;
  /** For requests to a URL of the registry; none for others. */
  headers(url: string): Readonly<Record<string, string>>;
}

type Settings = ReadonlyMap<string, string>;

/** Throws a `FetchError` if its URL is not safe. */
export async function registryFor(name: string, { env, folder, home, isTrusted }: FetchSurroundings): Promise<Registry> {
  const [own, project] = await Promise.all([
    readSettings(env['NPM_CONFIG_USERCONFIG'] ?? env['npm_config_userconfig'] ?? join(home, '.npmrc'), env),
    // Variables are not expanded: a project could send their values elsewhere.
    isTrusted ? readSettings(join(folder, '.npmrc'), undefined) : new Map<string, string>(),
  ]);
  // The user's own settings take precedence: a project must not decide where their packages come from.
  const settings = new Map([...project, ...own]);
  const scope = name.startsWith('@') ? name.slice(0, name.indexOf('/')) : undefined;
  const chosen =
    (scope === undefined ? undefined : settings.get(`${scope}:registry`)) ??
    env['npm_config_registry'] ??
    env['NPM_CONFIG_REGISTRY'] ??
    settings.get('registry') ??
    PUBLIC;
  const { href } = safeUrlOf(chosen);
  return { url: href.endsWith('/') ? href : `${href}/`, headers: (url) => credentials(url, settings) };
}

async function readSettings(file: string, env: NodeJS.ProcessEnv | undefined): Promise<Settings> {
  const text = (await readBounded(file, LARGEST).catch(() => undefined))?.toString('utf8') ?? '';
  return new Map(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf('=');
      const name = line.slice(0, Math.max(0, at)).trim();
      if (!/^[^\s;#]\S*$/.test(name)) return [];
      const plain = line
        .slice(at + 1)
        .trim()
        .replace(/^(["'])(.*)\1$/, '$2');
      return [[name, plain.replace(/\$\{(\w{1,100})\}/g, (all, variable: string) => env?.[variable] ?? all)] as const];
    }),
  );
}

/** The longest prefix of the URL that has credentials. */
function credentials(url: string, settings: Settings): Readonly<Record<string, string>> {
  const { host, pathname } = new URL(url);
  for (let path = pathname; ; path = path.slice(0, path.lastIndexOf('/'))) {
    const authorization = authorizationAt(`//${host}${path.replace(/\/$/, '')}/`, settings);
    if (authorization !== undefined) return { authorization };
    if (path === '' || path === '/') return {};
  }
}

function authorizationAt(prefix: string, settings: Settings): string | undefined {
  const of = (name: string) => settings.get(`${prefix}:${name}`);
  const [token, basic, user, password] = [of('_authToken'), of('_auth'), of('username'), of('_password')];
  if (token !== undefined) return `Bearer ${token}`;
  if (basic !== undefined) return `Basic ${basic}`;
  if (user === undefined || password === undefined) return undefined;
  return `Basic ${Buffer.from(`${user}:${Buffer.from(password, 'base64').toString('utf8')}`).toString('base64')}`;
}

/** Mirrors of the public registry keep its URLs in their documents. */
export function tarballUrl(address: string, { url }: Registry): string {
  return address.startsWith(PUBLIC) ? url + address.slice(PUBLIC.length) : address;
}
