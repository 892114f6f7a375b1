import { comparableAddress } from './address.ts';

/**
 * Returns the Bcc header, or else the envelope recipients that are in neither To nor Cc (docs/contract.md#messages).
 * Null means none. `toAndCc` holds addresses in the form of {@link comparableAddress}.
 */
export function bccOf(header: string | null, rcptTo: readonly string[], toAndCc: readonly string[]): string | null {
  if (header !== null) return header;
  const seen = new Set(toAndCc);
  const hidden: string[] = [];
  for (const recipient of rcptTo) {
    const address = comparableAddress(recipient);
    if (seen.has(address)) continue;
    seen.add(address);
    hidden.push(recipient);
  }
  return hidden.length === 0 ? null : hidden.join(', ');
}
