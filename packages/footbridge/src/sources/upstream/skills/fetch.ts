/** Fetches one file of a skill from its server, and verifies it. */
import { echo, FootbridgeError } from '../../../errors.js';
import type { Fields } from '../../../json.js';
import type { ReadContext, ResourceContents } from '../../resource.js';
import { type Channel, parseReading, saysNotFound } from '../../server/channel.js';
import { digestOf } from '../../skills/digest.js';
import { LIMITS } from '../../skills/rules.js';
import type { PublishedFile } from './published.js';
import { pathBelow, type UriPath } from './uri-path.js';

export interface Fetched {
  readonly bytes: Uint8Array;
  readonly mimeType: string | undefined;
}

/** The file as published; undefined if the server does not have it. All content of skills is read through this function. */
export async function fetchFile(
  channel: Channel,
  folder: UriPath,
  file: PublishedFile,
  context: ReadContext,
): Promise<Fetched | undefined> {
  // Even with a tampered cache, only the skill's own folder is read.
  if (pathBelow(folder, file.uri) !== file.path) return undefined;
  let answer: Fields;
  try {
    answer = await channel.request('resources/read', { uri: file.uri }, context);
  } catch (cause) {
    if (saysNotFound(cause)) return undefined;
    throw cause;
  }
  const contents = contentsOf(answer, file.uri);
  const content = contents.find(({ uri }) => pathBelow(folder, uri) === file.path) ?? (contents.length === 1 ? contents[0] : undefined);
  if (content === undefined) throw noContent(file.uri);
  return { bytes: verified(content, file), mimeType: content.mimeType };
}

function contentsOf(answer: Fields, uri: string): readonly ResourceContents[] {
  try {
    return parseReading(answer).contents;
  } catch (cause) {
    throw noContent(uri, cause);
  }
}

function verified(content: ResourceContents, file: PublishedFile): Uint8Array {
  const bytes = bytesOf(content, file.uri);
  const { digest } = file;
  if (digest === undefined || matches(bytes, file)) return bytes;
  // FastMCP normalises line ends of text, but publishes the digest of the original file.
  const whole = 'text' in content && !content.text.includes('\r') ? Buffer.from(content.text.replaceAll('\n', '\r\n')) : bytes;
  if (matches(whole, file)) return whole;
  throw notAsPublished(
    file.uri,
    bytes.length === file.size ? `Its digest is ${digestOf(bytes)}, not ${digest}.` : `It has ${bytes.length} bytes, not ${file.size}.`,
  );
}

function matches(bytes: Uint8Array, { size, digest }: PublishedFile): boolean {
  return bytes.length === size && digestOf(bytes) === digest;
}

function bytesOf(content: ResourceContents, uri: string): Uint8Array {
  const size = 'text' in content ? Buffer.byteLength(content.text) : Buffer.byteLength(content.blob, 'base64');
  if (size > LIMITS.file) throw tooLarge(uri, size);
  if ('text' in content) return Buffer.from(content.text);
  if (/[^A-Za-z0-9+/=\s]/.test(content.blob)) throw noContent(uri);
  return Buffer.from(content.blob, 'base64');
}

/** For content that does not match its digest, name or description. */
export function notAsPublished(uri: string, details: string): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', `The content of '${echo(uri)}' does not match what the server published.`, {
    details: `${details} The content is withheld.`,
    suggestedActions: [
      'Try again in a moment: the skill may have just changed.',
      'If it persists, do not trust the skill, and report it to the operator of the server.',
    ],
    retryable: true,
  });
}

function noContent(uri: string, cause?: unknown): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', `The server returned no content for '${echo(uri)}'.`, {
    suggestedActions: ['Use another file of the skill.', 'Report it to the operator of the server.'],
    cause,
  });
}

function tooLarge(uri: string, size: number): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', `The file '${echo(uri)}' is too large.`, {
    details: `It has ${size} bytes; the limit is ${LIMITS.file}.`,
    suggestedActions: ['Ask the author of the server to split the file.'],
  });
}
