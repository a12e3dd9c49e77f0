/** URIs as templates compare them: percent-decoded once, with encoded reserved characters kept distinct. */
import { decodeUri } from '../uri-segment.js';

/** Longer URIs are refused. */
export const LONGEST_URI = 8192;

/** Reserved characters, which lose their meaning when percent-encoded. */
const RESERVED = ":/?#[]@!$&'()*+,;=";
/** The first of Unicode's noncharacters, which text may not have: each stands for one encoded reserved character. */
const STAND_INS = 0xfdd0;

const ENCODED_RESERVED = /%(?:2[1346-9A-CF]|3[ABDF]|40|5[BD])/gi;
const HAS_STAND_IN = /[\ufdd0-\ufdef]|%ef%b7%[9a]/i;
const PLAIN = /^[!-$&-~]*$/;
const SCHEME_AND_HOST = /^([a-z][a-z0-9+.-]*:)(?:(\/\/(?:[^/?#]*@)?)([^/?#]*))?/i;

/**
 * Percent-decoded once; undefined if that cannot be done, or the URI is too long. An encoded reserved character becomes one that separates
 * nothing, until `reveal` gives it back.
 */
export function readText(uri: string): string | undefined {
  if (uri.length > LONGEST_URI) return undefined;
  if (PLAIN.test(uri)) return uri;
  if (!uri.isWellFormed() || HAS_STAND_IN.test(uri)) return undefined;
  return decodeUri(uri.replace(ENCODED_RESERVED, standIn));
}

/** Restores the reserved characters of a part of such a text. */
export function reveal(text: string): string {
  return text.replace(/[\ufdd0-\ufde1]/g, (character) => RESERVED.charAt(character.charCodeAt(0) - STAND_INS));
}

function standIn(encoded: string): string {
  return String.fromCharCode(STAND_INS + RESERVED.indexOf(decodeURIComponent(encoded)));
}

/** Scheme and host in lower case (userinfo kept), the rest untouched; same length as the input. */
export function normalizeUri(uri: string): string {
  // Most have nothing to change.
  if (!/[A-Z]/.test(uri)) return uri;
  const normal = uri.replace(SCHEME_AND_HOST, (_, scheme: string, userinfo = '', host = '') => lower(scheme) + userinfo + lower(host));
  // A concatenated string is slower to look up, and uses memory again.
  return normal === uri ? uri : normal;
}

/** A URI with scheme and host as a template that it matches spells them, up to the template's first variable. */
export function withSchemeAndHost(uri: string, template: string): string {
  const length = SCHEME_AND_HOST.exec(template.split('{', 1)[0] ?? '')?.[0].length ?? 0;
  const own = template.slice(0, length);
  if (uri.startsWith(own) || normalizeUri(uri).slice(0, length) !== normalizeUri(template).slice(0, length)) return uri;
  return own + uri.slice(length);
}

/** Equal for equivalent URIs: in normal form, without unnecessary percent-encoding. Very long URIs are unchanged. */
export function equivalentUri(uri: string): string {
  if (uri.length > LONGEST_URI) return uri;
  const normal = normalizeUri(uri);
  if (!normal.includes('%')) return normal;
  return normal.replace(/%[0-9A-Fa-f]{2}/g, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[A-Za-z0-9\-._~]/.test(character) ? character : encoded.toUpperCase();
  });
}

/** In lower case; undefined for what has no scheme. */
export function schemeOf(uri: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase();
}

/** In ASCII only, as schemes and hosts are compared: other letters may change in length. */
export function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
