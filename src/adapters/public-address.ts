import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The error for a target whose address only this machine or its network can reach. */
export class NotPublic extends Error {
  override readonly name = 'NotPublic';

  constructor() {
    // The message names no address, because the user must not learn how names resolve in this network.
    super('the target is a loopback, private or otherwise special address, which this server does not forward to');
  }
}

/**
 * Tells whether hosts on the internet can reach the address. An IPv6 form that carries an IPv4 address (mapped, RFC
 * 4291; translated, RFC 6052) is judged by that address. Other tunnels and everything outside global unicast are not
 * public.
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.split('%')[0] ?? address;
  if (isIP(bare) === 0) return false;
  const parsed = ipaddr.process(bare);
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast';
  const bytes = parsed.toByteArray();
  if (parsed.match(WELL_KNOWN_TRANSLATION)) return isPublicAddress(bytes.slice(12).join('.'));
  // Only 2000::/3 is allocated (RFC 4291 2.4).
  return parsed.range() === 'unicast' && (bytes[0] ?? 0) >> 5 === 1;
}

const WELL_KNOWN_TRANSLATION = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Wraps a DNS lookup so that it returns only public addresses. The connection uses exactly the addresses that were
 * checked.
 */
export function guardedLookup(lookup: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      const all = Array.isArray(found) ? found : [];
      const addresses = all.filter(({ address }) => isPublicAddress(address));
      const [first] = addresses;
      if (first === undefined) return callback(new NotPublic(), '');
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
