/** A mechanism or modifier may name a domain, which is 253 characters at most; mailauth's patterns are slow on what is far longer. */
const LONGEST_TERM = 2_048;
/** RFC 7208 3.4 recommends 450 and knows why: twice what UDP carries is generous. */
const LONGEST_RECORD = 4_096;

/** The texts that are policies (RFC 7208 4.5), each of one string. Other TXT records are nobody's business here. */
export function policiesOf(records: readonly (readonly string[])[]): string[] {
  return records.map((strings) => strings.join('')).filter((text) => /^v=spf1(?: |$)/i.test(text));
}

/** The policy costs little to evaluate, whatever its macros expand to; `longestValue` is that of the longest. */
export function isBounded(policy: string, longestValue: number): boolean {
  if (policy.length > LONGEST_RECORD) return false;
  return policy.split(' ').every((term) => {
    const macros = term.split('%{').length - 1;
    return term.length + macros * longestValue <= LONGEST_TERM;
  });
}

/** RFC 7208 7.2: `d` is the domain whose policy it is. mailauth takes the sender's, which inside an include is another. */
export function withOwnDomain(policy: string, domain: string): string {
  if (!/^[a-z0-9._-]+$/i.test(domain)) return policy;
  return policy.replace(/%%|%\{d(\d*)(r?)([-.+,/_=]*)\}/gi, (macro, digits, reversed, delimiters) => {
    if (macro === '%%') return macro;
    const parts = domain.split(new RegExp(`[${delimiters === '' ? '.' : delimiters.replaceAll('-', '\\-')}]`));
    if (reversed !== '') parts.reverse();
    return (Number(digits) > 0 ? parts.slice(-Number(digits)) : parts).join('.');
  });
}
