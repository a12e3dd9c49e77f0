/** Records of sessions as they are kept: as text, so that its length says what they take. */
import { isFields } from '../../../json.js';
import { readMessage } from './event-log.js';
import type { SessionRecord } from './shared-state.js';

export function writeRecord({ owner, initialize, subscriptions }: SessionRecord): string {
  return JSON.stringify({ owner, initialize, subscriptions });
}

/** The record in a text; undefined when there is none in it. */
export function readRecord(text: string | null | undefined): SessionRecord | undefined {
  try {
    const record: unknown = JSON.parse(text ?? '');
    if (!isFields(record)) return undefined;
    const { owner, subscriptions } = record;
    const initialize = readMessage(JSON.stringify(record['initialize']));
    if (typeof owner !== 'string' || initialize === undefined || !isTexts(subscriptions)) return undefined;
    return { owner, initialize, subscriptions };
  } catch {
    return undefined;
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
