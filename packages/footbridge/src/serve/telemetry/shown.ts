/** What a caller chose, made fit for a log line or an attribute. */
import { echo } from '../../errors.js';
import { redact } from '../../redact.js';

/** How many answers are remembered, and of what length: requests name the same few things over and over. */
const MOST_REMEMBERED = 1000;
const LONGEST_REMEMBERED = 256;

const remembered = new Map<string, string>();

/** `text` on one line, bounded, without secrets and control characters. */
export function shown(text: string): string {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const safe = echo(redact(text));
  if (text.length > LONGEST_REMEMBERED) return safe;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(text, safe);
  return safe;
}
