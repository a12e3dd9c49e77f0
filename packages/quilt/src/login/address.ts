/** Addresses of catalogs and registries, as people and files write them. */

/** The address without what does not belong to it; undefined where it is none. */
export function addressOf(text: string | null | undefined): string | undefined {
  if (text === undefined || text === null || text.trim() === '') return undefined;
  const given = text.trim();
  let url: URL;
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `https://${given}`);
  } catch {
    return undefined;
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The name that people know a catalog by. */
export function nameOf(address: string): string {
  return new URL(address).hostname.replace(/^www\./, '');
}

/** Whether what is sent there can be read by nobody else on the way. */
export function isPrivate(address: string): boolean {
  const { hostname, protocol } = new URL(address);
  return protocol === 'https:' || hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
