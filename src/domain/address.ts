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

/** Lower-case A-labels without a trailing dot, null for what is no domain name. International domains are compared so (docs/contract.md#addresses-of-a-send). */
export function normalDomain(domain: string): string | null {
  if (domain.startsWith('[')) return withoutDot(domain).toLowerCase();
  const ascii = /^[\x21-\x7e]+$/.test(domain) && !/xn--/i.test(domain) ? domain.toLowerCase() : domainToASCII(domain);
  // The dot is looked for here: what becomes one may have been another character.
  const bare = withoutDot(ascii);
  return bare === '' || bare.endsWith('.') ? null : bare;
}

function withoutDot(domain: string): string {
  return domain.endsWith('.') ? domain.slice(0, -1) : domain;
}

/** The form addresses are compared in: the domain as lower-case A-labels, the local part without case. */
export function comparableAddress(address: string): string {
  const parsed = parseEnvelopeAddress(address);
  return parsed === null
    ? address.toLowerCase()
    : `${parsed.localPart.normalize('NFC').toLowerCase()}@${parsed.domain}`;
}
