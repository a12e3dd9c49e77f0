/** Credentials for a registry, as `docker login` and `oras login` store them. Helper programs are not started. */
import { join } from 'node:path';
import { isFields, parseJson } from '../../../json.js';
import type { FetchSurroundings } from '../kind.js';
import { readBounded } from '../read-bounded.js';
import type { OciPlace } from './place.js';

const LARGEST_FILE = 4 * 1024 * 1024;

/** The value of a header `Authorization`; undefined without a login. */
export async function basicCredentials(
  { registry }: OciPlace,
  { env, home }: Pick<FetchSurroundings, 'env' | 'home'>,
): Promise<string | undefined> {
  const folder = env['DOCKER_CONFIG'] ?? join(home, '.docker');
  const file = parseJson((await readBounded(join(folder, 'config.json'), LARGEST_FILE).catch(() => undefined))?.toString('utf8') ?? '');
  const logins = isFields(file) && isFields(file['auths']) ? file['auths'] : {};
  const names =
    registry === 'docker.io' ? ['https://index.docker.io/v1/', registry] : [registry, `https://${registry}`, `http://${registry}`];
  for (const name of names) {
    const login = Object.hasOwn(logins, name) ? logins[name] : undefined;
    if (isFields(login) && typeof login['auth'] === 'string' && login['auth'] !== '') return `Basic ${login['auth']}`;
  }
  return undefined;
}

/** A challenge of a registry, as in `WWW-Authenticate`. */
interface RegistryChallenge {
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const LONGEST = 4096;

export function parseChallenge(header: string): RegistryChallenge {
  const text = header.slice(0, LONGEST);
  const scheme = /^\s*([A-Za-z]{1,20})/.exec(text)?.[1]?.toLowerCase() ?? '';
  const parts = text.split('"');
  const parameters = new Map<string, string>();
  // Values are in quotation marks, each after its name and an equals sign.
  for (let at = 1; at < parts.length; at += 2) {
    const [name = ''] = (parts[at - 1] ?? '').split(/[\s,]/).slice(-1);
    if (name.endsWith('=')) parameters.set(name.slice(0, -1).toLowerCase(), parts[at] ?? '');
  }
  return { scheme, parameters };
}
