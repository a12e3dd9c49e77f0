/** What a vault's folder begins with: a salt, and a proof of the key that it was made with. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { parseJson } from 'footbridge/pack';
import * as z from 'zod/v4';
import { canonicalJson } from './canonical.js';
import { keyFor } from './seal.js';

const BYTES = 32;
const HEX = z.string().regex(/^[0-9a-f]{64}$/);
const HEADER = z.strictObject({ check: HEX, salt: HEX, version: z.literal(1) });

/** The text of a new header. */
export function newHeader(key: Buffer): string {
  const salt = randomBytes(BYTES);
  return canonicalJson({ check: keyFor('check', key, salt).toString('hex'), salt: salt.toString('hex'), version: 1 });
}

/** The key of the records, or undefined where the header was made with another key or is not as it was written. */
export function recordKey(text: string, key: Buffer): Buffer | undefined {
  const header = parse(text);
  if (header === undefined) return undefined;
  const salt = Buffer.from(header.salt, 'hex');
  return timingSafeEqual(keyFor('check', key, salt), Buffer.from(header.check, 'hex')) ? keyFor('records', key, salt) : undefined;
}

function parse(text: string): z.infer<typeof HEADER> | undefined {
  const { data } = HEADER.safeParse(parseJson(text));
  return data !== undefined && canonicalJson(data) === text ? data : undefined;
}
