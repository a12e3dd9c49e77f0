/** What becomes of several reads in one answer, as far as the host lets it through. */
import type { Reading } from '../../catalog/reading.js';
import { echo, FootbridgeError } from '../../errors.js';
import { redactInput } from '../../redact.js';
import type { HostProfile } from '../hosts/profile.js';
import { roomFor } from '../parts/page.js';
import { fits, jsonBytes } from '../parts/size.js';
import { errorStructure, errorText, isSeen } from './resource-result.js';

export type Outcome = { readonly uri: string; readonly reading: Reading } | FailedOutcome;

interface FailedOutcome {
  readonly uri: string;
  readonly error: FootbridgeError;
}

/** The outcomes of an answer. */
export interface Fitting {
  readonly outcomes: readonly Outcome[];
  /** What is left for a list of valid URIs. */
  readonly room: number;
  /** Whether errors are one line each. */
  readonly isShort: boolean;
  /** Errors for which there is not even a line. */
  readonly omitted: number;
}

/** As many of the readings as the host lets through, in order; the others are to be read alone. */
export function fitting(all: readonly Outcome[], profile: HostProfile): Fitting {
  const room = roomFor(profile);
  const whole = { outcomes: all, isShort: false, omitted: 0 };
  if (room === Number.POSITIVE_INFINITY) return { ...whole, room };
  const spare = all.reduce((rest, outcome) => rest - sizeOfOutcome(outcome, rest), room);
  if (spare >= 0) return { ...whole, room: spare };
  // Each may have to be refused.
  const failed = all.map((outcome) => ('error' in outcome ? outcome : { uri: outcome.uri, error: readAlone(outcome.uri) }));
  const isShort = failed.reduce((rest, { error }) => rest - sizeOfError(error), room) < 0;
  const sizeOf = isShort ? sizeOfLine : ({ error }: FailedOutcome) => sizeOfError(error);
  const total = isShort ? room - jsonBytes(shortNote(all.length)) : room;
  const needed = failed.reduce((sum, each) => sum + sizeOf(each), 0);
  const reserved = isShort ? Math.min(needed, total * LINES_SHARE) : needed;
  let rest = total - reserved;
  let taken = 0;
  const outcomes = failed.map((failure, index): Outcome => {
    const outcome = all[index] ?? failure;
    if ('error' in outcome) return failure;
    const back = reserved === needed ? sizeOf(failure) : 0;
    const size = sizeOfReading(outcome.reading, rest + back);
    if (size > rest + back) return failure;
    rest += back - size;
    taken += size;
    return outcome;
  });
  let left = total - taken;
  const kept = outcomes.filter((outcome) => {
    if ('reading' in outcome) return true;
    left -= sizeOf(outcome);
    return left >= 0;
  });
  return { outcomes: kept, room: Math.max(0, left), isShort, omitted: outcomes.length - kept.length };
}

/** What errors of one line may take at most, so that something of what was read is left. */
const LINES_SHARE = 0.5;

/** Text that stands for a failed read. */
export function failureText({ error, uri }: FailedOutcome, isShort: boolean, valid: readonly string[]): string {
  return isShort ? `${error.code}: ${echo(uri)}` : `URI: ${echo(uri)}\n${errorText(error, valid)}`;
}

/** The same as structure. */
export function failureStructure({ error, uri }: FailedOutcome, isShort: boolean, valid: readonly string[]): Record<string, unknown> {
  return { uri: echo(uri), ...(isShort ? { success: false, error: error.code } : errorStructure(error, valid)) };
}

/** Explains errors of one line. */
export function shortNote(omitted: number): string {
  const more = omitted === 0 ? '' : `${omitted} more ${omitted === 1 ? 'error is' : 'errors are'} left out. `;
  return `${more}Errors are shortened to fit. Read one with get_resource, or fewer at once, to see what to do.`;
}

/** More than the names of the fields of one entry. */
const FRAME = 160;
/** The same for an error of one line. */
const LINE_FRAME = 60;

function sizeOfOutcome(outcome: Outcome, room: number): number {
  return 'error' in outcome ? sizeOfError(outcome.error) : sizeOfReading(outcome.reading, room);
}

function sizeOfError(error: FootbridgeError): number {
  return jsonBytes(errorText(error, [])) + FRAME;
}

function sizeOfLine(outcome: FailedOutcome): number {
  return jsonBytes(failureText(outcome, true, [])) + LINE_FRAME;
}

/** Infinite when it is more than `room`. Images and audio are not text, and do not count. */
function sizeOfReading({ contents, name, uri }: Reading, room: number): number {
  let size = jsonBytes(uri) + jsonBytes(name) + FRAME;
  for (const each of contents) {
    if (isSeen([each])) continue;
    const text = 'text' in each ? each.text : each.blob;
    if (!fits(text, room - size)) return Number.POSITIVE_INFINITY;
    size += jsonBytes(text) + jsonBytes(each.uri) + FRAME;
  }
  return size;
}

function readAlone(uri: string): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', 'It does not fit into this answer.', {
    suggestedActions: [`Read it alone: get_resource(${redactInput(JSON.stringify({ uri }))})`],
  });
}
