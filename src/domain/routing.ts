import { type EnvelopeAddress, parseEnvelopeAddress } from './address.ts';
import { parseAddress } from './address-list.ts';
import { parsePhone } from './phone.ts';

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

// Claimed addresses (docs/claimed-addresses.md): a mailbox takes mail to addresses of any domain, and with
// `*@domain` to a whole domain. The most specific claim wins, as in an alias table: the exact address, then the address
// without its plus-tag, then the domain.

/** The number of claims of one mailbox. */
export const MAX_CLAIMED = 1_000;

/**
 * Parses an address, `*@domain` or a phone number into its stored form. Returns null for other texts; no other wildcard is
 * allowed.
 */
export function parseClaim(text: string): string | null {
  const trimmed = text.trim();
  if (!trimmed.includes('@')) return parsePhone(trimmed);
  if (trimmed.startsWith('*@')) {
    const domain = parseAddress(`any${trimmed.slice(1)}`)?.domain;
    return domain === undefined ? null : `*@${domain}`;
  }
  const parsed = parseAddress(trimmed);
  return parsed === null || parsed.name !== null || parsed.address.includes('*') ? null : parsed.address;
}

/** Returns the form in which claims are compared. `claim` must come from {@link parseClaim}. */
export function claimKey(claim: string): string {
  if (!claim.includes('@')) return claim;
  const at = claim.lastIndexOf('@');
  return keyOf(claim.slice(0, at), claim.slice(at + 1));
}

/**
 * Lists the keys of the claims that match a recipient, the most specific first. It is empty if the recipient is neither an
 * address nor a phone number.
 */
export function claimKeysFor(recipient: string): string[] {
  if (!recipient.includes('@')) return [parsePhone(recipient)].filter((phone) => phone !== null);
  const address = parseEnvelopeAddress(recipient);
  if (address === null) return [];
  const { domain } = address;
  const localPart = unquoted(address.localPart);
  const tag = localPart.indexOf('+');
  const keys = [keyOf(localPart, domain)];
  if (tag > 0) keys.push(keyOf(localPart.slice(0, tag), domain));
  return [...keys, keyOf('*', domain)];
}

/** Builds a key that ignores case and quoting (RFC 5321 4.1.2). */
function keyOf(localPart: string, domain: string): string {
  return `${unquoted(localPart).normalize('NFC').toLowerCase()}@${domain}`;
}

function unquoted(localPart: string): string {
  return /^".*"$/s.test(localPart) ? localPart.slice(1, -1).replace(/\\(.)/gs, '$1') : localPart;
}

/** Which recipients SMTP takes, beside the rules of mailboxes. */
export interface RecipientRules {
  /** A recipient must match it. Null admits all. */
  readonly allowed: RegExp | null;
  /** Tells that a recipient which does not match is answered as if it was taken, and gets nothing. */
  readonly dropsOthers: boolean;
  /** The most recipients of a mail. */
  readonly most: number;
}

/** The most recipients of a mail without another limit. */
export const MOST_RECIPIENTS = 1_000;

export const ALL_RECIPIENTS: RecipientRules = { allowed: null, dropsOthers: false, most: MOST_RECIPIENTS };
