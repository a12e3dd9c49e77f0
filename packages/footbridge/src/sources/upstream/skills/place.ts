/** Where a file lies on a server: the names between the slashes of its URI, however they are spelled. */
import { decodeSegment, encodeSegment } from '../../../uri-segment.js';
import { LONGEST_URI } from '../../../uri-template.js';
import { SKILL_FILE } from '../../source.js';

export interface Place {
  /** In lower case. */
  readonly scheme: string;
  readonly segments: readonly string[];
}

/** The folder of a skill, and its URI as the server writes it, without a slash at the end. */
export interface SkillFolder extends Place {
  readonly uri: string;
}

const URI = /^([a-z][a-z0-9+.-]*):\/\/(.+)$/is;

/** The place of a URI; undefined unless each of its parts names one folder or file. */
export function placeOf(uri: string): Place | undefined {
  if (uri.length > LONGEST_URI) return undefined;
  const [, scheme = '', path = ''] = URI.exec(uri) ?? [];
  if (path === '' || /[?#\\\p{Cc}]/u.test(path)) return undefined;
  const segments = path.split('/').map(decodeSegment);
  return segments.every((segment) => segment !== undefined) ? { scheme: scheme.toLowerCase(), segments } : undefined;
}

/** The folder whose instructions lie at this URI; undefined when they cannot. */
export function folderOf(uri: string): SkillFolder | undefined {
  const place = placeOf(uri);
  // Without a folder around it, it is the only skill a server could ever have, and nameless.
  if (place === undefined || place.segments.length < 2 || place.segments.at(-1) !== SKILL_FILE) return undefined;
  return { scheme: place.scheme, segments: place.segments.slice(0, -1), uri: uri.slice(0, uri.lastIndexOf('/')) };
}

/** The path below a folder of what lies in it; undefined for what lies anywhere else. */
export function pathBelow(folder: Place, uri: string): string | undefined {
  const place = placeOf(uri);
  if (place === undefined || place.scheme !== folder.scheme || place.segments.length <= folder.segments.length) return undefined;
  if (!folder.segments.every((segment, index) => segment === place.segments[index])) return undefined;
  return place.segments.slice(folder.segments.length).join('/');
}

/** The URI of a path below a folder. */
export function uriBelow(folder: SkillFolder, path: string): string {
  return `${folder.uri}/${path.split('/').map(encodeSegment).join('/')}`;
}

/** The same for two spellings of one place. */
export function placeKey({ scheme, segments }: Place): string {
  return `${scheme}://${segments.join('/')}`;
}
