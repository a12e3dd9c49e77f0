/** The access token, stored for this tab only. */
import { tabMemory } from './memory.js';

const KEY = 'footbridge-token';

export function token(): string | undefined {
  return tabMemory.get(KEY);
}

/** `undefined` removes it. */
export function keepToken(value: string | undefined): void {
  tabMemory.set(KEY, value);
}

/** Whether a text can be sent in a header. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
