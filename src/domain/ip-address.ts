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

function isIn(list: BlockList, address: string): boolean {
  const bare = address.split('%')[0] ?? address;
  const family = isIP(bare);
  // A BlockList handles IPv4-mapped addresses itself.
  return family !== 0 && list.check(bare, family === 4 ? 'ipv4' : 'ipv6');
}
