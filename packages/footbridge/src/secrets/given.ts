/** Values passed to a server, such as its environment and headers, which it may repeat. */
import { REDACTED } from './names.js';

/** Shorter values are not secret, and may be part of any word. */
const SHORTEST = 6;

/** `text` without these values, whole or word by word. */
export function redactGiven(text: string, given: readonly string[]): string {
  return given
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter((part) => part.length >= SHORTEST)
    .reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
}
