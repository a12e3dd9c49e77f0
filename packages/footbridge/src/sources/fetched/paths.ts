/** Accepts paths of fetched files only if they denote the same file on every system. */
import { echo } from '../../errors.js';
import { FETCH_BOUNDS } from './bounds.js';
import { FetchError } from './fetch-error.js';

/**
 * The segments of a relative path with `/`; throws if it could lead elsewhere. Empty and `.` segments, which tar writes, are
 * dropped.
 */
export function pathSegments(path: string): readonly string[] {
  if (path.length > FETCH_BOUNDS.path) throw refusedPath(path, 'is too long');
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) throw refusedPath(path, 'is absolute');
  if (path.includes('\\') || path.includes('\0')) throw refusedPath(path, 'has a backslash or a NUL character');
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw refusedPath(path, 'leads out of its folder');
  if (segments.length > FETCH_BOUNDS.depth) throw refusedPath(path, 'is nested too deeply');
  return segments;
}

/** Devices of Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
/** Not allowed in names on Windows, or invisible. */
const FORBIDDEN = /[<>:"|?*\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const LONGEST_NAME = 255;

/** Throws if a name denotes another file, or none, on some system. */
export function checkNames(path: string, segments: readonly string[]): void {
  for (const name of segments) {
    if (Buffer.byteLength(name) > LONGEST_NAME) throw refusedPath(path, 'has a name that is too long');
    if (RESERVED.test(name)) throw refusedPath(path, 'has a name that Windows reserves');
    if (FORBIDDEN.test(name)) throw refusedPath(path, 'has a character that not every system allows');
    if (/[. ]$/.test(name) || name.startsWith(' '))
      throw refusedPath(path, 'has a name that begins with a space, or ends with a space or dot');
    if (/^\.git(?:\.|$)|^git~\d/i.test(name)) throw refusedPath(path, 'has a name that git reserves');
  }
}

/** Throws unless it is a path in its shortest form that denotes the same file on every system. */
export function checkPath(path: string): void {
  // Most paths pass the quick check, and a start reads very many.
  if (isPlainPath(path)) return;
  const segments = pathSegments(path);
  if (path === '' || segments.join('/') !== path) throw refusedPath(path, 'is not in its shortest form');
  checkNames(path, segments);
}

const PLAIN = /^[\w-]+(?:\.[\w-]+)*(?:\/[\w-]+(?:\.[\w-]+)*)*$/;
const RESERVED_INSIDE = /(?:^|\/)(?:con|prn|aux|nul|com\d|lpt\d)(?:[./]|$)/i;

/** A quick check that accepts nearly all valid paths, and no others. */
function isPlainPath(path: string): boolean {
  return (
    path.length <= LONGEST_NAME &&
    PLAIN.test(path) &&
    !RESERVED_INSIDE.test(path) &&
    path.split('/', FETCH_BOUNDS.depth + 1).length <= FETCH_BOUNDS.depth
  );
}

/** Equal for two paths that are the same file on a system that ignores case or the form of accents. */
export function collisionKey(path: string): string {
  if (ASCII.test(path)) return path.toUpperCase();
  return path.normalize('NFKD').toLowerCase().toUpperCase().normalize('NFC');
}

const ASCII = /^[ -~]*$/;

function refusedPath(path: string, reason: string): FetchError {
  return new FetchError(`The path '${echo(path)}' ${reason}.`, 'Nothing was added. Ask its publisher to rename it.');
}
