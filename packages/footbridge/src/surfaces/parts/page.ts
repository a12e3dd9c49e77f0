/** Pages of lists that fit into one answer. */
import { type HostProfile, usableBytes } from '../hosts/profile.js';
import { jsonBytes } from './size.js';

/** Bytes that a host leaves for the items of a list, next to others; infinite for a host without a limit. */
export function roomFor(profile: HostProfile, ...others: readonly string[]): number {
  return usableBytes(profile) - others.reduce((sum, each) => sum + jsonBytes(each), FRAME);
}

/** More than the words and field names around a list. */
const FRAME = 400;

/** An item in each half of a result. */
export interface ItemForms {
  readonly text: string;
  readonly structure: unknown;
}

/** How many items from `start` fit into `room`: at most `most`, and at least one. */
export function countWithin<T>(items: readonly T[], start: number, most: number, room: number, formsOf: (item: T) => ItemForms): number {
  if (room === Number.POSITIVE_INFINITY) return most;
  let left = room;
  let count = 0;
  while (count < most && start + count < items.length) {
    left -= itemBytes(formsOf(items[start + count] as T));
    if (left < 0) break;
    count++;
  }
  return Math.max(1, count);
}

/** Of the longer half, with what separates it from the next one. */
export function itemBytes({ text, structure }: ItemForms): number {
  return Math.max(jsonBytes(text), Buffer.byteLength(JSON.stringify(structure))) + 2;
}
