import { parseEnvelopeAddress } from './address.ts';
import { isLoopbackAddress, isPrivateAddress } from './ip-address.ts';
import type { Facts } from './message.ts';

/** RFC 7208 2.6. */
export const SPF_RESULTS = ['none', 'neutral', 'pass', 'fail', 'softfail', 'temperror', 'permerror'] as const;
export type SpfResult = (typeof SPF_RESULTS)[number];

/** What a domain's policy is asked: may this client send for this sender? */
export interface SpfQuestion {
  readonly clientAddress: string;
  /** Local part and domain, as A-labels. */
  readonly sender: string;
  readonly helo: string | null;
}

/**
 * Null where the result is `none` without a look-up: mail that came by no SMTP, a sender whose domain is none, and
 * loopback and private clients, unless a zone stands in for DNS (docs/contract.md#spf-and-virus-scan).
 */
export function spfQuestion(facts: Facts, hasZone: boolean): SpfQuestion | null {
  const { source, clientAddress, envelope, helo } = facts;
  if (source !== 'smtp' || clientAddress === null) return null;
  if (!hasZone && (isLoopbackAddress(clientAddress) || isPrivateAddress(clientAddress))) return null;
  // RFC 7208 2.4: of the null sender, the name the client gave itself.
  const sender = parseEnvelopeAddress(envelope.mailFrom === '' ? `postmaster@${helo ?? ''}` : envelope.mailFrom);
  if (sender === null || !isDomainName(sender.domain)) return null;
  // RFC 7208 4.3
  return { clientAddress, sender: `${sender.localPart || 'postmaster'}@${sender.domain}`, helo };
}

/** RFC 7208 4.3: an address literal, a single label and what DNS has no name for have no policy. */
function isDomainName(domain: string): boolean {
  const labels = domain.split('.');
  return domain.length <= 253 && labels.length > 1 && labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
}
