/** Content and errors of resources as results of a tool: each half, text and structure, complete by itself. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { Reading } from '../../catalog/reads.js';
import type { Snapshot } from '../../catalog/snapshot.js';
import type { FootbridgeError } from '../../errors.js';
import type { ResourceContents } from '../../sources/resource.js';
import { validUris } from '../discovery.js';

/** What has more characters travels once, as content: twice would cost a host, and some models, double for nothing. */
export const LARGEST_TWICE = 256 * 1024;

type Structure = Record<string, unknown>;

/** A successful read. Images and audio, and what is large, have no structured half: hosts would show the model that alone. */
export function successResult(reading: Reading): CallToolResult {
  const { contents, _meta } = reading;
  const result: CallToolResult = { content: contents.map((each) => toBlock(each, contents.length === 1)) };
  if (!isSeen(contents) && lengthOf(contents) <= LARGEST_TWICE) result.structuredContent = toStructure(reading);
  if (_meta !== undefined) result._meta = _meta;
  return result;
}

/** A successful read as the structure has it. */
export function toStructure({ uri, name, contents, mimeType, at }: Reading): Structure {
  const only = contents.length === 1 ? contents[0] : undefined;
  const structure: Structure = {
    success: true,
    uri,
    resource_name: name,
    data: only === undefined ? { contents } : toData(only),
    timestamp: at.toISOString(),
    mime_type: only?.mimeType ?? mimeType ?? typeOf(contents),
  };
  if (only?._meta !== undefined) structure['_meta'] = only._meta;
  return structure;
}

/** What is true of contents whose type nobody declared. */
function typeOf(contents: readonly ResourceContents[]): string {
  const types = new Set(contents.map((each) => each.mimeType ?? ('blob' in each ? 'application/octet-stream' : 'text/plain')));
  return types.size === 1 ? [...types].join('') : 'multipart/mixed';
}

/** The parsed JSON of a JSON resource; the text or the blob of any other. */
function toData(contents: ResourceContents): unknown {
  if ('blob' in contents) return { blob: contents.blob };
  const { text, mimeType = '' } = contents;
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(mimeType) || losesNumbers(text)) return { text };
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

/** Whether a number in the text is longer or larger than JavaScript can hold: parsing would change it. */
function losesNumbers(text: string): boolean {
  const long = /\d{16}|\d\.\d{15}|\d[eE][+-]?\d{3}/;
  return long.test(text) && long.test(text.replace(/"(?:[^"\\]|\\.)*"/g, '""'));
}

/** One of several keeps its own URI and type; a text alone is simply the text. */
export function toBlock(contents: ResourceContents, alone: boolean): ContentBlock {
  const { mimeType = '', _meta } = contents;
  const meta = _meta === undefined ? NO_META : { _meta };
  if ('text' in contents) return alone ? { type: 'text', text: contents.text, ...meta } : { type: 'resource', resource: contents };
  const kind = seenAs(mimeType);
  return kind === undefined ? { type: 'resource', resource: contents } : { type: kind, data: contents.blob, mimeType, ...meta };
}

const NO_META = {};

/** What a model can look at or listen to. A drawing in SVG is no image to any model. */
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

/** An error of ours as the structure has it. */
export function errorStructure(error: FootbridgeError, snapshot: Snapshot, uri: string): Structure {
  return {
    success: false,
    error: error.code,
    message: error.message,
    ...(error.details === undefined ? {} : { details: error.details }),
    ...(error.code === 'InvalidURI' ? { valid_uris: validUris(snapshot, uri) } : {}),
    suggested_actions: error.suggestedActions,
    retryable: error.retryable,
  };
}

/** The same for those who read text. */
export function errorText(error: FootbridgeError, snapshot: Snapshot, uri: string): string {
  const valid = error.code === 'InvalidURI' ? validUris(snapshot, uri) : [];
  return [
    `${error.code}: ${error.message}`,
    ...(error.details === undefined ? [] : [error.details]),
    ...(error.retryable ? ['This may pass: the same call can succeed later.'] : []),
    '',
    ...error.suggestedActions.map((action) => `- ${action}`),
    ...(valid.length === 0 ? [] : ['', 'Valid URIs:', ...valid.map((each) => `- ${each}`)]),
  ].join('\n');
}
