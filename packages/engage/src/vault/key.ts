/** The operator's encryption key. There is no built-in default. */

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
