import { parseEnvelopeAddress } from './address.ts';

/** The Bcc header if there is one, else the recipients that were in the envelope but in neither To nor Cc (contract 3, Messages). */
export function bccOf(header: string | null, rcptTo: readonly string[], toAndCc: readonly string[]): string | null {
  if (header !== null) return header;
  const seen = new Set(toAndCc.map(comparable));
  const hidden: string[] = [];
  for (const recipient of rcptTo) {
    const address = comparable(recipient);
    if (seen.has(address)) continue;
    seen.add(address);
    hidden.push(recipient);
  }
  return hidden.length === 0 ? null : hidden.join(', ');
}

/** Local parts are compared without case, as filters are; domains as lower-case A-labels. */
function comparable(address: string): string {
  const parsed = parseEnvelopeAddress(address);
  return parsed === null ? address.toLowerCase() : `${parsed.localPart.toLowerCase()}@${parsed.domain}`;
}
