/** Whom something belongs to. */
import { createHash } from 'node:crypto';

/** The same for one person, and safe to keep: who they are cannot be told from it. */
export function ownerOf({ id, person = id }: { readonly id: string; readonly person?: string }): string {
  return createHash('sha256').update(`owner ${person}`).digest('hex');
}
