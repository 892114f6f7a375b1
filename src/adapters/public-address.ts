import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The target is, or resolves to, an address that only this machine or its neighbours reach. */
export class NotPublic extends Error {
  override readonly name = 'NotPublic';

  constructor() {
    // Names no address: who set the target is not to learn how names resolve in here.
    super('the target is a loopback, private or otherwise special address, which this server does not forward to');
  }
}

/**
 * Whether anybody on the internet could connect to the address. Of IPv6 forms that carry an IPv4 address (mapped, RFC 4291;
 * translated, RFC 6052) the carried one decides; other tunnels, and all that is not global unicast, are not public.
 */
export function isPublicAddress(address: string): boolean {
  const bare = address.split('%')[0] ?? address;
  if (isIP(bare) === 0) return false;
  const parsed = ipaddr.process(bare);
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast';
  const bytes = parsed.toByteArray();
  if (parsed.match(WELL_KNOWN_TRANSLATION)) return isPublicAddress(bytes.slice(12).join('.'));
  // 2000::/3 is all that is given out (RFC 4291 2.4).
  return parsed.range() === 'unicast' && (bytes[0] ?? 0) >> 5 === 1;
}

const WELL_KNOWN_TRANSLATION = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/** A look-up that gives out public addresses alone, for a connection to use: what was checked is what is connected to. */
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
