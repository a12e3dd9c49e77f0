/** AES-256-GCM over a secret, bound to whose it is: what comes back is what was put in, or nothing does. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealed {
  /** Hex. */
  readonly nonce: string;
  /** Hex: the ciphertext, then the tag. */
  readonly sealed: string;
}

/** A key for one purpose, so that what is made for one says nothing about another. */
export function keyFor(purpose: string, key: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, `footbridge engage vault 1: ${purpose}`, 32));
}

/** Never twice the same, even for the same secret. `bound` must be given again to open it. */
export function seal(key: Buffer, secret: string, bound: string): Sealed {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(bound));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return { nonce: nonce.toString('hex'), sealed: sealed.toString('hex') };
}

/** Undefined where anything is not as it was sealed. */
export function unseal(key: Buffer, { nonce, sealed }: Sealed, bound: string): string | undefined {
  const bytes = Buffer.from(sealed, 'hex');
  if (nonce.length !== NONCE_BYTES * 2 || bytes.length < TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'hex'), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(bound));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
