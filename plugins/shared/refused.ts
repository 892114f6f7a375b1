/**
 * What to say of a connection that was refused where the code under test may have been told of no server; null where the error is
 * about something else. `remedy` is what the runner has for it.
 */
export function whyRefused(message: string, smtpUrl: string | undefined, remedy: string): string | null {
  const [, port] = /ECONNREFUSED\S*\s+\S*?:(\d+)\b/.exec(message) ?? [];
  if (port === undefined || !smtpUrl || !URL.canParse(smtpUrl)) return null;
  const own = new URL(smtpUrl);
  // The server itself is not there, which is another matter.
  if (own.port === port || !MAIL_PORTS.has(port)) return null;
  return `Nothing listens at port ${port}; mailcap takes mail at ${own.protocol}//${own.host}, which MAILCAP_SMTP_URL says. ${remedy}`;
}

/** Where libraries send that are told of no server, and where servers for tests are as a rule. */
const MAIL_PORTS = new Set(['25', '465', '587', '1025', '2525']);
