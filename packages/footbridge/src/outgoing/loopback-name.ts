/** Names of this machine in a URL. Light, since most specifications are checked with it. */

/** Whether a hostname of a URL leads to this machine for sure. */
export function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
