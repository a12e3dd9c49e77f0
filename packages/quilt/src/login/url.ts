/** URLs of catalogs and registries. */

/** Origin and path only, https by default; undefined if invalid. */
export function normalizeUrl(text: string | null | undefined): string | undefined {
  const given = text?.trim();
  if (!given) return undefined;
  const absolute = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `https://${given}`;
  if (!URL.canParse(absolute)) return undefined;
  const url = new URL(absolute);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

export function catalogName(url: string): string {
  return new URL(url).hostname.replace(/^www\./, '');
}

/** Whether a request to it is encrypted or stays on this machine. */
export function isSecure(url: string): boolean {
  const { hostname, protocol } = new URL(url);
  return protocol === 'https:' || hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
