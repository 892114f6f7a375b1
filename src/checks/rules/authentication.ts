import type { Reporter } from '../finding.ts';
import { type CheckedMail, fieldNamed, placeOfField } from '../mail.ts';

/** Reports signatures that do not verify, and a failed DMARC policy. */
export function checkAuthentication(mail: CheckedMail, reporter: Reporter): void {
  const { signatures, dmarc } = mail.authentication;
  const fields = mail.fields.filter(({ name }) => name === 'dkim-signature');
  for (const [position, { domain, selector, result, reason }] of signatures.entries()) {
    if (result !== 'fail') continue;
    const field = fields[position];
    reporter.add({
      rule: 'dkim-invalid',
      severity: 'error',
      detail: domain,
      message: `${saidSignature(domain, selector)} does not verify: ${reason ?? 'it is malformed'}.`,
      place: field === undefined ? null : placeOfField(mail, field),
    });
  }
  if (dmarc?.result !== 'fail') return;
  const from = fieldNamed(mail, 'from');
  reporter.add({
    rule: 'dmarc-fail',
    severity: 'error',
    detail: dmarc.domain,
    message: `The mail fails the DMARC policy of ${dmarc.domain} (p=${dmarc.policy}): neither DKIM nor SPF passes for that domain.`,
    place: from && placeOfField(mail, from),
  });
}

/** Names a signature. A malformed one may have no domain, or no selector. */
function saidSignature(domain: string, selector: string): string {
  if (domain === '') return 'A DKIM signature';
  return `The DKIM signature of ${domain}${selector === '' ? '' : ` (${selector})`}`;
}
