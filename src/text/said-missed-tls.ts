const ADVICE = 'start mailcap with --starttls on, or turn TLS off in the app';

/**
 * Says that an SMTP client sent nothing because it did not get STARTTLS, and which option helps. Empty if that was not
 * the reason.
 */
export function saidMissedTls({ tls, accepted }: { readonly tls: string; readonly accepted: number }): string {
  if (accepted > 0) return '';
  if (tls === 'refused') return `it asked for STARTTLS, which --starttls off refuses: ${ADVICE}`;
  if (tls === 'missed') return `it left right after EHLO, where STARTTLS is not offered; if it requires TLS, ${ADVICE}`;
  return '';
}
