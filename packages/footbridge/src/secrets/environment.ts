/** The secrets of this process's own environment, wherever they appear. */
import { REDACTED } from './marker.js';
import { tellsSecret } from './names.js';

/** Shorter values are words that appear by chance. */
const SHORTEST = 8;

/** Redacts the values of environment variables whose names mark a secret, as they are or encoded. */
export function redactEnvironment(text: string): string {
  let shown = text;
  for (const spelling of spellings()) shown = shown.replaceAll(spelling, REDACTED);
  return shown;
}

/** The longest first: one value may be a part of another. */
function spellings(): string[] {
  const found = new Set<string>();
  for (const [name, value] of Object.entries(process.env)) {
    if (value === undefined || value.length < SHORTEST || REDACTED.includes(value) || !tellsSecret(name)) continue;
    const base64 = Buffer.from(value).toString('base64');
    found.add(value).add(encodeURIComponent(value.toWellFormed())).add(JSON.stringify(value).slice(1, -1));
    found.add(base64).add(base64.replace(/=+$/, '')).add(Buffer.from(value).toString('base64url')).add(encodeURIComponent(base64));
  }
  return [...found].sort((one, other) => other.length - one.length);
}
