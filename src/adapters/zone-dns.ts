import { normalDomain } from '../domain/address.ts';
import type { Dns } from '../ports/dns.ts';

/**
 * Creates a DNS that answers from a zone of TXT records (docs/options.md#the-config-file). It has no other records and
 * asks no server.
 */
export function zoneDns(zone: Readonly<Record<string, readonly string[]>>): Dns {
  const texts = new Map(Object.entries(zone));
  const none = async () => null;
  return {
    txt: async (name) => texts.get(normalDomain(name) ?? '')?.map((text) => [text]) ?? null,
    a: none,
    aaaa: none,
    mx: none,
    ptr: none,
    close: () => {},
  };
}
