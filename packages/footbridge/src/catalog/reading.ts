/** What a read returns, from any source. */
import type { CacheHint } from '@modelcontextprotocol/server';
import type { Fields } from '../json.js';
import type { ReadContext, ResourceContents, ResourceReading } from '../sources/resource.js';
import { skillUri } from '../sources/skill-uri.js';
import type { Skill, SkillFileContent } from '../sources/source.js';
import { decodeInTurns } from '../text-turns.js';
import type { ResourceKind } from './counters.js';
import { toFailure } from './failure.js';
import { noSuchFile } from './not-found.js';
import type { Target } from './target.js';

/** Content under its canonical URI, and what is known of the resource. */
export interface Reading {
  readonly contents: readonly ResourceContents[];
  readonly _meta: Readonly<Record<string, unknown>> | undefined;
  /** As of `ResourceReading`. */
  readonly isWritten?: boolean | undefined;
  readonly uri: string;
  /** The resource's name for people. */
  readonly name: string;
  /** The type that the resource declares; its contents may have their own. */
  readonly mimeType: string | undefined;
  /** Whether the URI is in the list, or follows a template. */
  readonly kind: ResourceKind;
  readonly cacheHint: CacheHint | undefined;
  /** Bytes of the content itself: of texts in UTF-8, of blobs before base64. */
  readonly bytes: number;
  /** When the content was read. */
  readonly at: Date;
  /** As of `SkillFileContent`. */
  isCurrent?(): boolean;
  /** The upstream's answer as it came, where the request's own parameters were forwarded. */
  readonly result?: Fields | undefined;
}

/** The result of one execution. */
export interface Executed {
  readonly reading: ResourceReading | undefined;
  readonly bytes: number;
  readonly at: Date;
  readonly result?: Fields | undefined;
}

/** Whether an upstream answered with contents, and not with a request for input or something else. */
export function hasContents({ result }: Reading): boolean {
  return result === undefined || Array.isArray(result['contents']);
}

/** A file of a skill; undefined when the skill has no such file. Throws a `FootbridgeError` when it cannot be read. */
async function skillFile(skill: Skill, path: string, uri: string, context: ReadContext): Promise<SkillFileContent | undefined> {
  try {
    return await skill.read(path, context);
  } catch (cause) {
    throw toFailure(cause, uri);
  }
}

/** Reads a file of a skill. Throws a `FootbridgeError` if the file does not exist or cannot be read. */
export async function readSkillFile(skill: Skill, path: string, uri: string, context: ReadContext): Promise<Reading> {
  const content = path === '' ? undefined : await skillFile(skill, path, uri, context);
  if (content === undefined) throw await noSuchFile(uri, skill, path);
  const canonical = skillUri(skill, path);
  const { bytes, mimeType } = content;
  const text = await decodeInTurns(bytes);
  const contents: ResourceContents =
    text === undefined
      ? { uri: canonical, mimeType, blob: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') }
      : { uri: canonical, mimeType, text };
  const isSkill = canonical === skillUri(skill);
  return {
    contents: [contents],
    _meta: undefined,
    uri: canonical,
    name: isSkill ? skill.name : `${skill.name}: ${path}`,
    mimeType,
    kind: isSkill ? 'static' : 'template',
    cacheHint: undefined,
    bytes: bytes.length,
    at: new Date(),
    ...(content.isCurrent === undefined ? {} : { isCurrent: () => content.isCurrent?.() ?? true }),
  };
}

/** Adds the description of the resource, if it is known. */
export function toReading({ reading, bytes, at, result }: Executed, target: Target | undefined, uri: string): Reading {
  const { contents = [], isWritten, _meta } = reading ?? {};
  const resource = target === undefined || target.kind === 'skill' ? undefined : target.resource;
  return {
    contents,
    _meta,
    isWritten,
    uri: contents.length === 1 ? (contents[0]?.uri ?? uri) : uri,
    name: resource?.entry.title ?? resource?.entry.name ?? uri,
    mimeType: resource?.entry.mimeType,
    kind: target?.kind === 'static' ? 'static' : 'template',
    cacheHint: resource?.cacheHint,
    bytes,
    at,
    result,
  };
}

/** Bytes of the contents: of texts in UTF-8, of blobs before base64. */
export function contentBytes(contents: readonly ResourceContents[]): number {
  return contents.reduce((sum, each) => sum + ('text' in each ? Buffer.byteLength(each.text) : Buffer.byteLength(each.blob, 'base64')), 0);
}
