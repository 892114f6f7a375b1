import { comparableAddress, parseEnvelopeAddress } from './address.ts';
import { parseAddress } from './address-list.ts';
import { isSimulator } from './simulator.ts';

export const MAX_ALLOWLIST = 1_000;

/** The addresses that an entry allows: one, every address at a domain, or also those below the domain. */
type Allowed =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'at' | 'below'; readonly domain: string };

/**
 * Tells whether a text is an allowlist entry: an address, `*@domain` for every address at the domain, or `*.domain` for
 * those at its subdomains too (docs/contract.md#identities-and-allowlist). Every entry can match a recipient of a send.
 */
export function isAllowlistEntry(entry: string): boolean {
  return parseEntry(entry) !== null;
}

function parseEntry(entry: string): Allowed | null {
  if (entry.length > 320 || /[\s,<>()]/.test(entry)) return null;
  const wildcard = /^\*([@.])/.exec(entry)?.[1];
  // A pattern is parsed as an address, so that its domain follows the same rules and is converted to A-labels.
  const parsed = parseAddress(wildcard === undefined ? entry : `any@${entry.slice(2)}`);
  if (parsed === null) return null;
  const { address, domain } = parsed;
  if (wildcard !== undefined) return { kind: wildcard === '@' ? 'at' : 'below', domain };
  // Mail systems do not use a star in an address. The user probably meant a pattern that is not supported, such as
  // `ada*@x.test`.
  return address.includes('*') ? null : { kind: 'address', address: comparableAddress(address) };
}

/**
 * Returns a predicate that tells whether an address is on the allowlist. The simulator always is
 * (docs/contract.md#bounces-and-the-simulator).
 */
export function allowlistMatcher(allowlist: readonly string[], mailDomain: string): (address: string) => boolean {
  const addresses = new Set<string>();
  const domains = { at: new Set<string>(), below: new Set<string>() };
  for (const entry of allowlist) {
    const allowed = parseEntry(entry);
    if (allowed?.kind === 'address') addresses.add(allowed.address);
    else if (allowed !== null) domains[allowed.kind].add(allowed.domain);
  }
  return (address) => {
    const domain = parseEnvelopeAddress(address)?.domain ?? '';
    return (
      isSimulator(address, mailDomain) ||
      addresses.has(comparableAddress(address)) ||
      domains.at.has(domain) ||
      enclosing(domain).some((one) => domains.below.has(one))
    );
  };
}

/** Lists the domain and all its parent domains. */
function enclosing(domain: string): string[] {
  const labels = domain.split('.');
  return labels.map((_label, at) => labels.slice(at).join('.'));
}
