/** Which names a server goes by, and which web pages may use it: what keeps a page elsewhere from reaching through a browser. */
import { isIP } from 'node:net';

export interface Addresses {
  /** Whether a request to this host is meant for us. */
  allowsHost(host: string | undefined): boolean;
  /** Whether a page of this origin may connect to that host, which is ours; requests without an origin do not come from a page. */
  allowsOrigin(origin: string | undefined, host: string | undefined): boolean;
  /** Whether such a page is one of ours or of those that were named, and not of just any program on this machine. */
  isOwnPage(origin: string | undefined, host: string | undefined): boolean;
}

/** IP addresses and `localhost` are always ours: to reach us by a name of theirs, an attacker needs a name. */
export function addressesOf({
  host,
  publicUrl,
  hosts = [],
  origins = [],
}: {
  readonly host: string;
  readonly publicUrl?: string | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly origins?: readonly string[] | undefined;
}): Addresses {
  const names = new Set(['localhost', host, ...hosts, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])].map(lower));
  const pages = new Set([...origins, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])].map(lower));
  const hostVerdicts = new Map<string, boolean>();
  const isOurs = (hostname: string) => names.has(hostname) || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  return {
    allowsHost(given) {
      if (given === undefined) return false;
      let verdict = hostVerdicts.get(given);
      if (verdict === undefined) {
        const hostname = hostnameOf(`http://${given}`);
        verdict = hostname !== undefined && /^[\w.\-:[\]]+$/.test(given) && isOurs(hostname);
        if (hostVerdicts.size < 1000) hostVerdicts.set(given, verdict);
      }
      return verdict;
    },
    allowsOrigin(given, host) {
      // Our own page is where the request goes, whatever name we were found by.
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

/** Whether a server is there for this machine and for nobody else. */
export function servesThisMachineAlone({
  host,
  hosts,
  publicUrl,
}: {
  readonly host: string;
  readonly hosts?: readonly string[] | undefined;
  readonly publicUrl?: string | undefined;
}): boolean {
  return isLoopback(host) && publicUrl === undefined && hosts === undefined;
}

/** Whether only this machine can be meant. */
export function isLoopback(address: string): boolean {
  const bare = address.replace(/^\[|\]$/g, '').replace(/^::ffff:/i, '');
  return bare === 'localhost' || bare === '::1' || /^127(\.\d{1,3}){3}$/.test(bare);
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? lower(new URL(url).hostname) : undefined;
}

function lower(text: string): string {
  return text.toLowerCase();
}
