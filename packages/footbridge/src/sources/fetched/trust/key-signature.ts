/** Checks signatures that were made with a key, in both forms of cosign. A configured key needs no transparency log. */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isFields, parseJson } from '../../../json.js';

/** The first of these keys, in PEM, that has signed it. */
export function signingKey(signed: Uint8Array, signature: Uint8Array, keys: readonly string[]): string | undefined {
  return keys.find((pem) => {
    const key = createPublicKey(pem);
    return verify(key.asymmetricKeyType === 'ed25519' ? undefined : 'sha256', signed, key, signature);
  });
}

/** The digest of the key itself, in any notation. */
export function keyFingerprint(pem: string): string {
  return `sha256:${keyDigest(createPublicKey(pem)).toString('hex')}`;
}

function keyDigest(key: KeyObject): Buffer {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}

/** A Sigstore bundle that was signed with a key. */
export type KeySignedBundle =
  | { readonly state: 'valid'; readonly key: string; readonly statement: Readonly<Record<string, unknown>> | undefined }
  /** It names one of the keys, which has not signed it. */
  | { readonly state: 'invalid' }
  | { readonly state: 'unknown' };

/** Undefined if a bundle is not signed with a key, but with a certificate. */
export function keySignedBundle(bundle: Readonly<Record<string, unknown>>, keys: readonly string[]): KeySignedBundle | undefined {
  const { dsseEnvelope: envelope, verificationMaterial: material } = bundle;
  const named = isFields(material) ? material['publicKey'] : undefined;
  if (!isFields(named)) return undefined;
  const { payload, signatures, type } = envelopeOf(envelope);
  const header = Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `);
  for (const signature of signatures) {
    const key = signingKey(Buffer.concat([header, payload]), signature, keys);
    if (key === undefined) continue;
    const statement = parseJson(payload.toString('utf8'));
    return { state: 'valid', key, statement: isFields(statement) ? statement : undefined };
  }
  const isKnown = keys.some((pem) => keyDigest(createPublicKey(pem)).toString('base64') === named['hint']);
  return { state: isKnown ? 'invalid' : 'unknown' };
}

/** Missing parts are empty. An empty signature is never valid. */
function envelopeOf(value: unknown) {
  const { payload, payloadType, signatures } = isFields(value) ? value : {};
  const listed = Array.isArray(signatures) ? signatures.slice(0, 8) : [];
  return {
    type: typeof payloadType === 'string' ? payloadType : '',
    payload: bytesOf(payload),
    signatures: listed.map((each: unknown) => bytesOf(isFields(each) ? each['sig'] : undefined)),
  };
}

function bytesOf(value: unknown): Buffer {
  return Buffer.from(typeof value === 'string' ? value : '', 'base64');
}
