/** Pseudonyms of callers. */
import { createHash } from 'node:crypto';

/** Equal for one person, and safe to store: it does not reveal who they are. */
export function ownerOf({ id, person = id }: { readonly id: string; readonly person?: string }): string {
  return createHash('sha256').update(`owner ${person}`).digest('hex');
}
