import { parseEnvelopeAddress } from './address.ts';

/**
 * The outcomes that the simulator's addresses cause: `bounce@simulator.{mail_domain}`, also with a tag such as
 * `bounce+42@...`.
 */
export type Simulated = 'bounce' | 'complaint' | 'success';

export function isSimulator(address: string, mailDomain: string): boolean {
  return parseEnvelopeAddress(address)?.domain === `simulator.${mailDomain}`;
}

/** Returns the outcome of a simulator address. Null for any other address or name. */
export function simulated(address: string, mailDomain: string): Simulated | null {
  if (!isSimulator(address, mailDomain)) return null;
  const [name] = (parseEnvelopeAddress(address)?.localPart ?? '').toLowerCase().split('+');
  return name === 'bounce' || name === 'complaint' || name === 'success' ? name : null;
}
