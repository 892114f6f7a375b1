import { BlockList, isIP } from 'node:net';

// The ranges come from RFC 1122 3.2.1.3, RFC 1918 and RFC 3927 for IPv4, and from RFC 4291 2.5.3, RFC 4193 and RFC 4291
// 2.5.6 for IPv6.

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8, 'ipv4');
PRIVATE.addSubnet('172.16.0.0', 12, 'ipv4');
PRIVATE.addSubnet('192.168.0.0', 16, 'ipv4');
PRIVATE.addSubnet('169.254.0.0', 16, 'ipv4');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

/** Tells whether an address is 127/8 or ::1, also in IPv4-mapped form. */
export function isLoopbackAddress(address: string): boolean {
  return isIn(LOOPBACK, address);
}

/** Tells whether an address is private or link-local. */
export function isPrivateAddress(address: string): boolean {
  return isIn(PRIVATE, address);
}

/**
 * Returns the part of an address that stands for one client: all of an IPv4 address, also of an IPv4-mapped one, and the
 * first 64 bits of an IPv6 address, because one client usually has them all (RFC 7421).
 */
export function clientNetwork(address: string): string {
  const bare = address.split('%')[0] ?? address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined || !bare.includes(':')) return mapped ?? bare;
  const [head = [], tail] = bare.split('::').map((groups) => (groups === '' ? [] : groups.split(':')));
  const zeros = tail === undefined ? [] : new Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0');
  const first = [...head, ...zeros, ...(tail ?? [])]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16));
  return `${first.join(':')}::/64`;
}

function isIn(list: BlockList, address: string): boolean {
  const bare = address.split('%')[0] ?? address;
  const family = isIP(bare);
  // A BlockList handles IPv4-mapped addresses itself.
  return family !== 0 && list.check(bare, family === 4 ? 'ipv4' : 'ipv6');
}
