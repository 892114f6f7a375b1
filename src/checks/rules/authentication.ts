import type { Reporter } from '../finding.ts';
import { type CheckedMail, fieldNamed, placeOfField } from '../mail.ts';

/** Reports signatures that do not verify, and a failed DMARC policy. */
export function checkAuthentication(mail: CheckedMail, reporter: Reporter): void {
  const { signatures, dmarc } = mail.authentication;
  const fields = mail.fields.filter(({ name }) => name === 'dkim-signature');
  for (const [position, { domain, selector, result, reason }] of signatures.entries()) {
    if (result !== 'fail') continue;
    const message = `${saidSignature(domain, selector)} does not verify: ${reason ?? 'it is malformed'}.`;
    const place = placeOfField(mail, fields[position] ?? null);
    reporter.add({ rule: 'dkim-invalid', detail: domain, message, place });
  }
  if (dmarc?.result !== 'fail') return;
  const message = `The mail fails the DMARC policy of ${dmarc.domain} (p=${dmarc.policy}): neither DKIM nor SPF passes for that domain.`;
  const place = placeOfField(mail, fieldNamed(mail, 'from'));
  reporter.add({ rule: 'dmarc-fail', detail: dmarc.domain, message, place });
}

/** Names a signature. A malformed one may have no domain, or no selector. */
function saidSignature(domain: string, selector: string): string {
  if (domain === '') return 'A DKIM signature';
  return `The DKIM signature of ${domain}${selector === '' ? '' : ` (${selector})`}`;
}
