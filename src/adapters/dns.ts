import { Resolver } from 'node:dns/promises';
import { normalDomain } from '../domain/address.ts';
import type { Dns } from '../ports/mail.ts';
import { errorCode } from '../text/unknown.ts';

/** The time in milliseconds for one query. A silent name server must not use up the time of a whole evaluation. */
const QUERY_MS = 1_000;
const TRIES = 2;

/** Creates a DNS client for the system's name servers, or for given ones such as `127.0.0.1:53`. */
export function systemDns(servers: readonly string[] | null = null): Dns {
  let resolver: Resolver | null = null;
  const get = (): Resolver => {
    if (resolver !== null) return resolver;
    resolver = new Resolver({ timeout: QUERY_MS, tries: TRIES });
    if (servers !== null) resolver.setServers(servers);
    return resolver;
  };
  return {
    txt: (name) => orNone(get().resolveTxt(name)),
    a: (name) => orNone(get().resolve4(name)),
    aaaa: (name) => orNone(get().resolve6(name)),
    mx: (name) => orNone(get().resolveMx(name)),
    ptr: (name) => orNone(get().resolvePtr(name)),
    close: () => resolver?.cancel(),
  };
}

async function orNone<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOTFOUND' || code === 'ENODATA') return null;
    throw error;
  }
}

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
