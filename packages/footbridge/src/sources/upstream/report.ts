/**
 * Events for a program that started this one and wants more than text: one JSON line each on stderr. `FOOTBRIDGE_REPORT` holds a
 * secret of that program, repeated in each line, so that what upstreams write to the same stderr cannot be mistaken for ours.
 */
import { isFields } from '../../json.js';
import { type FailureKind, isFailureKind } from './failure.js';

export const REPORT_VARIABLE = 'FOOTBRIDGE_REPORT';

export type ReportEvent =
  | { readonly event: 'upstream-failed'; readonly server: string; readonly kind: FailureKind; readonly message: string }
  /** An upstream's tool replaces ours of the same name. */
  | { readonly event: 'tool-name-taken'; readonly name: string }
  /** Written by `bin/footbridge.cjs`. */
  | { readonly event: 'node-too-old'; readonly version: string };

export function reportEvent(event: ReportEvent): void {
  const token = process.env[REPORT_VARIABLE];
  if (token) process.stderr.write(`${JSON.stringify({ footbridge: token, ...event })}\n`);
}

/** The event in a line of stderr; undefined for any other line. */
export function parseEvent(line: string, token: string): ReportEvent | undefined {
  if (!line.startsWith('{"footbridge":')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) && value['footbridge'] === token ? toEvent(value) : undefined;
  } catch {
    return undefined;
  }
}

function toEvent({ event, kind, message, name, server, version }: Readonly<Record<string, unknown>>): ReportEvent | undefined {
  if (event === 'upstream-failed' && typeof server === 'string' && typeof message === 'string')
    // A newer Footbridge may know more kinds.
    return { event, server, kind: isFailureKind(kind) ? kind : 'protocol', message };
  if (event === 'tool-name-taken' && typeof name === 'string') return { event, name };
  return event === 'node-too-old' && typeof version === 'string' ? { event, version } : undefined;
}
