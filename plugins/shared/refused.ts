/**
 * Explains a refused connection if the code under test may not know the server's address; null for any other error.
 * `remedy` is the runner's advice.
 */
export function whyRefused(message: string, smtpUrl: string | undefined, remedy: string): string | null {
  const [, port] = /ECONNREFUSED\S*\s+\S*?:(\d+)\b/.exec(message) ?? [];
  if (port === undefined || !smtpUrl || !URL.canParse(smtpUrl)) return null;
  const own = new URL(smtpUrl);
  // The server itself does not run, which is another problem.
  if (own.port === port || !MAIL_PORTS.has(port)) return null;
  return `Nothing listens at port ${port}; mailcap takes mail at ${own.protocol}//${own.host}, which MAILCAP_SMTP_URL says. ${remedy}`;
}

/** The default ports of mail libraries and of mail servers for tests. */
const MAIL_PORTS = new Set(['25', '465', '587', '1025', '2525']);
