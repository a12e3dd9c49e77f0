/** Allowed targets of links in untrusted text: http, https, mailto, or content of this server. */
import { decodeEntities } from './entities.js';

/** The file that contains the text. */
export interface LinkBase {
  /** The URI of SKILL.md. */
  readonly uri: string;
  /** The path of this file within the skill. */
  readonly path: string;
}

export type Destination =
  | { readonly kind: 'web'; readonly href: string }
  /** A file of the same skill. */
  | { readonly kind: 'file'; readonly path: string }
  /** Another item of the catalog. */
  | { readonly kind: 'item'; readonly uri: string }
  /** A heading in the same text. */
  | { readonly kind: 'heading'; readonly slug: string }
  /** Not allowed or not found. */
  | { readonly kind: 'none' };

const OUTSIDE: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
const NOWHERE: Destination = { kind: 'none' };

export function destinationOf(written: string, place: LinkBase | undefined, isKnown: (uri: string) => boolean): Destination {
  const href = decodeEntities(written).trim();
  if (href.startsWith('#')) return { kind: 'heading', slug: decode(href.slice(1)) ?? '' };
  if (isKnown(href)) return { kind: 'item', uri: href };
  if (/^[a-z][a-z\d+.-]*:/i.test(href)) {
    const url = URL.canParse(href) ? new URL(href) : undefined;
    return url !== undefined && OUTSIDE.has(url.protocol) ? { kind: 'web', href: url.href } : NOWHERE;
  }
  const path = place === undefined ? undefined : pathOf(href, place.path);
  return path === undefined ? NOWHERE : { kind: 'file', path };
}

/** A relative link as a path within the skill; undefined if it leaves the skill or is not relative. */
function pathOf(href: string, from: string): string | undefined {
  const relative = decode(href.replace(/[?#].*$/s, ''));
  if (relative === undefined || relative === '' || relative.startsWith('/') || /[\\\p{Cc}:]/u.test(relative)) return undefined;
  const segments = from.split('/').slice(0, -1);
  for (const segment of relative.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments.length === 0 ? undefined : segments.join('/');
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The URI of a file of the skill whose instructions are at `uri`. */
export function fileUri(uri: string, path: string): string {
  const root = uri.slice(0, uri.lastIndexOf('/') + 1);
  return root + path.split('/').map(encodeURIComponent).join('/');
}

/** The anchor of a heading, as most renderers generate it. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');
}
