import type { MessageId } from '../domain/ids.ts';
import { SPF_RESULTS, type SpfQuestion, type SpfResult, spfQuestion } from '../domain/spf.ts';
import type { Dns, Spf } from '../ports/mail.ts';
import type { Clock } from '../ports/system.ts';
import { LruCache } from './lru-cache.ts';

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
const TYPES = ['txt', 'a', 'aaaa', 'mx', 'ptr'] as const;

async function ask(dns: Dns, name: string, type: string): Promise<readonly unknown[] | null> {
  const known = TYPES.find((one) => one === type.toLowerCase());
  if (known === undefined) throw new Error(`no look-up of ${type}`);
  return dns[known](name);
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

/**
 * The longest mechanism or modifier, in characters. It holds a domain of at most 253 characters, and mailauth's
 * patterns are slow on much longer ones.
 */
const LONGEST_TERM = 2_048;
/** The longest record, in characters. RFC 7208 3.4 recommends 450, so that an answer fits into UDP. */
const LONGEST_RECORD = 4_096;

/** Returns the TXT records that are SPF policies (RFC 7208 4.5), each joined to one string. */
function policiesOf(records: readonly (readonly string[])[]): string[] {
  return records.map((strings) => strings.join('')).filter((text) => /^v=spf1(?: |$)/i.test(text));
}

/** Tells whether a policy is cheap to evaluate. `longestValue` is the length of the longest macro value. */
export function isBounded(policy: string, longestValue: number): boolean {
  if (policy.length > LONGEST_RECORD) return false;
  return policy.split(' ').every((term) => {
    const macros = term.split('%{').length - 1;
    return term.length + macros * longestValue <= LONGEST_TERM;
  });
}

/**
 * Replaces the macro `d` by the policy's own domain (RFC 7208 7.2). mailauth uses the sender's domain, which is wrong
 * inside an include.
 */
function withOwnDomain(policy: string, domain: string): string {
  if (!/^[a-z0-9._-]+$/i.test(domain)) return policy;
  return policy.replace(/%%|%\{d(\d*)(r?)([-.+,/_=]*)\}/gi, (macro, digits, reversed, delimiters) => {
    if (macro === '%%') return macro;
    const parts = domain.split(new RegExp(`[${delimiters === '' ? '.' : delimiters.replaceAll('-', '\\-')}]`));
    if (reversed !== '') parts.reverse();
    return (Number(digits) > 0 ? parts.slice(-Number(digits)) : parts).join('.');
  });
}

interface SpfSettings {
  /** Tells whether a zone replaces DNS. Loopback and private clients are then evaluated too. */
  readonly hasZone: boolean;
  /** The host name of this server, for the macro `r` of RFC 7208. */
  readonly receiver: string;
  /** The time limit of one evaluation, in milliseconds. */
  readonly ms?: number;
}

/**
 * The default time limit in milliseconds. A reader waits for the result, so it is a quarter of the time RFC 7208 4.6.4
 * suggests.
 */
const EVALUATION_MS = 5_000;
const KEPT = 20_000;
/** The time in milliseconds for which a temperror is cached. DNS may work again after it. */
const TEMPERROR_KEPT_MS = 30_000;

/** Creates the SPF evaluation. It evaluates a message when it is first read, and caches the result. */
export function createSpf(dns: Dns, clock: Clock, settings: SpfSettings): Spf {
  const { hasZone, receiver, ms = EVALUATION_MS } = settings;
  const kept = new LruCache<MessageId, Promise<SpfResult>>(KEPT);

  const decide = async (question: SpfQuestion): Promise<SpfResult> => {
    const late = new AbortController();
    let stop = () => {};
    const tooLate = new Promise<SpfResult>((resolve) => {
      stop = clock.after(ms, () => {
        late.abort(new Error(`more than ${ms} ms`));
        resolve('temperror');
      });
    });
    const result = evaluateSpf(question, dns, receiver, late.signal).catch((): SpfResult => 'temperror');
    return Promise.race([result, tooLate]).finally(() => stop());
  };

  return {
    evaluate(id, facts) {
      const question = spfQuestion(facts, hasZone);
      if (question === null) return Promise.resolve('none');
      const known = kept.get(id);
      if (known !== undefined) return known;
      const result = decide(question);
      kept.set(id, result);
      void result.then((value) => {
        if (value === 'temperror') clock.after(TEMPERROR_KEPT_MS, () => kept.delete(id));
      });
      return result;
    },
  };
}
