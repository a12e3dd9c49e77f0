/** Addresses of this machine and of its private networks, in every notation that leads there. */
import { BlockList, isIP } from 'node:net';

const INTERNAL = new BlockList();
for (const [network, prefix] of [
  // This network and this host.
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  // Private, shared with a provider, and link-local.
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  // Protocol assignments, benchmarks, multicast, reserved and broadcast.
  ['192.0.0.0', 24],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  INTERNAL.addSubnet(network, prefix);
for (const [network, prefix] of [
  // Unspecified, loopback, and IPv4-compatible.
  ['::', 96],
  // Unique local, link-local, site-local and multicast.
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  // NAT64 for local use, discard, and Teredo.
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
] as const)
  INTERNAL.addSubnet(network, prefix, 'ipv6');

/** IPv6 addresses with an IPv4 address in them: the first bits as groups, and the index of the first of its two groups. */
const EMBEDDED = [
  // IPv4-mapped, and its form with a zero group between.
  { prefix: '0:0:0:0:0:ffff:', at: 6 },
  { prefix: '0:0:0:0:ffff:0:', at: 6 },
  // NAT64.
  { prefix: '64:ff9b:0:0:0:0:', at: 6 },
  // 6to4.
  { prefix: '2002:', at: 1 },
] as const;

/** Whether an IP address is one of this machine or of a private network. True for a text that is not an IP address. */
export function isInternalAddress(text: string): boolean {
  // A link-local address may be followed by its interface.
  const address = text.replace(/%.*$/s, '');
  const family = isIP(address);
  if (family === 4) return INTERNAL.check(address);
  if (family === 0 || INTERNAL.check(address, 'ipv6')) return true;
  const groups = groupsOf(address);
  const whole = groups.map((group) => group.toString(16)).join(':');
  const embedded = EMBEDDED.find(({ prefix }) => whole.startsWith(prefix));
  return embedded !== undefined && INTERNAL.check(ipv4Of(groups.slice(embedded.at)));
}

/** The eight groups of an IPv6 address, which the URL parser writes without IPv4 notation. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const read = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  if (tail === undefined) return read(head);
  const [before, after] = [read(head), read(tail)];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function ipv4Of([high = 0, low = 0]: readonly number[]): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
