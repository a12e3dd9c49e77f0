/** Paths of files on a server: the decoded segments of their URIs. */
import { decodeSegment, encodeSegment } from '../../../uri-segment.js';
import { LONGEST_URI } from '../../../uri-template.js';
import { SKILL_FILE } from '../../source.js';

export interface UriPath {
  /** In lower case. */
  readonly scheme: string;
  readonly segments: readonly string[];
}

/** The folder of a skill; `uri` as the server writes it, without a trailing slash. */
export interface SkillFolder extends UriPath {
  readonly uri: string;
}

const URI = /^([a-z][a-z0-9+.-]*):\/\/(.+)$/is;

/** Undefined unless each segment names one folder or file. */
export function uriPathOf(uri: string): UriPath | undefined {
  if (uri.length > LONGEST_URI) return undefined;
  const [, scheme = '', path = ''] = URI.exec(uri) ?? [];
  if (path === '' || /[?#\\\p{Cc}]/u.test(path)) return undefined;
  const segments = path.split('/').map(decodeSegment);
  return segments.every((segment) => segment !== undefined) ? { scheme: scheme.toLowerCase(), segments } : undefined;
}

/** The folder of a `SKILL.md`; undefined for other URIs. */
export function folderOf(uri: string): SkillFolder | undefined {
  const place = uriPathOf(uri);
  // Without a folder, the skill would have no name.
  if (place === undefined || place.segments.length < 2 || place.segments.at(-1) !== SKILL_FILE) return undefined;
  return { scheme: place.scheme, segments: place.segments.slice(0, -1), uri: uri.slice(0, uri.lastIndexOf('/')) };
}

/** The path relative to a folder; undefined outside of it. */
export function pathBelow(folder: UriPath, uri: string): string | undefined {
  const place = uriPathOf(uri);
  if (place === undefined || place.scheme !== folder.scheme || place.segments.length <= folder.segments.length) return undefined;
  if (!folder.segments.every((segment, index) => segment === place.segments[index])) return undefined;
  return place.segments.slice(folder.segments.length).join('/');
}

/** The URI of a path below a folder. */
export function uriBelow(folder: SkillFolder, path: string): string {
  return `${folder.uri}/${path.split('/').map(encodeSegment).join('/')}`;
}

/** Equal for all spellings of one path. */
export function uriPathKey({ scheme, segments }: UriPath): string {
  return `${scheme}://${segments.join('/')}`;
}

/** The entry of the innermost folder that contains a file, and the path below it. */
export function innermost<T>({ scheme, segments }: UriPath, byFolder: ReadonlyMap<string, T>): { found: T; path: string } | undefined {
  for (let length = segments.length - 1; length > 0; length--) {
    const found = byFolder.get(uriPathKey({ scheme, segments: segments.slice(0, length) }));
    if (found !== undefined) return { found, path: segments.slice(length).join('/') };
  }
  return undefined;
}
