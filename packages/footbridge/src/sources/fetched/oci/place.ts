/** Specifications of OCI artifacts: `oci://registry/repository[:tag][@digest]`. */
import { echo } from '../../../errors.js';
import { isLoopbackName } from '../../../outgoing/loopback-name.js';
import { FetchError } from '../fetch-error.js';

/** An artifact in a registry. */
export interface OciPlace {
  /** Host and port, as in the specification. */
  readonly registry: string;
  /** The base of all its URLs, without a slash at its end. */
  readonly url: string;
  readonly repository: string;
  /** A tag or a digest. */
  readonly reference: string;
}

const HOST = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::\d{1,5})?$/i;
const REPOSITORY = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
export const OCI_DIGEST = /^sha256:[0-9a-f]{64}$/;
const LONGEST = 512;

/** Undefined if it is of another kind. Throws a `FetchError` if it is invalid. */
export function ociPlace(specification: string): OciPlace | undefined {
  if (!specification.startsWith('oci://')) return undefined;
  const whole = specification.slice('oci://'.length);
  const slash = whole.indexOf('/');
  const [registry, path] = [whole.slice(0, slash), whole.slice(slash + 1)];
  const at = path.indexOf('@');
  const named = at === -1 ? path : path.slice(0, at);
  const colon = named.indexOf(':');
  const repository = colon === -1 ? named : named.slice(0, colon);
  const tag = colon === -1 ? 'latest' : named.slice(colon + 1);
  const digest = at === -1 ? undefined : path.slice(at + 1);
  const isValid =
    slash > 0 &&
    whole.length <= LONGEST &&
    HOST.test(registry) &&
    REPOSITORY.test(repository) &&
    TAG.test(tag) &&
    (digest === undefined || OCI_DIGEST.test(digest));
  if (!isValid) throw new FetchError(`Invalid source '${echo(specification)}'.`, 'Use oci://registry/repository:tag.');
  return { registry, url: baseUrl(registry), repository, reference: digest ?? tag };
}

/** Without encryption on this machine only. */
function baseUrl(registry: string): string {
  if (registry === 'docker.io') return 'https://registry-1.docker.io';
  const { hostname } = new URL(`http://${registry}`);
  return `${isLoopbackName(hostname) ? 'http' : 'https'}://${registry}`;
}
