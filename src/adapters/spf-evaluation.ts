import { SPF_RESULTS, type SpfQuestion, type SpfResult } from '../domain/spf.ts';
import { isBounded, policiesOf, withOwnDomain } from '../mail/spf-record.ts';
import type { Dns } from '../ports/dns.ts';

/** The longest HELO name, in characters. A longer one is treated as missing. */
const LONGEST_HELO = 253;
/** The longest value of the other macros, in characters: an IPv6 address nibble by nibble. */
const LONGEST_ADDRESS = 64;

/**
 * Evaluates SPF (RFC 7208) with mailauth. After an abort of `signal` it makes no more lookups and returns `temperror`.
 * `receiver` is the value of macro `r`.
 */
export async function evaluateSpf(
  question: SpfQuestion,
  dns: Dns,
  receiver: string,
  signal: AbortSignal,
): Promise<SpfResult> {
  const [{ spf }, { default: ipaddr }] = await Promise.all([import('mailauth/lib/spf/index.js'), import('ipaddr.js')]);
  const { sender, clientAddress } = question;
  const helo = question.helo !== null && question.helo.length <= LONGEST_HELO ? question.helo : undefined;
  const longestValue = Math.max(sender.length, helo?.length ?? 0, receiver.length, LONGEST_ADDRESS);
  const resolver = async (name: string, type: string) => {
    if (signal.aborted) throw failure('ETIMEOUT', signal.reason);
    const answer = await ask(dns, name, type).catch((cause) => {
      // mailauth ignores unknown errors inside an include. A failed lookup would then give a wrong result.
      throw failure('ETIMEOUT', cause);
    });
    if (answer === null || answer.length === 0) throw failure('ENOTFOUND');
    return type === 'TXT' ? readPolicies(answer as string[][], name, longestValue) : (answer as string[]);
  };
  const { status } = await spf({
    // An IPv4-mapped address counts as IPv4 (RFC 7208 5).
    ip: ipaddr.process(clientAddress.split('%')[0] ?? '').toString(),
    sender,
    mta: receiver,
    resolver,
    ...(helo === undefined ? {} : { helo }),
  });
  return SPF_RESULTS.find((result) => result === status.result) ?? 'temperror';
}

// mailauth queries no other types. It expects objects for MX, whatever its types say.
function ask(dns: Dns, name: string, type: string): Promise<readonly unknown[] | null> {
  switch (type) {
    case 'TXT':
      return dns.txt(name);
    case 'A':
      return dns.a(name);
    case 'AAAA':
      return dns.aaaa(name);
    case 'MX':
      return dns.mx(name);
    case 'PTR':
      return dns.ptr(name);
    default:
      return Promise.reject(new Error(`no look-up of ${type}`));
  }
}

function readPolicies(records: readonly (readonly string[])[], name: string, longestValue: number): string[][] {
  return policiesOf(records).map((policy) => {
    if (!isBounded(policy, longestValue)) throw permanent(`the policy of ${name} is too long`);
    return [withOwnDomain(policy, name)];
  });
}

/** Creates the error that mailauth recognizes as a failed lookup. */
function failure(code: 'ETIMEOUT' | 'ENOTFOUND', cause?: unknown): Error {
  return Object.assign(new Error(code, { cause }), { code });
}

function permanent(text: string): Error {
  return Object.assign(new Error(text), { spfResult: { error: 'permerror', text } });
}
