/** The key that the operator provides: there is no other, so that nobody's secrets lie under a key everyone knows. */

const NAME = 'FOOTBRIDGE_ENGAGE_KEY';
const KEY_BYTES = 32;

export const HOW_TO_MAKE_A_KEY = `Make a key once with \`openssl rand -base64 32\`, start the server with it in ${NAME}, and keep it.`;

/** Undefined where none is set. Throws on anything that is no key, with words that do not repeat it. */
export function operatorKey(value: string | undefined): Buffer | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (text === '') throw new Error(`${NAME} is set, but empty. ${HOW_TO_MAKE_A_KEY}`);
  const bytes = decode(text);
  if (bytes === undefined) throw new Error(`${NAME} is neither base64 nor hex. ${HOW_TO_MAKE_A_KEY}`);
  if (bytes.length !== KEY_BYTES) throw new Error(`${NAME} holds ${bytes.length} bytes instead of ${KEY_BYTES}. ${HOW_TO_MAKE_A_KEY}`);
  return bytes;
}

function decode(text: string): Buffer | undefined {
  // Such a text is base64, too, but then of 48 bytes, which would be no key.
  if (/^[0-9A-Fa-f]{64}$/.test(text)) return Buffer.from(text, 'hex');
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return Buffer.from(text, 'base64');
  return undefined;
}
