import { domainToASCII } from 'node:url';

/** An envelope address taken apart. The local part keeps its case and quotes; the domain is lower-case A-labels, no trailing dot. */
export interface EnvelopeAddress {
  readonly localPart: string;
  readonly domain: string;
}

/** Splits at the last `@`; null where there is none or the domain is no domain. */
export function parseEnvelopeAddress(address: string): EnvelopeAddress | null {
  const at = address.lastIndexOf('@');
  if (at < 0) return null;
  const domain = normalDomain(address.slice(at + 1));
  return domain === null ? null : { localPart: address.slice(0, at), domain };
}

/** Lower-case A-labels without a trailing dot, null for what is no domain name. International domains are compared so (contract 3, Outbound). */
export function normalDomain(domain: string): string | null {
  const bare = domain.endsWith('.') ? domain.slice(0, -1) : domain;
  if (bare.startsWith('[')) return bare.toLowerCase();
  const ascii = /^[\x21-\x7e]+$/.test(bare) && !/xn--/i.test(bare) ? bare.toLowerCase() : domainToASCII(bare);
  return ascii === '' ? null : ascii;
}
