import { parseEnvelopeAddress } from './address.ts';
import { isLoopbackAddress, isPrivateAddress } from './ip-address.ts';
import type { ReceiptMetadata } from './message.ts';

/** The SPF results of RFC 7208 2.6. */
export const SPF_RESULTS = ['none', 'neutral', 'pass', 'fail', 'softfail', 'temperror', 'permerror'] as const;
export type SpfResult = (typeof SPF_RESULTS)[number];

/** The input of an SPF evaluation: whether this client may send mail for this sender. */
export interface SpfQuestion {
  readonly clientAddress: string;
  /** The sender's address. Its domain is in A-labels. */
  readonly sender: string;
  readonly helo: string | null;
}

/**
 * Builds the input of the SPF evaluation of a message. Null means that the result is `none` without a lookup: the mail
 * did not arrive by SMTP, the sender has no valid domain, or the client is loopback or private and no zone replaces DNS
 * (docs/contract.md#spf-and-virus-scan).
 */
export function spfQuestion(facts: ReceiptMetadata, hasZone: boolean): SpfQuestion | null {
  const { source, clientAddress, envelope, helo } = facts;
  if (source !== 'smtp' || clientAddress === null) return null;
  if (!hasZone && (isLoopbackAddress(clientAddress) || isPrivateAddress(clientAddress))) return null;
  // For the null sender the HELO name counts (RFC 7208 2.4).
  const sender = parseEnvelopeAddress(envelope.mailFrom === '' ? `postmaster@${helo ?? ''}` : envelope.mailFrom);
  if (sender === null || !isDomainName(sender.domain)) return null;
  // An empty local part becomes `postmaster` (RFC 7208 4.3).
  return { clientAddress, sender: `${sender.localPart || 'postmaster'}@${sender.domain}`, helo };
}

/**
 * Tells whether a domain can have a policy (RFC 7208 4.3). An address literal, a single label and an invalid DNS name
 * cannot.
 */
function isDomainName(domain: string): boolean {
  const labels = domain.split('.');
  return domain.length <= 253 && labels.length > 1 && labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
}
