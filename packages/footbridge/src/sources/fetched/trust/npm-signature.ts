/** Checks the provenance of an npm package: who built it from which repository. */
import { asText, isFields } from '../../../json.js';
import { download, parseAnswer } from '../download.js';
import type { NpmEvidence, Signer } from '../evidence.js';
import type { FetchSurroundings } from '../kind.js';
import { registryFor, tarballUrl } from '../npm/registry.js';

const PROVENANCE = /^https:\/\/slsa\.dev\/provenance\//;

/** Undefined if it has none. Throws a `FetchError` if it is not valid, or about another package. */
export async function npmSigner(
  { dist, integrity, name, version }: NpmEvidence,
  rootFile: string | undefined,
  surroundings: FetchSurroundings,
): Promise<Signer | undefined> {
  const { attestations } = dist;
  const address = isFields(attestations) ? attestations['url'] : undefined;
  if (typeof address !== 'string') return undefined;
  const registry = await registryFor(name, surroundings);
  const url = tarballUrl(address, registry);
  const { bytes } = await download(url, { signal: surroundings.signal, headers: registry.headers(url), namedBy: registry.url });
  const document = parseAnswer(bytes);
  const listed = isFields(document) && Array.isArray(document['attestations']) ? document['attestations'] : [];
  const found: unknown = listed.find((each: unknown) => isFields(each) && PROVENANCE.test(asText(each['predicateType'])));
  if (!isFields(found)) return undefined;
  const { invalidSignature, isAbout, sigstoreRoot, verifyBundle } = await import('./sigstore.js');
  const { signer, statement } = verifyBundle(found['bundle'], undefined, await sigstoreRoot(rootFile, surroundings.folder));
  const digest = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');
  if (!isAbout(statement, 'sha512', digest, packageUrl(name, version))) throw invalidSignature('it is about another package');
  return signer;
}

/** As in the statement. */
function packageUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
}
