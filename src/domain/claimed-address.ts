import { parseEnvelopeAddress } from './address.ts';
import { parseAddress } from './address-list.ts';

// Contract 6, Claimed addresses: addresses of any domain that a mailbox takes, and `*@domain` for all of a domain. The most
// specific claim decides, as in a mail server's alias table: the address as written, then without its plus-tag, then its domain.

/** Of one mailbox. */
export const MAX_CLAIMED = 1_000;

/** The address or `*@domain` as it is kept and told, null where the text is neither. Other wildcards are none. */
export function parseClaim(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed.startsWith('*@')) {
    const domain = parseAddress(`any${trimmed.slice(1)}`)?.domain;
    return domain === undefined ? null : `*@${domain}`;
  }
  const parsed = parseAddress(trimmed);
  return parsed === null || parsed.name !== null || parsed.address.includes('*') ? null : parsed.address;
}

/** The form claims are compared in; `claim` is one that {@link parseClaim} gave. */
export function claimKey(claim: string): string {
  const at = claim.lastIndexOf('@');
  return keyOf(claim.slice(0, at), claim.slice(at + 1));
}

/** The claims that would take a recipient's mail, the most specific first. None where it is no address. */
export function claimKeysFor(recipient: string): string[] {
  const address = parseEnvelopeAddress(recipient);
  if (address === null) return [];
  const { domain } = address;
  const localPart = unquoted(address.localPart);
  const tag = localPart.indexOf('+');
  const keys = [keyOf(localPart, domain)];
  if (tag > 0) keys.push(keyOf(localPart.slice(0, tag), domain));
  return [...keys, keyOf('*', domain)];
}

/** In any case, and quoted or not (RFC 5321 4.1.2). */
function keyOf(localPart: string, domain: string): string {
  return `${unquoted(localPart).normalize('NFC').toLowerCase()}@${domain}`;
}

function unquoted(localPart: string): string {
  return /^".*"$/s.test(localPart) ? localPart.slice(1, -1).replace(/\\(.)/gs, '$1') : localPart;
}
