/** Private keys in PEM and OpenPGP armour. */
import { REDACTED } from './marker.js';

/** One that is never closed, as after a cut, goes to the end. */
const ARMOURED = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g;

/** `text` with every private key replaced, over all its lines. */
export function redactPrivateKeys(text: string): string {
  return text.replace(ARMOURED, REDACTED);
}
