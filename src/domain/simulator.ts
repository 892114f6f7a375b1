import { parseEnvelopeAddress } from './address.ts';

/** What the simulator's addresses stand for: `bounce@simulator.{mail_domain}`, also with a tag, `bounce+42@...`. */
export type Simulated = 'bounce' | 'complaint' | 'success';

export function isSimulator(address: string, mailDomain: string): boolean {
  return parseEnvelopeAddress(address)?.domain === `simulator.${mailDomain}`;
}

/** Null for an address that is not the simulator's, or none of those it knows. */
export function simulated(address: string, mailDomain: string): Simulated | null {
  if (!isSimulator(address, mailDomain)) return null;
  const [name] = (parseEnvelopeAddress(address)?.localPart ?? '').toLowerCase().split('+');
  return name === 'bounce' || name === 'complaint' || name === 'success' ? name : null;
}
