/** Whom something belongs to. */
import { createHash } from 'node:crypto';
import type { Caller } from 'footbridge/pack';

/** The same for one person, and safe to keep: who they are cannot be told from it. */
export function ownerOf({ id, person = id }: Caller): string {
  return createHash('sha256').update(`owner ${person}`).digest('hex');
}
