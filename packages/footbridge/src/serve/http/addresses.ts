/** Allowed values of Host and Origin: the protection against DNS rebinding and requests from other web pages. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import type { HttpAccess } from './options.js';

/** `host` is the one listened on. */
export type AddressOptions = { readonly host: string } & Pick<HttpAccess, 'publicUrl' | 'hosts' | 'origins'>;

export interface Addresses {
  allowsHost(host: string | undefined): boolean;
  /** Whether a page of this origin may connect. Requests without an origin do not come from a page. */
  allowsOrigin(origin: string | undefined, host: string | undefined): boolean;
  /** Whether the origin is this server or a configured one; unlike `allowsOrigin`, not any program on this machine. */
  isOwnPage(origin: string | undefined, host: string | undefined): boolean;
}

/** IP addresses and `localhost` are always allowed: DNS rebinding needs a domain name. */
export function addressesOf({ host, publicUrl, hosts = [], origins = [] }: AddressOptions): Addresses {
  const names = new Set(['localhost', host, ...hosts, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])].map(lower));
  const pages = new Set([...origins, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])].map(lower));
  const knownHosts = new Map<string, boolean>();
  const isOurs = (hostname: string) => names.has(hostname) || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  return {
    allowsHost(given) {
      if (given === undefined) return false;
      let allowed = knownHosts.get(given);
      if (allowed === undefined) {
        const hostname = hostnameOf(`http://${given}`);
        allowed = hostname !== undefined && /^[\w.\-:[\]]+$/.test(given) && isOurs(hostname);
        if (knownHosts.size < 1000) knownHosts.set(given, allowed);
      }
      return allowed;
    },
    allowsOrigin(given, host) {
      // The server's own page has the host of the request as its origin.
      if (given === undefined || given === '' || lower(given) === `http://${lower(host ?? '')}`) return true;
      if (pages.has(lower(given))) return true;
      const hostname = /^https?:\/\//i.test(given) ? hostnameOf(given) : undefined;
      return hostname !== undefined && (names.has(hostname) || isLoopback(hostname));
    },
    isOwnPage(given, host) {
      if (given === undefined || given === '' || lower(given).replace(/^https?:\/\//, '') === lower(host ?? '')) return true;
      const hostname = hostnameOf(given);
      return pages.has(lower(given)) || (hostname !== undefined && names.has(hostname) && !isLoopback(hostname));
    },
  };
}

/** Whether a server is reachable from this machine only. */
export function isLocalOnly({ host, hosts, publicUrl }: AddressOptions): boolean {
  return isLoopback(host) && publicUrl === undefined && hosts === undefined;
}

export function isLoopback(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '').replace(/^::ffff:/i, '');
  return bare === 'localhost' || bare === '::1' || /^127(\.\d{1,3}){3}$/.test(bare);
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? lower(new URL(url).hostname) : undefined;
}

const lower = (text: string) => text.toLowerCase();

/** Resolves when the server accepts connections; rejects when the address is in use. */
export async function listenOn(server: Server, host: string, port: number): Promise<AddressInfo> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no TCP port.');
  return address;
}
