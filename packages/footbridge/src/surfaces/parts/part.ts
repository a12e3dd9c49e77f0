/** Parts of texts that are longer than a host lets through, or than a caller wants. */
import type { Tool } from '@modelcontextprotocol/server';
import * as z from 'zod/v4';
import type { Catalog } from '../../catalog/catalog.js';
import { FootbridgeError } from '../../errors.js';
import { redactInput } from '../../redact.js';
import type { ReadContext } from '../../sources/resource.js';
import { type HostProfile, usableBytes } from '../hosts/profile.js';
import { afterLines, endOf, startOf } from './cut.js';
import { fits, jsonBytes } from './size.js';
import { GivenVersions, versionOf } from './version.js';

const RANGE = `Expected an integer from 0 to ${Number.MAX_SAFE_INTEGER}`;

/** Some models send numbers as text. */
const Count = z.preprocess(
  (value) => (typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value),
  z.int(RANGE).nonnegative(RANGE).optional(),
);

/** The arguments that ask for a part, for the schema of a tool. */
export const PART_FIELDS = { offset: Count, limit: Count, version: z.string().optional() };

/** What to do about an invalid one of these. */
export const PART_HINT = 'Leave out offset and limit for the start of the text, or use the call that the previous part names.';

export function isPartField(name: string): boolean {
  return Object.hasOwn(PART_FIELDS, name);
}

const PART_PROPERTIES = {
  offset: { type: 'integer', description: 'Character to start at' },
  limit: { type: 'integer', description: 'Maximum number of characters' },
  version: { type: 'string', description: 'Version of the previous part' },
};

/** The same for `tools/list`. */
export function withPartProperties(schema: Tool['inputSchema']): Tool['inputSchema'] {
  return { ...schema, properties: { ...schema.properties, ...PART_PROPERTIES } };
}

/** The same in few words. */
export function withBriefPartProperties(schema: Tool['inputSchema']): Tool['inputSchema'] {
  return { ...schema, properties: { ...schema.properties, offset: INTEGER, limit: INTEGER, version: { type: 'string' } } };
}

const INTEGER = { type: 'integer' };

export interface PartInput {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly version?: string | undefined;
}

/** A call of a tool that returns a text. */
export interface TextCall {
  readonly tool: 'skill' | 'get_skill' | 'get_resource';
  /** The arguments that identify the text. */
  readonly which: Readonly<Record<string, string>>;
  readonly input: PartInput;
  readonly catalog: Catalog;
  readonly context: ReadContext;
  readonly profile: HostProfile;
}

export interface TextPart {
  readonly text: string;
  /** The line that precedes it, with its end. */
  readonly line: string;
  /** The same for the structured half. */
  readonly fields: { readonly offset: number; readonly next_offset?: number; readonly total: number; readonly next?: string };
}

/** Whether a call continues a text of which it has had a part. */
export function continues({ input: { offset = 0 } }: TextCall): boolean {
  return offset > 0;
}

/** Whether the whole text is returned, with `besides` bytes around it. */
export function isWhole(text: string, besides: number, { input: { offset = 0, limit = 0 }, profile }: TextCall): boolean {
  if (offset !== 0 || limit !== 0) return false;
  const isShort = profile.result === Number.POSITIVE_INFINITY || fits(text, profile.result - besides);
  return isShort && afterLines(text, 0, text.length, profile.resultLines - LINES_BESIDES) === text.length;
}

/** More lines than are put before a text. */
const LINES_BESIDES = 10;

/** However little room a host leaves, a text has an end. */
const LEAST_ROOM = 64;

/** The part of a text that a call asks for; `reading` is what the text comes from. Throws a `FootbridgeError` if it has none. */
export async function partOf(text: string, reading: object, besides: number, call: TextCall): Promise<TextPart> {
  const { offset = 0, limit = 0 } = call.input;
  const total = text.length;
  const isRest = limit === 0 && call.profile.result === Number.POSITIVE_INFINITY;
  const version = offset === 0 && isRest ? '' : await checkedVersion(text, reading, call);
  if (offset > total) throw beyondEnd(offset, total);
  const start = startOf(text, offset);
  const room = usableBytes(call.profile) - besides - sizeOfFrame(call, total, version);
  const end = endOf(text, start, {
    characters: limit === 0 ? total : limit,
    bytes: Math.max(LEAST_ROOM, room),
    lines: Math.max(1, call.profile.resultLines - LINES_BESIDES),
  });
  const range = `[Part: characters ${start}-${end} of ${total}.`;
  const part = text.slice(start, end);
  if (end === total) return { text: part, line: `${range} This is the last part.]\n`, fields: { offset: start, total } };
  const next = callFor(call, end, version);
  return { text: part, line: `${range} Next: ${next}]\n`, fields: { offset: start, next_offset: end, total, next } };
}

/** The most that a part's line takes, or its fields. */
function sizeOfFrame(call: TextCall, total: number, version: string): number {
  return jsonBytes(callFor(call, total, version)) + 3 * String(total).length + FRAME;
}

/** More than the words of the line, and than the names of the fields. */
const FRAME = 80;

function callFor({ tool, which, input: { limit = 0 } }: TextCall, offset: number, version?: string): string {
  return `${tool}(${JSON.stringify({ ...which, offset, ...(limit === 0 ? {} : { limit }), version })})`;
}

const given = new WeakMap<Catalog, GivenVersions>();

/** The version of a text. Throws if the caller has had a part of another one, by its arguments or as far as we remember. */
async function checkedVersion(text: string, reading: object, call: TextCall): Promise<string> {
  const { tool, which, input, catalog, context } = call;
  const versions = given.get(catalog) ?? new GivenVersions();
  given.set(catalog, versions);
  const version = await versionOf(reading, text);
  const key = JSON.stringify([context.caller.id, tool, which]);
  const before = continues(call) ? input.version || versions.get(key) : undefined;
  if (before !== undefined && before !== version) throw changed(call);
  versions.set(key, version);
  return version;
}

function changed(call: TextCall): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', 'The text has changed since the previous part.', {
    suggestedActions: [`Discard the previous parts and start again at offset 0: ${redactInput(callFor(call, 0))}`],
  });
}

function beyondEnd(offset: number, total: number): FootbridgeError {
  return new FootbridgeError(
    'ResourceExecutionError',
    `The offset ${offset} is beyond the end of the text, which has ${total} characters.`,
    {
      suggestedActions: [`Use an offset from 0 to ${total}.`],
    },
  );
}

/** For something that is not a text. */
export function withoutParts(): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', 'Only a text can be read in parts, and this is not a single text.', {
    suggestedActions: ['Call again without offset and limit.'],
  });
}
