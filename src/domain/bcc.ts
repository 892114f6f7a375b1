import { comparableAddress } from './address.ts';

/** The Bcc header if there is one, else the recipients that were in the envelope but in neither To nor Cc (docs/contract.md#messages). */
export function bccOf(header: string | null, rcptTo: readonly string[], toAndCc: readonly string[]): string | null {
  if (header !== null) return header;
  const seen = new Set(toAndCc.map(comparableAddress));
  const hidden: string[] = [];
  for (const recipient of rcptTo) {
    const address = comparableAddress(recipient);
    if (seen.has(address)) continue;
    seen.add(address);
    hidden.push(recipient);
  }
  return hidden.length === 0 ? null : hidden.join(', ');
}
