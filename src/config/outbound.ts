import { isAllowlistEntry, MAX_ALLOWLIST } from '../domain/allowlist.ts';
import { ApiError } from '../domain/errors.ts';
import { parseIdentityDomain } from '../domain/identity.ts';
import { type Given, wrong } from './value.ts';

/**
 * Reads the domains that every workspace may send from, such as `["example.com"]`. A workspace may add its own
 * (docs/contract.md#identities-and-allowlist). Throws {@link ConfigError}.
 */
export function readIdentityOption(given: Given): readonly string[] {
  return readTexts(given, 'a list of domains').map((domain) => {
    try {
      return parseIdentityDomain(domain);
    } catch (error) {
      if (error instanceof ApiError) throw wrong({ ...given, value: domain }, 'a domain name, as in example.com');
      throw error;
    }
  });
}

/** Reads the allowlist of a new mailbox, such as `["*.example.com", "ada@example.org"]`. Throws {@link ConfigError}. */
export function readAllowlist(given: Given): readonly string[] {
  const entries = readTexts(given, 'a list of addresses, *@domain and *.domain patterns').map((entry) => entry.trim());
  if (entries.length > MAX_ALLOWLIST) throw wrong(given, `${MAX_ALLOWLIST} entries at most`);
  for (const entry of entries) {
    if (!isAllowlistEntry(entry)) throw wrong({ ...given, value: entry }, 'an address, *@domain or *.domain');
  }
  return entries;
}

function readTexts(given: Given, expected: string): string[] {
  if (!Array.isArray(given.value)) throw wrong(given, expected);
  return given.value.map((text: unknown) => {
    if (typeof text !== 'string') throw wrong(given, expected);
    return text;
  });
}
