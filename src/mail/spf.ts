import { SPF_RESULTS, type SpfQuestion, type SpfResult } from '../domain/spf.ts';
import type { Dns } from '../ports/dns.ts';
import { isBounded, policiesOf, withOwnDomain } from './spf-record.ts';

/** A name is 253 characters at most: a client that calls itself more has no name. */
const LONGEST_HELO = 253;
/** What the macros that are neither the sender nor the HELO name may come to: an address nibble by nibble. */
const LONGEST_ADDRESS = 64;

/** Evaluates SPF (RFC 7208) by mailauth. Once `signal` aborts nothing more is looked up: `temperror`. `receiver` is macro r. */
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
      // In an include mailauth passes over what it has no name for, which would make a wrong result of a failure.
      throw failure('ETIMEOUT', cause);
    });
    if (answer === null || answer.length === 0) throw failure('ENOTFOUND');
    return type === 'TXT' ? readPolicies(answer as string[][], name, longestValue) : (answer as string[]);
  };
  const { status } = await spf({
    // IPv4-mapped addresses are those of IPv4 (RFC 7208 5).
    ip: ipaddr.process(clientAddress.split('%')[0] ?? '').toString(),
    sender,
    mta: receiver,
    resolver,
    ...(helo === undefined ? {} : { helo }),
  });
  return SPF_RESULTS.find((result) => result === status.result) ?? 'temperror';
}

// mailauth asks for no other types. Of MX it is given objects, whatever its types say.
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

/** What mailauth understands of a failed look-up. */
function failure(code: 'ETIMEOUT' | 'ENOTFOUND', cause?: unknown): Error {
  return Object.assign(new Error(code, { cause }), { code });
}

function permanent(text: string): Error {
  return Object.assign(new Error(text), { spfResult: { error: 'permerror', text } });
}
