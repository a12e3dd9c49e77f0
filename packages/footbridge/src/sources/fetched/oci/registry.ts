/** Reads manifests and blobs of a registry, and checks their digests. */
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { echo } from '../../../errors.js';
import { isFields } from '../../../json.js';
import { type Downloaded, downloadAny, parseAnswer } from '../download.js';
import { FetchError } from '../fetch-error.js';
import type { FetchSurroundings } from '../kind.js';
import { basicCredentials, parseChallenge } from './credentials.js';
import { OCI_DIGEST, type OciPlace } from './place.js';

/** A part of an artifact, as a manifest lists it. */
export interface OciDescriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly artifactType: string;
  readonly annotations: Readonly<Record<string, unknown>>;
}

export interface OciManifest {
  readonly digest: string;
  readonly size: number;
  readonly document: Readonly<Record<string, unknown>>;
}

const MANIFESTS = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ');
const LARGEST_MANIFEST = 4 * 1024 * 1024;

export class OciRegistry {
  readonly #place: OciPlace;
  readonly #surroundings: FetchSurroundings;
  #authorization: string | undefined;

  constructor(place: OciPlace, surroundings: FetchSurroundings) {
    this.#place = place;
    this.#surroundings = surroundings;
  }

  /** Undefined if the registry does not have it. Throws a `FetchError` if it does not match the digest. */
  async manifest(reference: string): Promise<OciManifest | undefined> {
    const found = await this.#get(`manifests/${reference}`, MANIFESTS);
    if (found.status === 404) return undefined;
    const { bytes } = this.#accepted(found);
    const digest = sha256(bytes);
    if (OCI_DIGEST.test(reference) && digest !== reference) throw this.#tampered(`manifest ${reference.slice(0, 19)}`);
    const document = bytes.length > LARGEST_MANIFEST ? undefined : parseAnswer(bytes);
    if (!isFields(document)) throw this.#invalid('its manifest is not valid');
    return { digest, size: bytes.length, document };
  }

  /** Throws a `FetchError` unless the bytes are exactly those of the descriptor. */
  async blob({ digest, size }: OciDescriptor): Promise<Uint8Array> {
    const { bytes } = this.#accepted(await this.#get(`blobs/${digest}`, '*/*'));
    if (bytes.length !== size || sha256(bytes) !== digest) throw this.#tampered(`layer ${digest.slice(0, 19)}`);
    return bytes;
  }

  /** Artifacts that refer to a manifest, such as its signatures: from the API, or from the fallback tag. */
  async referrers(digest: string): Promise<readonly OciDescriptor[]> {
    const found = await this.#get(`referrers/${digest}`, 'application/vnd.oci.image.index.v1+json');
    const listed = found.status === 200 ? parseAnswer(found.bytes) : undefined;
    const document = isFields(listed) ? listed : (await this.manifest(digest.replace(':', '-')))?.document;
    return descriptorsIn(document?.['manifests']);
  }

  async #get(path: string, accept: string): Promise<Downloaded> {
    const { repository, url } = this.#place;
    const address = `${url}/v2/${repository}/${path}`;
    const send = () =>
      downloadAny(address, {
        signal: this.#surroundings.signal,
        isPublicOnly: this.#surroundings.isPublicOnly,
        headers: { accept, ...(this.#authorization === undefined ? {} : { authorization: this.#authorization }) },
      });
    const first = await send();
    if (first.status !== 401) return first;
    this.#authorization = await this.#authorize(first.headers.get('www-authenticate') ?? '');
    return this.#authorization === undefined ? first : send();
  }

  /** By a token, which public repositories issue to anyone, or by the stored login itself. */
  async #authorize(header: string): Promise<string | undefined> {
    const { parameters, scheme } = parseChallenge(header);
    const login = await basicCredentials(this.#place, this.#surroundings);
    if (scheme === 'basic') return login;
    const realm = parameters.get('realm');
    if (scheme !== 'bearer' || realm === undefined || !URL.canParse(realm)) return undefined;
    const url = new URL(realm);
    const service = parameters.get('service');
    if (service !== undefined) url.searchParams.set('service', service);
    url.searchParams.set('scope', `repository:${this.#place.repository}:pull`);
    const { isPublicOnly, signal } = this.#surroundings;
    const isOwn = isOfSameSite(url, new URL(this.#place.url));
    const { bytes, status } = await downloadAny(url.href, {
      signal,
      isPublicOnly,
      namedBy: this.#place.url,
      ...(login === undefined || !isOwn ? {} : { headers: { authorization: login } }),
    });
    const answer = status === 200 ? parseAnswer(bytes) : undefined;
    const token = isFields(answer) ? (answer['token'] ?? answer['access_token']) : undefined;
    return typeof token === 'string' && /^[\x21-\x7e]{1,16384}$/.test(token) ? `Bearer ${token}` : undefined;
  }

  #accepted(found: Downloaded): Downloaded {
    const { registry, repository } = this.#place;
    if (found.status === 401 || found.status === 403)
      throw new FetchError(
        `${registry} denies access to '${repository}' (HTTP ${found.status}).`,
        `Sign in with: docker login ${registry}`,
      );
    if (found.status === 404) throw this.#invalid('a part of it was not found');
    if (found.status !== 200) throw new FetchError(`${registry} answered with HTTP ${found.status}.`, 'Try again later.');
    return found;
  }

  #invalid(reason: string): FetchError {
    const { reference, registry, repository } = this.#place;
    return new FetchError(`${registry}/${repository}:${echo(reference)} cannot be used: ${reason}.`, 'Ask its publisher to push it again.');
  }

  #tampered(what: string): FetchError {
    return new FetchError(
      `The ${what} of ${this.#place.repository} does not have its digest, so it was tampered with or damaged.`,
      'Nothing was added. Try again, and report it to the operator of the registry.',
    );
  }
}

/** Whether two servers belong together: the same host, or names of the same domain, such as auth.docker.io and registry-1.docker.io. */
function isOfSameSite(realm: URL, registry: URL): boolean {
  if (realm.host === registry.host) return true;
  if (realm.protocol !== 'https:' || isIP(realm.hostname.replace(/^\[|\]$/g, '')) !== 0) return false;
  const [own, other] = [registry.hostname, realm.hostname];
  return own.endsWith(`.${other}`) || other.endsWith(`.${own}`) ? isSite(own.length < other.length ? own : other) : isBeside(own, other);
}

function isBeside(own: string, other: string): boolean {
  const [above, beside] = [own, other].map((name) => name.slice(name.indexOf('.') + 1));
  return above !== undefined && above === beside && isSite(above);
}

/** Not a top-level domain, nor one such as co.uk. */
function isSite(name: string): boolean {
  const labels = name.split('.');
  return labels.length > 2 || (labels.length === 2 && (labels[0]?.length ?? 0) > 3);
}

const MAX = 1000;

/** Those that are valid. */
export function descriptorsIn(value: unknown): readonly OciDescriptor[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX).flatMap((each: unknown) => {
    if (!isFields(each)) return [];
    const { annotations, artifactType, digest, mediaType, size } = each;
    if (typeof digest !== 'string' || !OCI_DIGEST.test(digest) || typeof mediaType !== 'string') return [];
    if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return [];
    const type = typeof artifactType === 'string' ? artifactType : '';
    return [{ digest, mediaType, size, artifactType: type, annotations: isFields(annotations) ? annotations : {} }];
  });
}

function sha256(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
