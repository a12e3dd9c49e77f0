/** The kind `oci`: artifacts of an OCI registry, as `oras push` writes them: archives, or files with a title. */
import { echo } from '../../../errors.js';
import { unpackArchive } from '../archive/index.js';
import { FETCH_BOUNDS } from '../bounds.js';
import { FetchError } from '../fetch-error.js';
import type { FetchedContent, FetchRequest, FetchSurroundings, Resolved, SourceKind } from '../kind.js';
import { OCI_DIGEST, type OciPlace, ociPlace } from './place.js';
import { descriptorsIn, type OciDescriptor, type OciManifest, OciRegistry } from './registry.js';
import { signaturesOf } from './signatures.js';

export const ociKind: SourceKind = {
  name: 'oci',
  form: 'oci://registry/repository[:tag]',
  parse(specification) {
    const place = ociPlace(specification);
    if (place === undefined) return undefined;
    return {
      specification,
      title: place.repository.split('/').at(-1) ?? place.repository,
      resolve: async (surroundings) => resolved(place, await manifestOf(place, new OciRegistry(place, surroundings))),
      fetch: (request) => fetch(place, request),
    };
  },
};

/** A tag that is a full version is expected to stay; others move. */
const VERSION = /^v?\d+\.\d+\.\d+/;

function resolved({ reference, registry, repository }: OciPlace, { digest }: OciManifest): Resolved {
  const short = digest.slice(0, 'sha256:'.length + 12);
  const isTag = !OCI_DIGEST.test(reference);
  return {
    pin: { digest, ...(isTag ? { tag: reference } : {}) },
    version: isTag ? `${reference} (${short})` : short,
    ...(isTag && VERSION.test(reference) ? { promised: `${registry}/${repository}:${reference}` } : {}),
  };
}

/** The only manifest of an index: with several, the platform is unknown. */
async function manifestOf(place: OciPlace, registry: OciRegistry, reference = place.reference): Promise<OciManifest> {
  const found = await registry.manifest(reference);
  if (found === undefined)
    throw new FetchError(
      `${place.registry}/${place.repository} has no '${echo(reference)}'.`,
      'Check the name, and the tag after the colon.',
    );
  const [only, ...others] = descriptorsIn(found.document['manifests']);
  if (only === undefined) return found;
  const inner = others.length > 0 ? undefined : await registry.manifest(only.digest);
  if (inner === undefined)
    throw new FetchError('The tag is an index of several artifacts.', 'Name one of them by its digest: oci://registry/repository@sha256:…');
  return { ...inner, digest: found.digest };
}

async function fetch(place: OciPlace, request: FetchRequest): Promise<FetchedContent> {
  const registry = new OciRegistry(place, request satisfies FetchSurroundings);
  const digest = request.pin?.['digest'];
  if (digest !== undefined && !OCI_DIGEST.test(digest)) throw new FetchError('The lock has an invalid digest.', 'Restore footbridge.lock.');
  const manifest = await manifestOf(place, registry, digest);
  const layers = descriptorsIn(manifest.document['layers']);
  const size = layers.reduce((sum, layer) => sum + layer.size, 0);
  if (size > FETCH_BOUNDS.download)
    throw new FetchError(`The artifact has more than ${FETCH_BOUNDS.download / 1024 / 1024} MiB.`, 'Ask its publisher to split it.');
  for (const layer of layers) await stage(layer, registry, request);
  const signatures = await signaturesOf(registry, manifest.digest);
  return { ...resolved(place, manifest), evidence: { kind: 'oci', digest: manifest.digest, signatures } };
}

const ARCHIVE = /tar|zip/;
const TITLE = 'org.opencontainers.image.title';

async function stage(layer: OciDescriptor, registry: OciRegistry, { staging }: FetchRequest): Promise<void> {
  const title = layer.annotations[TITLE];
  const name = typeof title === 'string' ? title : '';
  const isArchive = ARCHIVE.test(layer.mediaType) || /\.(?:skill|zip|tgz|tar\.gz|tar)$/i.test(name);
  if (!isArchive && name === '') return;
  const bytes = await registry.blob(layer);
  if (isArchive) await unpackArchive(bytes, { staging });
  else {
    staging.count();
    await staging.put(name, bytes);
  }
}
