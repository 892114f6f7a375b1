import { parseEnvelopeAddress } from './address.ts';

export const MAX_ALLOWLIST = 1_000;

const DOMAIN = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/;

/** An address, or `*.domain`, which stands for every address at the domain and below it (contract 3, Outbound). */
export function isAllowlistEntry(entry: string): boolean {
  if (entry.length > 320) return false;
  // The domain is compared as A-labels, so `*.` is read as an address of the local part `*`.
  const address = parseEnvelopeAddress(entry.startsWith('*.') ? `*@${entry.slice(2)}` : entry);
  return address !== null && /^[^\s@,<>]+$/.test(address.localPart) && DOMAIN.test(address.domain);
}
