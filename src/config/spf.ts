import { normalDomain } from '../domain/address.ts';
import type { Config } from './options.ts';
import { type Given, misplaced, readEntries, wrong } from './value.ts';

/**
 * Reads the TXT records that replace DNS for SPF checks (docs/options.md#the-config-file), such as `{ "zone": {
 * "example.com": ["v=spf1 -all"] } }`. Throws {@link ConfigError}.
 */
export function readSpf(given: Given): Config['spf'] {
  const zone: Record<string, readonly string[]> = {};
  for (const [key, inner] of readEntries(given)) {
    if (key !== 'zone') throw misplaced(inner, 'there is no such key: use zone.');
    for (const [domain, records] of readEntries(inner)) {
      const normal = normalDomain(domain);
      if (normal === null) throw misplaced(records, 'is not a domain name.');
      zone[normal] = readRecords(records);
    }
  }
  return { zone };
}

function readRecords(given: Given): readonly string[] {
  const records: unknown[] = Array.isArray(given.value) ? given.value : [given.value];
  return records.map((record) => {
    if (typeof record !== 'string') throw wrong(given, 'a text or a list of texts');
    return record;
  });
}
