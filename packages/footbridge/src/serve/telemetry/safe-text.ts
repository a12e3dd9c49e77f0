/** Text from callers, made safe for logs and attributes. */
import { echo } from '../../errors.js';
import { redact } from '../../redact.js';

/** Requests repeat the same few names, so short results are cached. */
const MAX_CACHED = 1000;
const MAX_CACHED_LENGTH = 256;
/** Much more than is shown. Any client can send a long path, and each is redacted. */
const MAX_READ = 2048;

const cache = new Map<string, string>();

/** `text` on one line, bounded, without secrets or control characters. */
export function safeText(text: string): string {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const safe = echo(redact(text, MAX_READ));
  if (text.length > MAX_CACHED_LENGTH) return safe;
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(text, safe);
  return safe;
}
