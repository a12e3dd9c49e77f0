/** Checks cosign's signatures of an OCI artifact: with a certificate of Sigstore, or with a public key of the signers. */
import { createHash } from 'node:crypto';
import { asText, isFields, parseJson } from '../../../json.js';
import type { OciEvidence, OciSignature, Signer } from '../evidence.js';
import { FetchError } from '../fetch-error.js';
import { keyFingerprint, keySignedBundle, signingKey } from './key-signature.js';
import type { Signers } from './settings.js';

/** The signers of all valid signatures. Empty if none can be checked; throws if all are invalid. */
export async function ociSigners(
  { digest, signatures }: OciEvidence,
  signers: Signers,
  rootFile: string | undefined,
  folder: string,
): Promise<readonly Signer[]> {
  const found: Signer[] = [];
  let problem: FetchError | undefined;
  for (const signature of signatures) {
    try {
      const signer = await signerOf(signature, digest, signers, rootFile, folder);
      if (signer !== undefined) found.push(signer);
    } catch (cause) {
      if (!(cause instanceof FetchError)) throw cause;
      problem ??= cause;
    }
  }
  if (problem !== undefined && found.length === 0) throw problem;
  return found;
}

async function signerOf(
  signature: OciSignature,
  digest: string,
  signers: Signers,
  rootFile: string | undefined,
  folder: string,
): Promise<Signer | undefined> {
  if (signature.form === 'simple') {
    if (!isForImage(signature.payload, digest))
      throw new FetchError('A signature is about another artifact.', 'Nothing was added. Ask its publisher.');
    const byKey = keySigner(signature, signers);
    if (byKey !== undefined) return byKey;
  }
  const { invalidSignature, isAbout, sigstoreRoot, verifyBundle } = await import('./sigstore.js');
  if (signature.form === 'simple') {
    const bundle = bundleOf(signature);
    // Signed with a key that is not known.
    if (bundle === undefined) return undefined;
    return verifyBundle(bundle, signature.payload, await sigstoreRoot(rootFile, folder)).signer;
  }
  const byKey = keySignedBundle(signature.bundle, signers.pem);
  if (byKey?.state === 'unknown') return undefined;
  if (byKey?.state === 'invalid') throw invalidSignature('it was changed after it was signed');
  const { signer, statement } =
    byKey === undefined
      ? verifyBundle(signature.bundle, undefined, await sigstoreRoot(rootFile, folder))
      : { signer: signerWith(byKey.key), statement: byKey.statement };
  if (!isAbout(statement, 'sha256', digest.replace('sha256:', ''))) throw invalidSignature('it is about another artifact');
  return signer;
}

type SimpleSignature = Extract<OciSignature, { form: 'simple' }>;

function isForImage(payload: Uint8Array, digest: string): boolean {
  const document = parseJson(Buffer.from(payload).toString('utf8'));
  const critical = isFields(document) ? document['critical'] : undefined;
  const image = isFields(critical) ? critical['image'] : undefined;
  return isFields(image) && image['docker-manifest-digest'] === digest;
}

function textOf({ annotations }: SimpleSignature, name: string): string | undefined {
  const value = annotations[name];
  return typeof value === 'string' ? value : undefined;
}

function keySigner(signature: SimpleSignature, { pem }: Signers): Signer | undefined {
  const bytes = Buffer.from(textOf(signature, 'dev.cosignproject.cosign/signature') ?? '', 'base64');
  const key = signingKey(signature.payload, bytes, pem);
  return key === undefined ? undefined : signerWith(key);
}

function signerWith(key: string): Signer {
  return { method: 'cosign', identity: keyFingerprint(key) };
}

/** The older form as a bundle; undefined if it has no certificate. */
function bundleOf(signature: SimpleSignature): object | undefined {
  const certificate = textOf(signature, 'dev.sigstore.cosign/certificate');
  const entry = parseJson(textOf(signature, 'dev.sigstore.cosign/bundle') ?? '');
  const payload = isFields(entry) ? entry['Payload'] : undefined;
  if (certificate === undefined || !isFields(entry) || !isFields(payload)) return undefined;
  const rawBytes = certificate.replace(/-----(?:BEGIN|END) CERTIFICATE-----|\s/g, '');
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.1',
    verificationMaterial: {
      x509CertificateChain: { certificates: [{ rawBytes }] },
      tlogEntries: [
        {
          logIndex: asText(payload['logIndex']),
          logId: { keyId: Buffer.from(asText(payload['logID']), 'hex').toString('base64') },
          kindVersion: { kind: 'hashedrekord', version: '0.0.1' },
          integratedTime: asText(payload['integratedTime']),
          inclusionPromise: { signedEntryTimestamp: entry['SignedEntryTimestamp'] },
          canonicalizedBody: payload['body'],
        },
      ],
    },
    messageSignature: {
      messageDigest: { algorithm: 'SHA2_256', digest: createHash('sha256').update(signature.payload).digest('base64') },
      signature: textOf(signature, 'dev.cosignproject.cosign/signature') ?? '',
    },
  };
}
