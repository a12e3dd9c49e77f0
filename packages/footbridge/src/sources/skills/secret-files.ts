/** Which files of a skill are refused because they are likely to hold secrets. */
import { echo, FootbridgeError } from '../../errors.js';

const SECRET_NAME =
  /^(?:\.env(?:[._~-].*)?|\.envrc|[._]netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.htpasswd|id_(?:rsa|dsa|ed25519|ecdsa)(?:_sk)?(?:[.~-].*)?|credentials(?:\.json)?)$/i;
const SECRET_EXTENSION = /\.(?:pem|p12|pfx|key|ppk|jks|keystore|kdbx)$/i;
const SECRET_FOLDERS: ReadonlySet<string> = new Set(['.ssh', '.aws', '.azure', '.gnupg', '.kube']);
/** Public keys, and examples of a file without its values. */
const PUBLIC_NAME = /[._-](?:pub|example|sample|template|dist|defaults|schema)$/i;

/** Whether a file below a skill usually contains secrets, by its name or that of a folder around it. */
export function hasSecretName(path: string): boolean {
  const names = path.split(/[/\\]/);
  const name = names.pop() ?? '';
  const isSecret = SECRET_NAME.test(name) || SECRET_EXTENSION.test(name) || names.some(isSecretFolder);
  return isSecret && !PUBLIC_NAME.test(name);
}

function isSecretFolder(name: string): boolean {
  return name.startsWith('.') && SECRET_FOLDERS.has(name.toLowerCase());
}

const DASH = 0x2d;
const KEY_HEADER = /^-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----/;
/** More than the longest header. */
export const KEY_HEADER_BYTES = 128;

/** Whether a file begins with a private key. One that shows a key further down, as documentation does, is not one. */
export function isPrivateKey(bytes: Uint8Array): boolean {
  let start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (start < KEY_HEADER_BYTES && isBlank(bytes[start])) start++;
  if (bytes[start] !== DASH) return false;
  return KEY_HEADER.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', start, start + KEY_HEADER_BYTES));
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** The error for a read of such a file. */
export function secretFile(path: string): FootbridgeError {
  return new FootbridgeError('Unauthorized', `The file '${echo(path)}' is not served: it is likely to contain secrets.`, {
    details: 'Files such as .env and private keys are refused.',
    suggestedActions: [
      'Go on without this file.',
      'If it holds nothing secret, ask the owner of the skill to rename it, or the operator of the server to set "serveSecrets": true in footbridge.json.',
    ],
  });
}
