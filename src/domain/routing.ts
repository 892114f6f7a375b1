import type { EnvelopeAddress } from './address.ts';

// Routing by subdomain (docs/contract.md#recipients): mail to `*@<subdomain>.{mail_domain}` goes to that mailbox, with
// any local part.

/**
 * Returns the label directly below the mail domain of a domain at any depth, as `shop` for `news.shop.mailcap.example.com`: the
 * subdomain that it stands under. Null for the mail domain itself and for domains elsewhere.
 */
export function labelBelow(domain: string, mailDomain: string): string | null {
  const suffix = `.${mailDomain}`;
  if (!domain.endsWith(suffix)) return null;
  return domain.slice(0, -suffix.length).split('.').at(-1) || null;
}

/** Returns the subdomain of an address. Null if its domain is not one label below the mail domain. */
export function subdomainOf(address: EnvelopeAddress, mailDomain: string): string | null {
  const suffix = `.${mailDomain}`;
  if (!address.domain.endsWith(suffix)) return null;
  const label = address.domain.slice(0, -suffix.length);
  return label === '' || label.includes('.') ? null : label;
}
