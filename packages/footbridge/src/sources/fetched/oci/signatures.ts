/** The signatures of an OCI artifact, as cosign stores them. They are only collected here. */
import { isFields, parseJson } from '../../../json.js';
import type { OciSignature } from '../evidence.js';
import { descriptorsIn, type OciDescriptor, type OciRegistry } from './registry.js';

const BUNDLE = /^application\/vnd\.dev\.sigstore\.bundle/;
const SIMPLE = 'application/vnd.dev.cosign.simplesigning.v1+json';
/** Further and larger signatures are ignored. */
const MAX = 8;
const LARGEST = 256 * 1024;

/** Bundles that refer to the artifact, and the older form: a tag with the digest in its name. */
export async function signaturesOf(registry: OciRegistry, digest: string): Promise<readonly OciSignature[]> {
  const referrers = await registry.referrers(digest);
  const found: OciSignature[] = [];
  for (const each of referrers.slice(0, MAX)) found.push(...(await bundlesIn(registry, each)));
  const older = await registry.manifest(`${digest.replace(':', '-')}.sig`);
  for (const layer of descriptorsIn(older?.document['layers']).slice(0, MAX)) {
    if (layer.mediaType !== SIMPLE || layer.size > LARGEST) continue;
    found.push({ form: 'simple', payload: await registry.blob(layer), annotations: layer.annotations });
  }
  return found;
}

async function bundlesIn(registry: OciRegistry, { artifactType, digest }: OciDescriptor): Promise<readonly OciSignature[]> {
  const manifest = await registry.manifest(digest);
  const layers = descriptorsIn(manifest?.document['layers']);
  const bundles = layers.filter(({ mediaType, size }) => (BUNDLE.test(mediaType) || BUNDLE.test(artifactType)) && size <= LARGEST);
  const found: OciSignature[] = [];
  for (const layer of bundles.slice(0, MAX)) {
    const bundle = parseJson(Buffer.from(await registry.blob(layer)).toString('utf8'));
    if (isFields(bundle)) found.push({ form: 'bundle', bundle });
  }
  return found;
}
