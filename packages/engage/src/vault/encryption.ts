/** The keys of the vault. */
import { hkdfSync } from 'node:crypto';

/** Derives an independent key for each purpose. */
export function deriveKey(purpose: string, key: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, `footbridge engage vault 1: ${purpose}`, 32));
}

/** JSON with sorted keys, so that equal values have equal texts. */
export function canonicalJson(value: object): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

const NAME = 'FOOTBRIDGE_ENGAGE_KEY';
const KEY_BYTES = 32;

export const GENERATE_KEY = `Generate a key once with \`openssl rand -base64 32\`, keep it, and start the server with it in ${NAME}.`;

/** Undefined if not set. Errors do not repeat the value. */
export function operatorKey(value: string | undefined): Buffer | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (text === '') throw new Error(`${NAME} is empty. ${GENERATE_KEY}`);
  const bytes = decode(text);
  if (bytes === undefined) throw new Error(`${NAME} is neither base64 nor hex. ${GENERATE_KEY}`);
  if (bytes.length !== KEY_BYTES) throw new Error(`${NAME} has ${bytes.length} bytes, expected ${KEY_BYTES}. ${GENERATE_KEY}`);
  return bytes;
}

function decode(text: string): Buffer | undefined {
  // 64 hex digits are also valid base64, of 48 bytes.
  if (/^[0-9A-Fa-f]{64}$/.test(text)) return Buffer.from(text, 'hex');
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return Buffer.from(text, 'base64');
  return undefined;
}
