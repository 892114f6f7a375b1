/**
 * The longest mechanism or modifier, in characters. It holds a domain of at most 253 characters, and mailauth's
 * patterns are slow on much longer ones.
 */
const LONGEST_TERM = 2_048;
/** The longest record, in characters. RFC 7208 3.4 recommends 450, so that an answer fits into UDP. */
const LONGEST_RECORD = 4_096;

/** Returns the TXT records that are SPF policies (RFC 7208 4.5), each joined to one string. */
export function policiesOf(records: readonly (readonly string[])[]): string[] {
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
export function withOwnDomain(policy: string, domain: string): string {
  if (!/^[a-z0-9._-]+$/i.test(domain)) return policy;
  return policy.replace(/%%|%\{d(\d*)(r?)([-.+,/_=]*)\}/gi, (macro, digits, reversed, delimiters) => {
    if (macro === '%%') return macro;
    const parts = domain.split(new RegExp(`[${delimiters === '' ? '.' : delimiters.replaceAll('-', '\\-')}]`));
    if (reversed !== '') parts.reverse();
    return (Number(digits) > 0 ? parts.slice(-Number(digits)) : parts).join('.');
  });
}
