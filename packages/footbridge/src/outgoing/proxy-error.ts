/** The proxy, not the server, failed. */
export class ProxyError extends Error {
  constructor(what: string) {
    super(`${what} Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.`);
  }
}
