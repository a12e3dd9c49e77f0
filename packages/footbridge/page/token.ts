/** The access token: kept for this tab alone, and sent to this server alone. */
import { tabMemory } from './memory.js';

const KEY = 'footbridge-token';

export function token(): string | undefined {
  return tabMemory.get(KEY);
}

/** Undefined forgets it. */
export function keepToken(value: string | undefined): void {
  tabMemory.set(KEY, value);
}

/** Whether a text can be sent as a token at all. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
