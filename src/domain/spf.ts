import { isLoopbackAddress, isPrivateAddress } from './ip-address.ts';
import type { Facts } from './message.ts';

/** RFC 7208 2.6. */
export type SpfResult = 'none' | 'neutral' | 'pass' | 'fail' | 'softfail' | 'temperror' | 'permerror';

/** `none` where there is nobody to look up: loopback and private clients, and mail that came by no SMTP. Null: not evaluated. */
export function spfWithoutLookup(facts: Facts): SpfResult | null {
  const { source, clientAddress } = facts;
  if (source === 'api' || clientAddress === null) return 'none';
  return isLoopbackAddress(clientAddress) || isPrivateAddress(clientAddress) ? 'none' : null;
}
