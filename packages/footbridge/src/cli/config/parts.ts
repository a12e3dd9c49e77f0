/** Building blocks of the schema. */
import * as z from 'zod/v4';
import { isLoopback } from '../../serve/http/addresses.js';

export const filled = z.string().min(1, 'This is empty; is a variable unset?');

export function text(description: string) {
  return filled.describe(description);
}

export function listOf<T extends z.ZodType>(item: T, description: string) {
  return z.array(item).describe(description);
}

/** As `listOf`, but not empty. */
export function someOf<T extends z.ZodType>(item: T, description: string) {
  return z.array(item).min(1, 'The list is empty.').describe(description);
}

export const ToolSearchSchema = z.union([z.boolean(), z.literal('auto')], 'Expected true, false or "auto".');

export function isToolSearch(value: unknown): value is boolean | 'auto' {
  return typeof value === 'boolean' || value === 'auto';
}

const IDLE = 'Expected a positive number of seconds, or false.';
const LONGEST_IDLE = 30 * 24 * 3600;

/** Seconds, or false for never. */
export const IdleSchema = z.union([z.number().positive().max(LONGEST_IDLE), z.literal(false)], IDLE);

export function isIdle(value: unknown): value is number | false {
  return value === false || (typeof value === 'number' && value > 0 && value <= LONGEST_IDLE);
}

export function webUrl(description: string) {
  return z.string().refine(isWebUrl, 'Invalid URL. Use https:// or http://.').describe(description);
}

/** As `webUrl`, but encrypted unless it is on this machine. */
export function safeUrl(description: string) {
  return webUrl(description).refine(
    (value) => !isWebUrl(value) || value.startsWith('https:') || isLoopback(new URL(value).hostname),
    'http:// is allowed only for this machine. Use https://.',
  );
}

export function isWebUrl(value: string): boolean {
  return /^https?:\/\//.test(value) && URL.canParse(value);
}
