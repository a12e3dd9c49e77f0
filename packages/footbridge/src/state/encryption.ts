/** AES-256-GCM encryption of what is stored. */
import { createCipheriv, createDecipheriv, randomBytes, timingSafeEqual } from 'node:crypto';
import { isFields, parseJson } from '../json.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealed {
  /** Hex. */
  readonly nonce: string;
  /** Hex: ciphertext, then tag. */
  readonly sealed: string;
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

/** The same as text. */
export function sealText(key: Buffer, value: unknown, associatedData: string): string {
  return JSON.stringify(seal(key, JSON.stringify(value), associatedData));
}

/** The value in a text of `sealText`; undefined if authentication fails, or if it is no such text. */
export function unsealText(key: Buffer, text: string, associatedData: string): unknown {
  const stored = parseJson(text);
  if (!isFields(stored)) return undefined;
  const { nonce, sealed } = stored;
  if (typeof nonce !== 'string' || typeof sealed !== 'string') return undefined;
  const value = unseal(key, { nonce, sealed }, associatedData);
  return value === undefined ? undefined : parseJson(value);
}

/** Compares in a time that does not depend on where two secrets differ. */
export function isEqualSecret(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
