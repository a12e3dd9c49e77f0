/**
 * The kind `npm`: packages of a registry. Our own client rather than pacote, which brings a hundred packages for git,
 * caches and scripts: one document, one tarball, one digest. No script of a package is ever run.
 */
import { createHash } from 'node:crypto';
import { echo } from '../../../errors.js';
import { isFields } from '../../../json.js';
import { unpackArchive } from '../archive/index.js';
import { download, downloadAny, parseAnswer, safeUrlOf } from '../download.js';
import { FetchError } from '../fetch-error.js';
import type { FetchedContent, FetchRequest, FetchSurroundings, Resolved, SourceKind } from '../kind.js';
import { type Registry, registryFor, tarballUrl } from './registry.js';

const SPECIFICATION = /^npm:((?:@[a-z0-9~_-][\w.~-]{0,100}\/)?[a-z0-9~_-][\w.~-]{0,213})(?:@(.{1,100}))?$/i;

export const npmKind: SourceKind = {
  name: 'npm',
  form: 'npm:package[@range]',
  parse(specification) {
    if (!specification.startsWith('npm:')) return undefined;
    const [, name, range = 'latest'] = SPECIFICATION.exec(specification) ?? [];
    if (name === undefined)
      throw new FetchError(`Invalid source '${echo(specification)}'.`, 'Use npm:package, npm:package@1 or npm:@scope/package.');
    return {
      specification,
      title: name.split('/').at(-1) ?? name,
      resolve: async (surroundings) => promised(await findVersion(name, range, surroundings)),
      fetch: (request) => fetch(name, range, request),
    };
  },
};

interface PackageVersion {
  readonly name: string;
  readonly version: string;
  readonly dist: Readonly<Record<string, unknown>>;
  readonly registry: Registry;
}

/** Undefined if the registry states no digest of the kind that is in the lock. */
function promised({ dist, name, version }: PackageVersion): Resolved | undefined {
  const integrity = typeof dist['integrity'] === 'string' ? strongest(dist['integrity']) : undefined;
  return integrity === undefined ? undefined : { pin: { version, integrity }, version, promised: `${name}@${version}` };
}

async function fetch(name: string, range: string, request: FetchRequest): Promise<FetchedContent> {
  const { pin, signal, staging } = request;
  const found = await findVersion(name, pin?.['version'] ?? range, request);
  const { dist, registry, version } = found;
  if (typeof dist['tarball'] !== 'string') throw invalidDocument(name);
  const address = safeUrlOf(tarballUrl(dist['tarball'], registry)).href;
  const { bytes } = await download(address, { signal, headers: registry.headers(address), namedBy: registry.url });
  const integrity = sha512(bytes);
  if (!isAsPublished(bytes, dist)) throw notAsPublished(name, version);
  if (pin?.['integrity'] !== undefined && pin['integrity'] !== integrity) throw changed(name, version);
  // The first folder counts as `package`, whatever its name.
  await unpackArchive(bytes, { staging, rename: (path) => path.replace(/^(?:\.\/)?[^/]+\//, '') });
  const evidence = { kind: 'npm', name, version, integrity, registry: registry.url, dist } as const;
  return { pin: { version, integrity }, version, promised: `${name}@${version}`, evidence };
}

async function findVersion(name: string, range: string, surroundings: FetchSurroundings): Promise<PackageVersion> {
  const registry = await registryFor(name, surroundings);
  const url = registry.url + name.replace('/', '%2f');
  const headers = { ...registry.headers(url), accept: 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8' };
  const { bytes, status } = await downloadAny(url, { signal: surroundings.signal, headers });
  if (status === 404) throw new FetchError(`The package '${name}' was not found.`, 'Check its name, and the registry in .npmrc.');
  if (status === 401 || status === 403)
    throw new FetchError(`The registry denies access to '${name}' (HTTP ${status}).`, 'Sign in with: npm login');
  if (status !== 200) throw new FetchError(`The registry answered with HTTP ${status}.`, 'Try again later.');
  const document = parseAnswer(bytes);
  if (!isFields(document) || !isFields(document['versions'])) throw invalidDocument(name);
  const { 'dist-tags': tags, versions } = document;
  const version = await pick(range, isFields(tags) ? tags : {}, versions);
  const found = version === undefined ? undefined : versions[version];
  if (version === undefined || !isFields(found) || !isFields(found['dist']))
    throw new FetchError(`'${name}' has no version '${echo(range)}'.`, 'Choose another version, or a range such as ^1.2.');
  return { name, version, dist: found['dist'], registry };
}

/** Like npm: a tag, else the latest version if it is in the range, else the newest in the range. */
async function pick(
  range: string,
  tags: Readonly<Record<string, unknown>>,
  versions: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  if (Object.hasOwn(versions, range)) return range;
  const tagged = Object.hasOwn(tags, range) ? tags[range] : undefined;
  if (typeof tagged === 'string') return tagged;
  const { maxSatisfying, satisfies, validRange } = await import('semver');
  if (validRange(range) === null) return undefined;
  const latest = tags['latest'];
  if (typeof latest === 'string' && satisfies(latest, range)) return latest;
  const usable = Object.entries(versions).flatMap(([version, each]) =>
    isFields(each) && each['deprecated'] === undefined ? [version] : [],
  );
  return maxSatisfying(usable, range) ?? maxSatisfying(Object.keys(versions), range) ?? undefined;
}

function sha512(bytes: Uint8Array): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}

function strongest(integrity: string): string | undefined {
  return integrity.split(/\s+/).find((each) => each.startsWith('sha512-'));
}

/** Old packages have only a SHA-1 digest. The lock has our own digest. */
function isAsPublished(bytes: Uint8Array, { integrity, shasum }: Readonly<Record<string, unknown>>): boolean {
  const stated = typeof integrity === 'string' ? integrity.split(/\s+/) : [];
  for (const algorithm of ['sha512', 'sha384', 'sha256', 'sha1']) {
    const expected = stated.find((each) => each.startsWith(`${algorithm}-`));
    if (expected !== undefined) return expected === `${algorithm}-${createHash(algorithm).update(bytes).digest('base64')}`;
  }
  return typeof shasum === 'string' && shasum === createHash('sha1').update(bytes).digest('hex');
}

function invalidDocument(name: string): FetchError {
  return new FetchError(`The registry's answer about '${name}' is invalid.`, 'Check the registry in .npmrc.');
}

function notAsPublished(name: string, version: string): FetchError {
  return new FetchError(
    `The tarball of ${name}@${version} does not have the digest that the registry states.`,
    'Nothing was added. Try again, and report it to the operator of the registry.',
  );
}

function changed(name: string, version: string): FetchError {
  return new FetchError(
    `${name}@${version} is not the package that is in footbridge.lock.`,
    `A published version never changes, so this may be an attack. Ask its publisher. To accept it, remove the source and add it again.`,
  );
}
