import { normalDomain } from '../domain/address.ts';
import type { Dns } from '../ports/dns.ts';

/** A zone of TXT records in place of DNS (docs/contract.md#spf-zone): nothing else has a record, and nobody is asked. */
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
