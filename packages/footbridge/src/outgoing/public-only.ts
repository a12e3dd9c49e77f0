/** Keeps requests to untrusted URLs out of this machine and its networks. */
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { proxyFor } from './agent.js';
import { isInternalAddress } from './internal-addresses.js';

const LOOKUP_MS = 5000;

/** The addresses of a host; none where it cannot be resolved in time. */
export async function resolvedAddresses(hostname: string): Promise<readonly string[]> {
  const name = hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) !== 0) return [name];
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve([]), LOOKUP_MS).unref();
    lookup(name, { all: true }, (error, addresses) => {
      clearTimeout(late);
      resolve(error === null ? addresses.map(({ address }) => address) : []);
    });
  });
}

/** Whether a request is known to lead to an internal address. Behind a proxy, the proxy resolves the name. */
export async function leadsInside({ hostname, href }: URL): Promise<boolean> {
  const name = hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) === 0 && (await proxyFor(new URL(href))) === undefined) return false;
  return isIP(name) === 0 ? (await resolvedAddresses(name)).some(isInternalAddress) : isInternalAddress(name);
}

/** The lookup of the connection itself, so that it uses the address that was checked. */
export function publicLookup(refusal: () => Error): LookupFunction {
  return (hostname, options, done) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, []);
      if (addresses.some(({ address }) => isInternalAddress(address))) return done(refusal(), []);
      const [first] = addresses;
      if (options.all === true || first === undefined) done(null, addresses);
      else done(null, first.address, first.family);
    });
}
