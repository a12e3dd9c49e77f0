/** Where a link in untrusted text may lead: out by http, https or mail, or to what this server serves. */
import { decodeEntities } from './entities.js';

/** What a text is part of. */
export interface Place {
  /** Of the skill's instructions. */
  readonly uri: string;
  /** Of this file below the skill. */
  readonly path: string;
}

export type Destination =
  | { readonly kind: 'web'; readonly href: string }
  /** A file of the same skill. */
  | { readonly kind: 'file'; readonly path: string }
  /** Something else that the catalog has. */
  | { readonly kind: 'item'; readonly uri: string }
  /** A heading in the same text. */
  | { readonly kind: 'heading'; readonly slug: string }
  /** Nowhere that the page goes. */
  | { readonly kind: 'none' };

const OUTSIDE: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
const NOWHERE: Destination = { kind: 'none' };

export function destinationOf(written: string, place: Place | undefined, isKnown: (uri: string) => boolean): Destination {
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

/** A relative link as a path below the skill; undefined when it leads out of it, or is none. */
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

/** A heading's name in links, as most renderers make it. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s+/g, '-');
}
