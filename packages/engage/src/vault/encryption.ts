/** AES-256-GCM encryption and key derivation. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealed {
  /** Hex. */
  readonly nonce: string;
  /** Hex: ciphertext, then tag. */
  readonly sealed: string;
}

/** Derives an independent key for each purpose. */
export function deriveKey(purpose: string, key: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, `footbridge engage vault 1: ${purpose}`, 32));
}

/** `associatedData` is authenticated, and must be passed again to open it. */
export function seal(key: Buffer, secret: string, associatedData: string): Sealed {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(associatedData));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { nonce: nonce.toString('hex'), sealed: sealed.toString('hex') };
}

/** Undefined if authentication fails. */
export function unseal(key: Buffer, { nonce, sealed }: Sealed, associatedData: string): string | undefined {
  const bytes = Buffer.from(sealed, 'hex');
  if (nonce.length !== NONCE_BYTES * 2 || bytes.length < TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'hex'), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(associatedData));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** JSON with sorted keys, so that equal values have equal texts. */
export function canonicalJson(value: object): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
