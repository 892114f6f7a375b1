import { comparableAddress, parseEnvelopeAddress } from './address.ts';
import { isSimulator } from './simulator.ts';

export const MAX_ALLOWLIST = 1_000;

const DOMAIN = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/;

/** An address, or `*.domain`, which stands for every address at the domain and below it (docs/contract.md#identities-and-allowlist). */
export function isAllowlistEntry(entry: string): boolean {
  if (entry.length > 320) return false;
  // The domain is compared as A-labels, so `*.` is read as an address of the local part `*`.
  const address = parseEnvelopeAddress(entry.startsWith('*.') ? `*@${entry.slice(2)}` : entry);
  return address !== null && /^[^\s@,<>]+$/.test(address.localPart) && DOMAIN.test(address.domain);
}

/** Tells of an address whether a mailbox's allowlist has it. The simulator is always on it (docs/contract.md#bounces-and-the-simulator). */
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

/** The domain itself and every domain above it. */
function enclosing(domain: string): string[] {
  const labels = domain.split('.');
  return labels.map((_label, at) => labels.slice(at).join('.'));
}
