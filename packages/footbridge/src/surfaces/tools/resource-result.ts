/** Content and errors of resources as results of a tool: each half, text and structure, complete by itself. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { Reading } from '../../catalog/reading.js';
import type { FootbridgeError } from '../../errors.js';
import { isoTime } from '../../iso-time.js';
import { setJsonText } from '../../json-text.js';
import type { ResourceContents } from '../../sources/resource.js';
import { type HostProfile, sendsStructure } from '../hosts/profile.js';
import { digestOfContents } from '../parts/digest.js';
import type { TextPart } from '../parts/part.js';
import { isJson, toData } from './resource-data.js';

/** Characters of longer contents are sent once, as content: twice would cost hosts and models double. */
export const LARGEST_TWICE = 256 * 1024;

type Structure = Record<string, unknown>;

/**
 * A successful read. Images and audio have no structured half, since hosts would show the model that alone; `_meta` describes
 * the read instead.
 */
export function successResult(reading: Reading, profile: HostProfile): CallToolResult | Promise<CallToolResult> {
  const { contents } = reading;
  const content = toBlocks(contents);
  if (!sendsStructure(profile) || isSeen(contents)) return withMeta({ content }, reading, undefined);
  if (lengthOf(contents) <= LARGEST_TWICE) return withMeta({ content }, reading, toStructure(reading));
  return toStructureWithoutData(reading).then((structure) => withMeta({ content }, reading, structure));
}

/** A successful read of a part of a text. */
export async function partResult(reading: Reading, { line, text, fields }: TextPart, profile: HostProfile): Promise<CallToolResult> {
  const [block] = toBlocks(reading.contents, false);
  const result: CallToolResult = { content: [{ ...block, type: 'text', text: line + text }] };
  if (!sendsStructure(profile)) return withMeta(result, reading, undefined, fields);
  const structure = text.length <= LARGEST_TWICE ? withOwnMeta(reading, { text }) : await toStructureWithoutData(reading);
  return withMeta(result, reading, { ...structure, ...fields });
}

/** The structure of a read whose data is only in the text, with the fields that show whether it is complete. */
export async function toStructureWithoutData(reading: Reading): Promise<Structure> {
  const about = { data_in_text: true, size: reading.bytes, digest: await digestOfContents(reading.contents) };
  return { ...withOwnMeta(reading, null), ...about };
}

/** With the `_meta` of the only content. */
function withOwnMeta(reading: Reading, data: unknown): Structure {
  const _meta = reading.contents.length === 1 ? reading.contents[0]?._meta : undefined;
  return { ...describe(reading, data), ...(_meta === undefined ? {} : { _meta }) };
}

function withMeta(result: CallToolResult, reading: Reading, structure: Structure | undefined, more: Structure = {}): CallToolResult {
  const { _meta } = reading;
  if (structure !== undefined) result.structuredContent = structure;
  if (structure === undefined) result._meta = { ..._meta, [RESOURCE_META_KEY]: { ...describe(reading), ...more } };
  else if (_meta !== undefined) result._meta = _meta;
  return result;
}

/** Describes a result without a structured half. */
const RESOURCE_META_KEY = 'footbridge/resource';

function describe({ uri, name, contents, mimeType, at }: Reading, data?: unknown): Structure {
  const only = contents.length === 1 ? contents[0] : undefined;
  const mime_type = only?.mimeType ?? mimeType ?? typeOf(contents);
  // Undefined fields are not sent.
  return { success: true, uri, resource_name: name, data, timestamp: isoTime(at.getTime()), mime_type };
}

/** A successful read as the structure has it. */
export function toStructure(reading: Reading): Structure {
  const { contents, isWritten = false } = reading;
  const only = contents.length === 1 ? contents[0] : undefined;
  const written = isWritten && only !== undefined && 'text' in only && isJson(only.mimeType) ? only.text : undefined;
  const structure = describe(reading, only === undefined ? { contents } : written === undefined ? toData(only) : undefined);
  if (written !== undefined) setJsonText(structure, 'data', written);
  if (only?._meta !== undefined) structure['_meta'] = only._meta;
  return structure;
}

/** The type of contents without a declared one. */
function typeOf(contents: readonly ResourceContents[]): string {
  const types = new Set(contents.map((each) => each.mimeType ?? ('blob' in each ? 'application/octet-stream' : 'text/plain')));
  return types.size > 1 ? 'multipart/mixed' : ([...types][0] ?? 'text/plain');
}

/** Each content as a block. Among several, an image or audio is preceded by its URI. */
export function toBlocks(contents: readonly ResourceContents[], together = contents.length > 1): ContentBlock[] {
  if (!together) return contents.map((each) => toBlock(each, true));
  return contents.flatMap((each): ContentBlock[] => {
    const block = toBlock(each, false);
    return block.type !== 'resource' ? [{ type: 'text', text: `URI: ${each.uri}` }, block] : [block];
  });
}

/** One of several keeps its URI and type; a single text is plain text. */
function toBlock(contents: ResourceContents, alone: boolean): ContentBlock {
  const { mimeType = '', _meta } = contents;
  const meta = _meta === undefined ? NO_META : { _meta };
  if ('text' in contents) return alone ? { type: 'text', text: contents.text, ...meta } : { type: 'resource', resource: contents };
  const kind = seenAs(mimeType);
  return kind === undefined ? { type: 'resource', resource: contents } : { type: kind, data: contents.blob, mimeType, ...meta };
}

const NO_META = {};

/** Content that models see or hear. No model accepts SVG as an image. */
function seenAs(mimeType: string): 'image' | 'audio' | undefined {
  if (/^image\/(?!svg)/i.test(mimeType)) return 'image';
  return /^audio\//i.test(mimeType) ? 'audio' : undefined;
}

export function isSeen(contents: readonly ResourceContents[]): boolean {
  return contents.some((each) => 'blob' in each && seenAs(each.mimeType ?? '') !== undefined);
}

export function lengthOf(contents: readonly ResourceContents[]): number {
  return contents.reduce((sum, each) => sum + ('text' in each ? each.text.length : each.blob.length), 0);
}

/** A `FootbridgeError` as structure, with the valid URIs where they help. */
export function errorStructure(error: FootbridgeError, valid: readonly string[]): Structure {
  return {
    success: false,
    error: error.code,
    message: error.message,
    details: error.details,
    ...(valid.length === 0 ? {} : { valid_uris: valid }),
    suggested_actions: error.suggestedActions,
    retryable: error.retryable,
  };
}

/** The same as text. */
export function errorText(error: FootbridgeError, valid: readonly string[]): string {
  return [
    `${error.code}: ${error.message}`,
    ...(error.details === undefined ? [] : [error.details]),
    ...(error.retryable ? ['This failure may be temporary: the same call can succeed later.'] : []),
    '',
    ...error.suggestedActions.map((action) => `- ${action}`),
    ...(valid.length === 0 ? [] : ['', 'Valid URIs:', ...valid.map((each) => `- ${each}`)]),
  ].join('\n');
}
