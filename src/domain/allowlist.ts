import { comparableAddress, parseEnvelopeAddress } from './address.ts';
import { isSimulator } from './simulator.ts';

export const MAX_ALLOWLIST = 1_000;

const DOMAIN = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/;

/**
 * Tells whether a text is an allowlist entry: an address, or `*.domain` for every address at the domain and its
 * subdomains (docs/contract.md#identities-and-allowlist).
 */
export function isAllowlistEntry(entry: string): boolean {
  if (entry.length > 320) return false;
  // `*.` is parsed as an address with the local part `*`, so that the domain is converted to A-labels.
  const address = parseEnvelopeAddress(entry.startsWith('*.') ? `*@${entry.slice(2)}` : entry);
  return address !== null && /^[^\s@,<>]+$/.test(address.localPart) && DOMAIN.test(address.domain);
}

/**
 * Returns a predicate that tells whether an address is on the allowlist. The simulator always is
 * (docs/contract.md#bounces-and-the-simulator).
 */
export function allowlistMatcher(allowlist: readonly string[], mailDomain: string): (address: string) => boolean {
  const addresses = new Set<string>();
  const domains = new Set<string>();
  for (const entry of allowlist) {
    const domain = entry.startsWith('*.') ? parseEnvelopeAddress(`*@${entry.slice(2)}`)?.domain : undefined;
    if (domain === undefined) addresses.add(comparableAddress(entry));
    else domains.add(domain);
  }
  return (address) =>
    isSimulator(address, mailDomain) ||
    addresses.has(comparableAddress(address)) ||
    enclosing(parseEnvelopeAddress(address)?.domain ?? '').some((domain) => domains.has(domain));
}

/** Lists the domain and all its parent domains. */
function enclosing(domain: string): string[] {
  const labels = domain.split('.');
  return labels.map((_label, at) => labels.slice(at).join('.'));
}
