import { domainToASCII } from 'node:url';

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * An envelope address in its parts. The local part keeps its case and quotes. The domain is in lower-case A-labels
 * without a trailing dot.
 */
export interface EnvelopeAddress {
  readonly localPart: string;
  readonly domain: string;
}

/** Splits an address at the last `@`. Returns null if there is none or the domain is invalid. */
export function parseEnvelopeAddress(address: string): EnvelopeAddress | null {
  const at = address.lastIndexOf('@');
  if (at < 0) return null;
  const domain = normalDomain(address.slice(at + 1));
  return domain === null ? null : { localPart: address.slice(0, at), domain };
}

/** Returns what stands behind the last `@` of an address, as it is written; the whole text if there is none. */
export function domainIn(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/**
 * Converts a domain to lower-case A-labels without a trailing dot, so that international domains can be compared
 * (docs/api.md#addresses-of-a-send). Returns null if it is no domain name.
 */
export function normalDomain(domain: string): string | null {
  if (domain.startsWith('[')) return withoutDot(domain).toLowerCase();
  const ascii = /^[\x21-\x7e]+$/.test(domain) && !/xn--/i.test(domain) ? domain.toLowerCase() : domainToASCII(domain);
  // The check comes after the conversion, because another character may have become a dot.
  const bare = withoutDot(ascii);
  return bare === '' || bare.endsWith('.') ? null : bare;
}

function withoutDot(domain: string): string {
  return domain.endsWith('.') ? domain.slice(0, -1) : domain;
}

/** Tells whether a lower-case A-label domain is a host name: labels of letters, digits and hyphens (RFC 1123 2.1). */
export function isHostName(domain: string): boolean {
  return domain.length <= 253 && domain.split('.').every((label) => LABEL.test(label));
}

/**
 * Returns the form in which addresses are compared: the domain in lower-case A-labels, the local part in lower case.
 */
export function comparableAddress(address: string): string {
  const parsed = parseEnvelopeAddress(address);
  return parsed === null
    ? address.toLowerCase()
    : `${parsed.localPart.normalize('NFC').toLowerCase()}@${parsed.domain}`;
}
